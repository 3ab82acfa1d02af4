/** `npm run fuzz:text`: real files, broken at random; whatever they hold, the engine answers, and soon. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chanceOf } from '../chance.ts';
import { type Answer, answer, createAsker } from './ask.ts';
import { excerpt, mutated } from './mutate.ts';
import { smallest } from './smaller.ts';

const USAGE = `npm run fuzz:text -- [FILE or FOLDER ...] [--n 1000] [--seed 1] [--lines 1200] [--seconds 60] [--slowest 10]

Without files: our own examples and specifications.
--n        how many mutants
--seed     which ones; mutant i of seed S is the same each time
--lines    of a longer file a stretch of so many lines
--seconds  how long is waited for an answer
--slowest  how many of the slowest are listed`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '1200' },
    seconds: { type: 'string', default: '60' },
    slowest: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
    answer: { type: 'boolean', default: false },
  },
});

const OWN = ['examples', 'test/spec'];

function sources(named: readonly string[]): string[] {
  return named.flatMap((name) => {
    if (!statSync(name).isDirectory()) return [name];
    const files = readdirSync(name, { recursive: true, encoding: 'utf8' }).map((file) => path.join(name, file));
    return files.filter((file) => /\.(py|md)$/.test(file) && statSync(file).isFile()).sort();
  });
}

/** Of a specification the code in it. */
function textOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!file.endsWith('.md')) return text;
  return [...text.matchAll(/^```py[^\n]*\n([\s\S]*?)^```/gm)].map(([, code = '']) => code).join('\n');
}

async function main(): Promise<number> {
  const files = sources(positionals.length > 0 ? positionals : OWN);
  if (files.length === 0) {
    console.error('no Python files there');
    return 2;
  }
  const asker = createAsker(fileURLToPath(import.meta.url), Number(values.seconds));
  const failures = new Map<string, number>();
  const times: { readonly seconds: number; readonly name: string }[] = [];
  for (let index = 0; index < Number(values.n); index++) {
    const chance = chanceOf(Number(values.seed) * 1_000_003 + index);
    const file = chance.oneOf(files) ?? '';
    const mutant = mutated(excerpt(textOf(file), chance, Number(values.lines)), chance);
    const outcome = await asker.ask(mutant);
    const name = `mutant ${index} of ${file}`;
    if ('seconds' in outcome) times.push({ seconds: outcome.seconds, name });
    if (outcome.is === 'well') continue;
    const kind = `${outcome.is}: ${outcome.error}`;
    failures.set(kind, (failures.get(kind) ?? 0) + 1);
    if (failures.get(kind) === 1) await show(name, kind, mutant, (text) => asker.ask(text));
  }
  asker.close();
  times.sort((a, b) => b.seconds - a.seconds);
  for (const { seconds, name } of times.slice(0, Number(values.slowest)))
    console.log(`${seconds.toFixed(2).padStart(8)} s  ${name}`);
  for (const [kind, count] of failures) console.log(`${`${count}`.padStart(8)}    ${kind}`);
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(
    `seed ${values.seed}: ${values.n} mutants of ${files.length} files, ${failed} failed, ${total.toFixed(0)} s CPU`,
  );
  return failed > 0 ? 1 : 0;
}

async function show(name: string, kind: string, mutant: string, ask: (text: string) => Promise<Answer>): Promise<void> {
  const text = await smallest(mutant, async (candidate) => {
    const outcome = await ask(candidate);
    return outcome.is !== 'well' && `${outcome.is}: ${outcome.error}` === kind;
  });
  console.log(`${name} ${kind}\n${JSON.stringify(text)}\n`);
}

if (values.answer) await answer();
else if (values.help) console.log(USAGE);
else process.exitCode = await main();
