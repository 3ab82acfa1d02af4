import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createParser, type Parser } from '../engine/index.ts';

/** The parser, from the two WebAssembly files that the build puts beside the bundle; run from sources, from their packages. */
export async function loadParser(): Promise<Parser> {
  const [core, python] = await Promise.all([
    readFile(locate('web-tree-sitter.wasm', 'web-tree-sitter/web-tree-sitter.wasm')),
    readFile(locate('tree-sitter-python.wasm', 'tree-sitter-python/tree-sitter-python.wasm')),
  ]);
  return createParser({ core, python });
}

function locate(bundled: string, packaged: string): string {
  const beside = fileURLToPath(new URL(bundled, import.meta.url));
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve(packaged);
}
