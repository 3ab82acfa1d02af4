import { admit } from '../roots/contexts.ts';
import { toldOf } from '../roots/given.ts';
import { wordsOf } from '../state/naming.ts';
import type { SourceFile } from '../state/program.ts';
import type { Numbers, Run } from '../state/run.ts';
import type { Pairs } from './pairs.ts';
import { addPlaces, type Place, relocated } from './places.ts';
import type { Program } from './program.ts';
import { reachOf } from './stale.ts';
import type { Begun, Outcome, Unit } from './units.ts';
import { hasWord, type Words } from './words.ts';

/** What an analysis leaves for the next one of the same file. */
export interface Past {
  readonly file: SourceFile;
  readonly units: readonly Unit[];
  /** What running the top level came to; null where a later text cannot go on from it. */
  readonly program: Program | null;
  readonly words: Words;
  /** The state of PyTorch in which functions are called. */
  readonly state: string;
  /** Where the numbers of the next analysis begin. */
  readonly numbers: Numbers;
}

/** What may be taken over from an earlier analysis, unit by unit. */
export interface Keeping {
  /** What came of a unit, placed where it stands now; null where it has to be analysed again. Asked in order. */
  outcomeOf(unit: Begun, entry: boolean): Outcome | null;
}

const NOTHING: Keeping = { outcomeOf: () => null };

export function keeping(
  run: Run,
  past: Past | null,
  pairs: Pairs,
  units: readonly Begun[],
  file: SourceFile,
  state: string,
): Keeping {
  if (past === null || past.state !== state) return NOTHING;
  const kept = new Set([...pairs.values()].map(({ old }) => old));
  const stale = reachOf(
    [...past.units, ...units],
    [...past.units.filter((unit) => !kept.has(unit)), ...units.filter(({ statement }) => !pairs.has(statement))],
  ).names;
  const places = new Map<number, Place>();
  for (const [statement, { old, nodes }] of pairs) addPlaces(old.statement, statement, nodes, places);
  return {
    outcomeOf(unit, entry) {
      const outcome = pairs.get(unit.statement)?.old.outcome;
      if (!outcome || outcome.entry !== entry || !isSame(run, outcome, stale, file)) return null;
      const traces = relocated(run.own, outcome.traces, places);
      if (traces === null || !admitsAlike(run, outcome)) return null;
      for (const [key, times] of outcome.lost) run.memory.lost.set(key, (run.memory.lost.get(key) ?? 0) + times);
      run.frozen = outcome.frozen[1];
      run.truncated ||= outcome.truncated;
      const before = run.steps;
      run.steps += outcome.steps;
      return { ...outcome, traces, before };
    },
  };
}

/** Whether an analysis would find all that it asked for as it did. */
function isSame(run: Run, outcome: Outcome, stale: ReadonlySet<string>, file: SourceFile): boolean {
  const { reading, before, steps, frozen } = outcome;
  if (frozen[0] !== run.frozen) return false;
  if (before !== run.steps && Math.max(before, run.steps) + steps > UNBOUNDED) return false;
  for (const name of reading.names) if (stale.has(name)) return false;
  const words = wordsOf(file);
  for (const [word, is] of reading.words) if (hasWord(words, word) !== is) return false;
  for (const question of ['often', 'mostly', 'bound', 'none', 'makers'] as const)
    for (const [name, told] of reading.given[question]) if (toldOf(file, question, name) !== told) return false;
  for (const [key, times] of reading.lost) if ((run.memory.lost.get(key) ?? 0) !== times) return false;
  return true;
}

/** As long as a file has taken no more steps than this, all its functions may take as many as any. */
export const UNBOUNDED = 840_000;

/** Whether the calls that were kept would be kept again; if so, they are. */
function admitsAlike(run: Run, { reading }: Outcome): boolean {
  const kinds = [...reading.kinds.values()];
  const before = new Map(kinds.map(({ kind }) => [kind.of, run.contexts.get(kind.of) ?? new Map()]));
  if (kinds.every(({ kind, kept }) => admit(run.contexts, kind) === kept)) return true;
  for (const [of, known] of before) run.contexts.set(of, known);
  return false;
}
