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

test('what a no-copy claim would cover: the view, or also what reads it', () => {
  const views = folderWith({
    'c.py':
      'import torch\n\ndef f():\n    x = torch.zeros(4, 6)\n    y = x.t()\n    z = x[1]\n    w = y.reshape(-1)\n    return w + z.sum()\n',
  });
  const { stdout } = stridelint(views, 'ledger', 'c.py:f');
  expect(stdout).toContain('a no-copy claim covers the view only: reshape copies it on line 7');
  expect(stdout).toContain('a no-copy claim covers the view and all that reads it here');
  const { functions } = JSON.parse(stridelint(views, 'ledger', 'c.py:f', '--format', 'json').stdout);
  const [, turned, row, copied] = functions[0].lines;
  expect(turned.transformations[0].no_copy).toMatchObject({
    covers: 'view',
    consumers: [{ lineno: 7, op: 'reshape', does: 'copies' }],
  });
  expect(row.transformations[0].no_copy).toMatchObject({
    covers: 'view and consumers',
    consumers: [{ does: 'reads' }],
  });
  expect(copied.transformations[0].no_copy).toBeNull();
});

test('what autograd would keep, until backward', () => {
  const graph = folderWith({
    'd.py':
      'import torch\n\ndef f(x, w):\n    # x: [4, 8] float32, w: [8, 8] float32\n    h = (x @ w).sigmoid()\n    h = torch.dropout(h, 0.5, True)\n    loss = h.sum()\n    loss.backward()\n    return loss\n',
  });
  const { stdout } = stridelint(graph, 'ledger', 'd.py:f');
  expect(stdout).toMatch(/@: .*\n {4}backward keeps its input in s\d+, its input in s\d+/);
  const { functions } = JSON.parse(stridelint(graph, 'ledger', 'd.py:f', '--format', 'json').stdout);
  const [product, dropped, , backward] = functions[0].lines;
  expect(product.transformations[1].kept_for_backward).toEqual([
    { is: 'output', storage: expect.any(String), bytes: '128' },
  ]);
  expect(product.kept_for_backward).toMatchObject({ bytes: '512', only_for_backward: '0' });
  expect(dropped.transformations[0].kept_for_backward).toEqual([{ is: 'beside', storage: null, bytes: '128' }]);
  expect(dropped.kept_for_backward).toMatchObject({ bytes: '640', only_for_backward: '256' });
  expect(backward.kept_for_backward).toEqual({ storages: [], bytes: '0', only_for_backward: '0' });
});

const LAYERS = `import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Flatten(), nn.ReLU(inplace=True))

    def forward(self, x):
        """Docs."""
        # x: [2, 3, 4] float32
        y = self.body(x)
        return y
`;

test('the layers of a Sequential, one after the other, and what they leave in the graph', () => {
  const layers = folderWith({ 'e.py': LAYERS });
  const { functions } = JSON.parse(stridelint(layers, 'ledger', 'e.py:Net.forward', '--format', 'json').stdout);
  const [{ transformations, storages, bytes }, ...others] = functions[0].lines;
  expect(others).toHaveLength(1);
  expect(transformations).toMatchObject([
    {
      op: 'Linear',
      inputs: [{ storage: 's1' }],
      outputs: [{ shape: ['2', '3', '8'], storage: 's2', sharing: 'copy' }],
    },
    {
      op: 'Flatten',
      outputs: [{ shape: ['2', '24'], storage: 's2', sharing: 'view' }],
      no_copy: { covers: 'view', consumers: [{ op: 'ReLU' }, { op: 'return' }] },
    },
    { op: 'ReLU', outputs: [{ shape: ['2', '24'], storage: 's2', sharing: 'same' }] },
  ]);
  expect(bytes).toBe('288');
  expect(storages).toMatchObject([
    { storage: 's1', bytes: '96' },
    { storage: 's2', bytes: '192', kept_by: ['y'] },
  ]);
});

test('what did not change is not told again, what is of unknown size is counted, indices are of no floating dtype', () => {
  const lookup = folderWith({
    'f.py':
      'import torch\nimport torch.nn.functional as F\n\ndef f(ids, w, other):\n    # w: [10, 4] float32\n    n = other.mean()\n    e = F.embedding(ids, w)\n    return e\n',
  });
  const { stdout } = stridelint(lookup, 'ledger', 'f.py:f', '--dtype', 'fp16');
  expect(stdout).toMatch(/alive: 8\d bytes and \d of unknown size, in \d storages/);
  expect(stdout).toMatch(/as before: .*s\d/);
  expect(stdout).toMatch(/ids \[\?\]\n/);
  expect(stdout).not.toContain('--dtype');
  expect(stridelint(lookup, 'ledger', 'f.py:f').stdout).toContain('--dtype float32');
});

test('what is not there is said', () => {
  expect(stridelint(folder, 'ledger', 'a.py:Net.first_rows').stderr).toContain('there are first_rows');
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
