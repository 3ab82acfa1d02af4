import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { check, createEngine, createParser, type Engine, facts } from '../../../engine/index.ts';
import { parse } from '../../../engine/syntax/index.ts';
import { keepHeapSmall } from '../../../server/heap.ts';
import { createImports } from '../../../server/workspace/imports.ts';
import { nodeDisk } from '../../../server/workspace/node-disk.ts';
import { readSource } from '../../../server/workspace/source.ts';
import { chanceOf } from '../../fuzz/chance.ts';
import { edited } from './edit.ts';

keepHeapSmall();
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    compare: { type: 'string', default: '10' },
    memory: { type: 'string', default: '0' },
  },
});

/** So many times the memory after a hundred edits, and no more, after any number of them. */
const MOST_GROWTH = 1.5;

/** Milliseconds of CPU time, which other programs on the machine change least. */
function timed<Result>(work: () => Result): readonly [milliseconds: number, result: Result] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1000, result];
}

const file = path.resolve(positionals[0] ?? `${timm()}/models/vision_transformer.py`);
const text = readFileSync(file, 'utf8');
const require = createRequire(`${process.cwd()}/`);
const wasm = (name: string): Buffer => readFileSync(require.resolve(name));
const parser = await createParser({
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});
const imports = createImports(nodeDisk, () => []);
const texts = new Map<string, string | null>();

function read(name: string): string | null {
  const source = texts.has(name) ? (texts.get(name) ?? null) : readSource(nodeDisk, name);
  const found = typeof source === 'string' ? source : null;
  texts.set(name, found);
  return found;
}

const newEngine = (): Engine => createEngine({ resolve: imports.resolve, read }, parser);

function says(engine: Engine, now: string) {
  engine.update(file, now);
  const analysis = engine.analyze(file);
  return { findings: check(analysis, {}), rows: facts(analysis), truncated: analysis.truncated };
}

const engine = newEngine();
const original = says(engine, text);
const whole: number[] = [];
for (let run = 0; run < 3; run++) whole.push(timed(() => says(newEngine(), `${text}\n`))[0]);
says(engine, text);

const times: number[] = [];
let different = 0;
for (let index = 0; index < Number(values.n); index++) {
  const now = edited(text, chanceOf(Number(values.seed) * 1_000_003 + index));
  for (const next of [now, text]) {
    const [milliseconds, said] = timed(() => says(engine, next));
    times.push(milliseconds);
    if (next !== text && index % Number(values.compare) !== 0) continue;
    const wanted = next === text ? original : says(newEngine(), next);
    if (isDeepStrictEqual(said, wanted)) continue;
    different++;
    console.log(`edit ${index}${next === text ? ', undone' : ''}: not what a new engine says`);
  }
}

const sorted = times.toSorted((a, b) => a - b);
const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
const floor = Math.min(...Array.from({ length: 5 }, () => timed(() => parse(parser, text))[0]));
const shown = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;
const best = Math.min(...whole);
console.log(
  `${path.basename(file)}: ${text.split('\n').length} lines, ${values.n} edits and their undoing, ${different} different`,
);
console.log(
  `  half ${shown(at(0.5))}, 80 % ${shown(at(0.8))}, 90 % ${shown(at(0.9))}, 95 % ${shown(at(0.95))}, longest ${shown(at(1))}`,
);
console.log(`  within 30 ms: ${((100 * times.filter((each) => each <= 30).length) / times.length).toFixed(1)} %`);
console.log(
  `  a whole analysis ${shown(best)}, ${(best / at(0.5)).toFixed(1)} times half; floor ${shown(floor)}, half is ${(at(0.5) / floor).toFixed(2)} times the floor`,
);
const isBounded = Number(values.memory) === 0 || memoryAfter(Number(values.memory)) <= MOST_GROWTH;
process.exitCode = different > 0 || !isBounded ? 1 : 0;

/**
 * How many times that after a hundred edits the memory after so many is. What the collector has not got round to is not held,
 * but it counts for the peak.
 */
function memoryAfter(most: number): number {
  const held = (): number => {
    globalThis.gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return (heapUsed + arrayBuffers) / 2 ** 20;
  };
  const peak = (): number => process.resourceUsage().maxRSS / 1024;
  let [first, early] = [0, 0];
  for (let index = 1; index <= most; index++) {
    says(engine, edited(text, chanceOf(index)));
    if (index === 100) [first, early] = [held(), peak()];
    if (index % 1000 === 0) console.log(`  after ${index} edits ${held().toFixed(0)} MB, peak ${peak().toFixed(0)} MB`);
  }
  const [last, late] = [held(), peak()];
  const grown = (from: number, to: number): string =>
    `${from.toFixed(0)} MB, after ${most} ${to.toFixed(0)} MB: ${(to / from).toFixed(2)} times`;
  console.log(`  memory held after 100 edits ${grown(first, last)}`);
  console.log(`  peak after 100 edits ${grown(early, late)}`);
  return last / first;
}

/** The library's sources alone: no torch, nothing that it needs to run. */
function timm(): string {
  const target = path.resolve('.cache/timm');
  if (!existsSync(path.join(target, 'timm'))) {
    const options = ['--quiet', '--no-deps', '--root-user-action=ignore', '--target', target];
    execFileSync('python3', ['-m', 'pip', 'install', ...options, 'timm==1.0.29'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return path.join(target, 'timm');
}
