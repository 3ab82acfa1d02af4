import { expect, test } from 'vitest';
import { folderWith, stridelint } from './run.ts';

const KEEPS = `import torch

def first_rows(n: int):
    x = torch.zeros(4, 200)
    y = x.t().contiguous()
    row = x[0]
    del x
    return row, y
`;

const folder = folderWith({ 'a.py': KEEPS });

test('the text says what each line does and what is alive behind it', () => {
  const { status, stdout } = stridelint(folder, 'ledger', 'a.py:first_rows');
  expect(status).toBe(0);
  expect(stdout).toContain('a.py:5  y = x.t().contiguous()');
  expect(stdout).toMatch(
    /t: \[4, 200\] strides \(200, 1\) offset 0 float32 -> \[200, 4\] strides \(1, 200\) .*view of s/,
  );
  expect(stdout).toMatch(/contiguous: .* -> \[200, 4\] strides \(4, 1\) offset 0 float32 new in s/);
});

test('one line, for other programs: bytes once a storage, of each tensor by itself, and in CUDA blocks', () => {
  const { status, stdout } = stridelint(folder, 'ledger', 'a.py:first_rows:7', '--format', 'json');
  expect(status).toBe(0);
  const { version, path, functions } = JSON.parse(stdout);
  expect({ version, path }).toEqual({ version: 1, path: 'a.py' });
  const [{ function: name, context, lines }] = functions;
  expect({ name, context }).toEqual({ name: 'first_rows', context: null });
  // The row keeps all of `x` although its name is gone.
  expect(lines).toMatchObject([
    {
      lineno: 7,
      bytes: '6400',
      logical_bytes: '4000',
      block_bytes: '7168',
      storages: expect.arrayContaining([
        expect.objectContaining({ origin: 'zeros', bytes: '3200', block_bytes: '3584', kept_by: ['row'] }),
        expect.objectContaining({ origin: 'contiguous', bytes: '3200', block_bytes: '3584', kept_by: ['y'] }),
      ]),
    },
  ]);
});

test('as if the floating tensors were of another dtype', () => {
  const { stdout } = stridelint(folder, 'ledger', 'a.py:first_rows:7', '--format', 'json', '--dtype', 'bfloat16');
  expect(JSON.parse(stdout).functions[0].lines[0]).toMatchObject({ bytes: '3200', logical_bytes: '2000' });
});

test('sizes that are symbols, and parameters that the caller keeps', () => {
  const symbolic = folderWith({ 'b.py': 'import torch\n\ndef f(x):\n    # x: [B, C] float16\n    return x * 2\n' });
  const { stdout } = stridelint(symbolic, 'ledger', 'b.py:f', '--format', 'json');
  expect(JSON.parse(stdout).functions[0].lines[0]).toMatchObject({
    transformations: [{ op: '*', inputs: [{ shape: ['B', 'C'] }], outputs: [{ shape: ['B', 'C'], sharing: 'copy' }] }],
    storages: [
      { origin: 'parameter x', bytes: '2*B*C', block_bytes: '512*ceil_div(B*C, 256)', kept_by: ['x', 'the caller'] },
    ],
  });
});

test('what is not there is said', () => {
  expect(stridelint(folder, 'ledger', 'a.py:nope')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('"nope"'),
  });
  expect(stridelint(folder, 'ledger', 'a.py:first_rows:90')).toMatchObject({ status: 2 });
  expect(stridelint(folder, 'ledger', 'a.py')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('FILE:FUNCTION'),
  });
  expect(stridelint(folder, 'ledger', 'a.py:first_rows', '--dtype', 'float17')).toMatchObject({ status: 2 });
});
