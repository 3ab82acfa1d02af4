// How many of the calls of torch that code makes the engine has an entry for, and which of the rest are made most often.
//   node test/coverage/calls.mjs FOLDER... [--rest N] [--tensors]
// A call counts where its callee resolves through the file's imports to a name of torch. With --tensors every file is
// analysed too, which takes longer, and methods count whose receiver the evaluator knows to be a tensor.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rest: { type: 'string', default: '40' }, tensors: { type: 'boolean', default: false } },
});
if (positionals.length === 0) {
  console.error('usage: npm run count-calls -- FOLDER... [--rest N] [--tensors]');
  process.exit(2);
}

// Beside node_modules, where the bundle finds the parser.
const outfile = path.join(ROOT, '.cache/count-calls.mjs');
await build({
  entryPoints: [path.join(ROOT, 'test/coverage/calls.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  external: ['web-tree-sitter'],
  logLevel: 'warning',
});
const { counter } = await import(pathToFileURL(outfile).href);

const grammar = (name) => readFileSync(path.join(ROOT, 'node_modules', name));
const count = await counter(
  {
    core: grammar('web-tree-sitter/web-tree-sitter.wasm'),
    python: grammar('tree-sitter-python/tree-sitter-python.wasm'),
  },
  values.tensors,
);
for (const folder of positionals) for (const file of filesOf(folder)) count.add(file, readFileSync(file, 'utf8'));

const { calls, known, rest } = count.result();
for (const [name, times] of rest.slice(0, Number(values.rest))) console.log(`${String(times).padStart(6)}  ${name}`);
console.log(
  `${known} of ${calls} calls have an entry: ${((100 * known) / calls).toFixed(2)} %, ${rest.length} names have none`,
);

function filesOf(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.py'))
    .sort()
    .map((name) => path.join(folder, name));
}
