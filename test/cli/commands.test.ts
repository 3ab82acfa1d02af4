import { expect, test } from 'vitest';
import { folderWith, stridelint } from './run.ts';

const COPY = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.transpose(1, 2).reshape(2, 12)\n';

test('facts: one row for each expression that yields a tensor', () => {
  const { status, stdout } = stridelint(folderWith({ 'a.py': COPY }), 'facts', 'a.py', '--format', 'json');
  expect(status).toBe(0);
  const { version, files } = JSON.parse(stdout);
  expect(version).toBe(1);
  expect(files.map((file: { path: string }) => file.path)).toEqual(['a.py']);
  expect(files[0].facts).toContainEqual(
    expect.objectContaining({
      function: '<module>',
      kind: 'expression',
      lineno: 4,
      col_offset: 4,
      end_lineno: 4,
      end_col_offset: 21,
      tensors: [
        expect.objectContaining({ path: '', shape: ['2', '4', '3'], stride: ['12', '1', '4'], sharing: 'view' }),
      ],
    }),
  );
});

test('facts of several files are one document, also where one cannot be read', () => {
  const folder = folderWith({ 'a.py': COPY, 'b.py': COPY, 'c.py': new Uint8Array([0]) });
  const { status, stdout } = stridelint(folder, 'facts', '.');
  expect(status).toBe(2);
  expect(JSON.parse(stdout).files.map((file: { path: string }) => file.path)).toEqual(['a.py', 'b.py']);
});

test('hover prints the card of a place', () => {
  const folder = folderWith({ 'a.py': COPY });
  expect(stridelint(folder, 'hover', 'a.py:4:6').stdout).toContain('12, 1, 4');
  expect(stridelint(folder, 'hover', 'a.py:40:6')).toMatchObject({
    status: 2,
    stderr: 'a.py:40:6: the file has no such line or column\n',
  });
  expect(stridelint(folder, 'hover', 'b.py:4:6').status).toBe(2);
});

test('explain prints the page of a rule, and knows what was meant', () => {
  const folder = folderWith({});
  expect(stridelint(folder, 'explain', 'hidden-copy')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('hidden-copy'),
  });
  expect(stridelint(folder, 'explain', 'hiddencopy')).toMatchObject({
    status: 2,
    stderr: 'there is no rule "hiddencopy"; did you mean "hidden-copy"?\n',
  });
});

test('rules lists them', () => {
  const folder = folderWith({});
  expect(stridelint(folder, 'rules').stdout).toMatch(/^hidden-copy +\w+ +\S/m);
  expect(JSON.parse(stridelint(folder, 'rules', '--format', 'json').stdout).rules[0]).toMatchObject({
    name: expect.any(String),
    severity: expect.any(String),
    summary: expect.any(String),
  });
});

test('help has examples', () => {
  const folder = folderWith({});
  for (const command of ['check', 'facts', 'hover', 'ledger', 'explain', 'server']) {
    expect(stridelint(folder, command, '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`$ stridelint ${command}`),
    });
  }
});
