import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read } from '../parser.ts';
import { dump } from './dump.ts';

const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

test('a file with every form of syntax gives the tree that CPython 3.11 gave, positions and all', () => {
  const text = beside('sample.py');
  const module = read(text);
  expect(module.problems).toEqual([]);
  expect(dump(module, text)).toEqual(beside('sample.rows.txt').trimEnd().split('\n'));
});

test('so does the same file with other line endings, a byte-order mark aside', () => {
  const text = beside('sample.py');
  const rows = dump(read(text), text);
  for (const other of [text.replaceAll('\n', '\r\n'), text.replace(/(?<!\\)\n/g, '\r')]) {
    expect(dump(read(other), other)).toEqual(rows);
  }
  expect(dump(read(`\uFEFF${text}`), `\uFEFF${text}`)).toEqual(rows);
});
