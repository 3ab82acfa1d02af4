import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createParser } from '../../engine/index.ts';
import { askEverything as ask } from './everything.ts';

const require = createRequire(import.meta.url);
const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
const parser = await createParser({
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});

export const askEverything = (text: string): ReturnType<typeof ask> => ask(parser, text);
