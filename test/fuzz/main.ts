/** `npm run fuzz`: random programs, what the engine says of them, and what PyTorch does. */
import { parseArgs } from 'node:util';
import { type Comparison, type Contradiction, compare } from './compare.ts';
import { generate } from './generate.ts';
import { createPredict, type Predict } from './prediction.ts';
import { type Answer, type Oracle, startOracle } from './pytorch.ts';
import { specBlock } from './report.ts';
import { shrink } from './shrink.ts';
import { linesOf, type Program } from './statement.ts';

const BATCH = 200;

const USAGE = `npm run fuzz -- [--n 1000] [--seed 1] [--python python3] [--show 1] [--list 30]

--n       how many programs
--seed    which ones; program i of seed S is the same each time
--python  a Python that has torch and einops
--show    how many programs of each kind of contradiction are shrunk and printed
--list    how many lines of what was not told`;

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    python: { type: 'string', default: 'python3' },
    show: { type: 'string', default: '1' },
    list: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  const oracle = await startOracle(values.python, 'test/fuzz/pytorch.py');
  if (oracle === null) {
    console.error(`\`${values.python}\` has no torch: name a Python that has, --python .venv/bin/python`);
    return 2;
  }
  const version = oracle.version.split('.').slice(0, 2).join('.');
  const predict = await createPredict(version);
  const found = new Map<string, number>();
  const silent = new Map<string, number>();
  const total = { programs: 0, statements: 0, raises: 0, told: 0, contradictions: 0 };
  for (let from = 0; from < Number(values.n); from += BATCH) {
    const seeds = Array.from({ length: Math.min(BATCH, Number(values.n) - from) }, (_, i) => seedOf(from + i));
    const programs = seeds.map((seed) => generate(seed, predict, oracle.libraries));
    const answers = await oracle.answer(programs.map(linesOf));
    for (const [index, program] of programs.entries()) {
      const answer = answers[index] ?? null;
      if (answer === null) console.log(`PyTorch died of:\n${linesOf(program).join('\n')}\n`);
      const comparison = compare(program, predict(program), answer);
      total.programs++;
      total.statements += comparison.statements;
      total.raises += comparison.raises;
      total.told += comparison.told;
      for (const { op, what } of comparison.silences) count(silent, `${op}: ${what}`);
      const { contradiction } = comparison;
      if (contradiction === null) continue;
      total.contradictions++;
      const kind = `${contradiction.op}: ${contradiction.what}`;
      if (count(found, kind) <= Number(values.show)) await show(program, contradiction, predict, oracle);
    }
  }
  oracle.close();
  list('not told', silent, Number(values.list));
  list('contradictions', found, Number.POSITIVE_INFINITY);
  const { programs, statements, raises, told, contradictions } = total;
  const unknown = [...silent].reduce((sum, [what, times]) => (/: \w+Error: /.test(what) ? sum : sum + times), 0);
  console.log(
    `torch ${oracle.version}, seed ${values.seed}: ${programs} programs, ${statements} statements, ` +
      `${contradictions} contradictions, ${unknown} unknown, ${told} of ${raises} exceptions told`,
  );
  return contradictions > 0 ? 1 : 0;
}

const seedOf = (index: number): number => Number(values.seed) * 1_000_003 + index;

async function show(program: Program, found: Contradiction, predict: Predict, oracle: Oracle): Promise<void> {
  const verdict = (candidate: Program, answer: Answer): Comparison['contradiction'] => {
    const { contradiction } = compare(candidate, predict(candidate), answer);
    return contradiction?.op === found.op && contradiction.what === found.what ? contradiction : null;
  };
  const smallest = await shrink(program, async (candidates) => {
    const answers = await oracle.answer(candidates.map(linesOf));
    return candidates.map((candidate, index) => verdict(candidate, answers[index] ?? null) !== null);
  });
  const [answer = null] = await oracle.answer([linesOf(smallest)]);
  console.log(specBlock(smallest, answer, verdict(smallest, answer) ?? found, oracle.version));
}

function count(counts: Map<string, number>, key: string): number {
  const times = (counts.get(key) ?? 0) + 1;
  counts.set(key, times);
  return times;
}

function list(title: string, counts: ReadonlyMap<string, number>, most: number): void {
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  if (sorted.length > 0) console.log(`${title}:`);
  for (const [key, times] of sorted.slice(0, most)) console.log(`${`${times}`.padStart(6)}  ${key}`);
  if (sorted.length > most) console.log(`        and ${sorted.length - most} more`);
}

if (values.help) console.log(USAGE);
else process.exitCode = await main();
