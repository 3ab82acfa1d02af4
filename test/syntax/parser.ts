import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createParser, type Module, type Parser, parse } from '../../engine/syntax/index.ts';

const wasm = createRequire(import.meta.url).resolve('tree-sitter-python/tree-sitter-python.wasm');

export const parser: Parser = await createParser({ core: undefined, python: readFileSync(wasm) });

export const read = (text: string): Module => parse(parser, text);
