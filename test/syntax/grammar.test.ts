import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { createParser, parse } from '../../engine/syntax/index.ts';
import { outline } from './outline.ts';

test('both WebAssembly modules may come as bytes, as in a web worker', async () => {
  const { resolve } = createRequire(import.meta.url);
  const core = readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm'));
  const python = readFileSync(resolve('tree-sitter-python/tree-sitter-python.wasm'));
  const parser = await createParser({ core, python });
  expect(outline(parse(parser, 'x = 1\n'))).toBe('x = 1');
});
