// What an op costs: chains of ops as models have them, through the engine with numbers for sizes and with symbols, and
// where torch is installed through its meta device. CPU nanoseconds an op, the median of rounds that take turns.
//   node test/bench/chains.mjs [--python PATH] [--rounds N] [--only NAME] [--engine FOLDER]
//
// Both sides run the functions of chains/chains.py and keep every result.
// - The engine's time holds the look-up of the op, argument binding, the op, what it demands learned, and a value with a
//   storage of its own for the result; not parsing, nor the evaluator's bookkeeping of names and events.
// - torch's time holds the Python interpreter's loop over the same expressions, which who uses the meta device pays too.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { programs } from './chains/program.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHAINS = path.join(ROOT, 'test/bench/chains/chains.py');
const SECONDS = 0.15;

const { values: options } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    engine: { type: 'string', default: path.join(ROOT, 'engine') },
  },
});

const engine = await loadEngine(path.resolve(options.engine));
const parser = await engine.createParser(grammar());
const text = readFileSync(CHAINS, 'utf8');
const wanted = ({ name }) => options.only === undefined || name === options.only;
const concrete = programs(engine, parser, text, { symbolic: false }).filter(wanted);
const symbolic = programs(engine, parser, text, { symbolic: true }).filter(wanted);
const torch = await startTorch();

const rows = concrete.map(({ name }) => ({ name, concrete: [], symbolic: [], torch: [] }));
for (const { run } of [...concrete, ...symbolic]) passes(run, SECONDS);
for (let round = 0; round < Number(options.rounds); round++) {
  for (const [i, row] of rows.entries()) {
    row.concrete.push(passes(concrete[i].run, SECONDS));
    row.symbolic.push(passes(symbolic[i].run, SECONDS));
    if (torch !== null) row.torch.push(await torch.passes(row.name, SECONDS));
  }
}
torch?.end();
report();

/** CPU nanoseconds a pass; garbage collection on other threads counts. */
function passes(run, seconds) {
  let count = 0;
  let spent = 0;
  const start = process.cpuUsage();
  for (; spent < seconds * 1e6; count += 100) {
    for (let i = 0; i < 100; i++) run();
    const { user, system } = process.cpuUsage(start);
    spent = user + system;
  }
  return (spent / count) * 1000;
}

function report() {
  const perOp = (samples, ops) => [...samples].sort((a, b) => a - b)[samples.length >> 1] / ops;
  const cell = (value, width = 10) => value.padStart(width);
  const ns = (value) => cell(Math.round(value).toLocaleString('en'));
  const times = (a, b) => cell(`${(b / a).toFixed(1)}x`);
  console.log(
    `CPU nanoseconds an op${torch === null ? ' (no torch found: --python PATH)' : `, torch ${torch.version}`}`,
  );
  console.log(
    ['ops', 'engine', 'symbolic', 'meta', 'meta/engine'].reduce((line, head) => line + cell(head), ' '.repeat(10)),
  );
  const totals = { ops: 0, concrete: 0, symbolic: 0, torch: 0 };
  for (const [i, row] of rows.entries()) {
    const { ops, faults } = concrete[i].frame;
    const cost = Object.fromEntries(['concrete', 'symbolic', 'torch'].map((side) => [side, perOp(row[side], ops)]));
    print(row.name, ops, cost);
    for (const side of ['concrete', 'symbolic', 'torch']) totals[side] += cost[side];
    totals.ops += ops;
    for (const fault of new Set([...faults, ...symbolic[i].frame.faults])) console.log(`  not told: ${fault}`);
  }
  const mean = Object.fromEntries(['concrete', 'symbolic', 'torch'].map((side) => [side, totals[side] / rows.length]));
  print('mean', totals.ops, mean);

  function print(name, ops, cost) {
    const compared = torch === null ? '' : ns(cost.torch) + times(cost.concrete, cost.torch);
    console.log(name.padEnd(10) + cell(String(ops)) + ns(cost.concrete) + ns(cost.symbolic) + compared);
  }
}

/** Built into a folder from which the packages that the engine imports are found. */
async function loadEngine(folder) {
  const outfile = path.join(ROOT, '.cache/bench/engine.mjs');
  mkdirSync(path.dirname(outfile), { recursive: true });
  const rooms = ['symbols', 'tensor', 'ops', 'syntax'].map((room) => `export * from './${room}/index.ts';`);
  await build({
    stdin: { contents: [...rooms, "export * from './values/value.ts';"].join('\n'), resolveDir: folder, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['web-tree-sitter'],
  });
  return import(pathToFileURL(outfile).href);
}

function grammar() {
  const require = createRequire(import.meta.url);
  const read = (name) => new Uint8Array(readFileSync(require.resolve(name)));
  return {
    core: read('web-tree-sitter/web-tree-sitter.wasm'),
    python: read('tree-sitter-python/tree-sitter-python.wasm'),
  };
}

/** Null where there is no torch. */
async function startTorch() {
  const { python } = options;
  if (spawnSync(python, ['-c', 'import torch']).status !== 0) return null;
  const child = spawn(python, [path.join(ROOT, 'test/bench/chains/meta.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('torch ended early');
    return value;
  };
  return {
    version: await next(),
    async passes(name, seconds) {
      child.stdin.write(`${name} ${seconds}\n`);
      return Number(await next());
    },
    end: () => child.stdin.end(),
  };
}
