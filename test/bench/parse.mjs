// Whether native tree-sitter would pay: CPU milliseconds to parse and record once every .py file under a folder, and whether
// both back ends record the same. Each runs in a process of its own, since loading a native binary that asks for a newer Node
// ends the process.
//   node test/bench/parse.mjs FOLDER [DIRECTORY]      DIRECTORY: where `npm i tree-sitter@0.25.1 tree-sitter-python@0.25.0` was run
// Seen on Node 20 and Linux, native compiled from source, 286 files: WASM 1355, native 1170 (a seventh less), the same record.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const here = fileURLToPath(import.meta.url);
const [, , folder, directory, role, built] = process.argv;
if (folder === undefined) {
  console.error('usage: node test/bench/parse.mjs FOLDER [DIRECTORY]');
  process.exit(2);
}
if (role === undefined) compare();
else await measure();

function compare() {
  const output = mkdtempSync(join(tmpdir(), 'parse-'));
  const room = resolve(here, '../../../engine/syntax');
  buildSync({
    entryPoints: [join(room, 'tape.ts')],
    outfile: join(output, 'tape.mjs'),
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  for (const backend of directory === undefined ? ['wasm'] : ['wasm', 'native']) {
    const args = [here, folder, directory ?? '', backend, join(output, 'tape.mjs')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    console.log(backend, status === 0 ? stdout.trim() : `is not usable here: ${stderr.trim().split('\n').at(-1)}`);
  }
  rmSync(output, { recursive: true });
}

async function measure() {
  const { createTape, record, recordBroken } = await import(pathToFileURL(built).href);
  const { kinds, walk } = role === 'wasm' ? await wasm() : native();
  const tape = createTape(kinds);
  const texts = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.py'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const pass = (seen) => {
    for (const text of texts) {
      walk(text, (cursor, broken) => (broken ? recordBroken(tape, cursor) : record(tape, cursor, text)));
      seen(tape);
    }
  };
  pass(() => {});
  const before = process.cpuUsage();
  pass(() => {});
  const { user, system } = process.cpuUsage(before);
  const hash = createHash('sha256');
  pass(({ ids, starts, ends, nexts, length }) => {
    for (const array of [ids, starts, ends, nexts]) hash.update(array.subarray(0, length));
  });
  console.log(
    `${Math.round((user + system) / 1000)} ms  record ${hash.digest('hex').slice(0, 16)}  ${texts.length} files`,
  );
}

async function wasm() {
  const { Parser, Language } = await import('web-tree-sitter');
  await Parser.init();
  const grammar = createRequire(here).resolve('tree-sitter-python/tree-sitter-python.wasm');
  const language = await Language.load(grammar);
  const parser = new Parser();
  parser.setLanguage(language);
  const walk = (text, visit) => {
    const tree = parser.parse(text);
    const cursor = tree.walk();
    visit(cursor, tree.rootNode.hasError);
    cursor.delete();
    tree.delete();
  };
  const kinds = {
    name: (id) => language.nodeTypeForId(id),
    isNamed: (id) => language.nodeTypeIsNamed(id),
    count: language.nodeTypeCount,
  };
  return { kinds, walk };
}

/** Its language tells no kinds by number, but the grammar is the same, so parser.c can be asked. */
function native() {
  const require = createRequire(join(resolve(directory), 'package.json'));
  const parser = new (require('tree-sitter'))();
  parser.setLanguage(require('tree-sitter-python'));
  const source = readFileSync(require.resolve('tree-sitter-python/src/parser.c'), 'utf8');
  const section = (name) => source.slice(source.indexOf(`${name}[`)).split('\n};')[0];
  const symbols = [...section('ts_symbol_names').matchAll(/\[(\w+)\] = "((?:[^"\\]|\\.)*)"/g)];
  const named = new Set(
    [...section('ts_symbol_metadata').matchAll(/\[(\w+)\] = \{[^}]*\.named = true/g)].map((m) => m[1]),
  );
  const kinds = {
    name: (id) => JSON.parse(`"${symbols[id]?.[2] ?? ''}"`),
    isNamed: (id) => named.has(symbols[id]?.[1]),
    count: symbols.length,
  };
  // A string is handed over in one piece only up to 32,768 units.
  const walk = (text, visit) => {
    const tree = parser.parse((index) => text.slice(index, index + 30_000));
    visit(tree.walk(), tree.rootNode.hasError);
  };
  return { kinds, walk };
}
