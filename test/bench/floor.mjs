// The floor under any analysis of a folder, in a process of its own: read every Python file, parse it, visit every node
// once. Prints milliseconds, start-up included.
//   node floor.mjs FOLDER
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Language, Parser } from 'web-tree-sitter';

const grammar = createRequire(import.meta.url).resolve('tree-sitter-python/tree-sitter-python.wasm');
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(new Uint8Array(readFileSync(grammar))));

let seen = 0;
for (const name of readdirSync(process.argv[2], { recursive: true })) {
  if (!name.endsWith('.py')) continue;
  const tree = parser.parse(readFileSync(path.join(process.argv[2], name), 'utf8'));
  const cursor = tree.walk();
  do seen += cursor.nodeTypeId + cursor.startIndex + cursor.endIndex > 0 ? 1 : 0;
  while (advance(cursor));
  cursor.delete();
  tree.delete();
}
console.log(JSON.stringify({ milliseconds: performance.now(), nodes: seen }));

/** To the next node in document order. */
function advance(cursor) {
  if (cursor.gotoFirstChild()) return true;
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}
