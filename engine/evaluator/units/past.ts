import type { Statement } from '../../syntax/ast.ts';
import { bodiesOf, type Counterparts, counterparts } from '../../syntax/index.ts';
import { admit } from '../roots/contexts.ts';
import { toldOf } from '../roots/given.ts';
import { saidIn } from '../roots/said.ts';
import { wordsOf } from '../state/naming.ts';
import type { SourceFile } from '../state/program.ts';
import type { Numbers, Run } from '../state/run.ts';
import { addPlaces, type Place, relocated } from './places.ts';
import type { Outcome, Unit } from './units.ts';
import { hasWord, type Words } from './words.ts';

/** What an analysis leaves for the next one of the same file. */
export interface Past {
  readonly file: SourceFile;
  readonly units: readonly Unit[];
  readonly words: Words;
  /** The state of PyTorch in which functions are called. */
  readonly state: string;
  /** Where the numbers of the next analysis begin. */
  readonly numbers: Numbers;
}

/** A unit before its functions are analysed. */
export type Begun = Omit<Unit, 'outcome'>;

/** The units of a file without what comes of running them. */
export function unitTexts(file: SourceFile): readonly string[] {
  const { body } = file.module;
  return body.map((_, index) => file.text.slice(body[index - 1]?.end ?? 0, body[index + 1]?.start ?? file.text.length));
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
  units: readonly Begun[],
  file: SourceFile,
  state: string,
): Keeping {
  if (past === null || past.state !== state) return NOTHING;
  const pairs = paired(past, units, file);
  const stale = staleNames(past.units, units, pairs);
  if (stale === null) return NOTHING;
  const places = new Map<number, Place>();
  for (const [unit, { old, nodes }] of pairs) addPlaces(old.statement, unit.statement, nodes, places);
  return {
    outcomeOf(unit, entry) {
      const outcome = pairs.get(unit)?.old.outcome;
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

// ---- which units are as they were ----------------------------------------------------------------------

/** A unit of the earlier text, and for its nodes those of the one that says the same. */
interface Pair {
  readonly old: Unit;
  readonly nodes: Counterparts;
}

/** Units that say the same, in the same order. */
function paired(past: Past, now: readonly Begun[], file: SourceFile): ReadonlyMap<Begun, Pair> {
  const pairs = new Map<Begun, Pair>();
  const { units: before } = past;
  const pair = (a: Unit | undefined, b: Begun | undefined): boolean => {
    const nodes = a && b ? sameSaid(past.file, a, file, b) : null;
    if (!a || !b || nodes === null) return false;
    pairs.set(b, { old: a, nodes });
    return true;
  };
  let front = 0;
  while (pair(before[front], now[front])) front++;
  for (let [a, b] = [before.length - 1, now.length - 1]; a >= front && b >= front && pair(before[a], now[b]); a--) b--;
  return pairs;
}

/** For the nodes of a unit those of one that says the same, or null. */
function sameSaid(before: SourceFile, a: Begun, file: SourceFile, b: Begun): Counterparts | null {
  if (a.text === b.text && sharesNodes(a.statement, b.statement)) return () => undefined;
  const nodes = counterparts(a.statement, b.statement);
  return nodes && saidIn(before, a.statement) === saidIn(file, b.statement) ? nodes : null;
}

function sharesNodes(a: Statement, b: Statement): boolean {
  if (a === b) return true;
  if (a.kind === 'FunctionDef') return b.kind === 'FunctionDef' && a.body === b.body && a.args === b.args;
  const [inner, other] = [bodiesOf(a), bodiesOf(b)];
  return (
    a.kind === b.kind &&
    inner.every((body, i) => body.every((each, j) => other[i]?.[j] !== undefined && sharesNodes(each, other[i][j])))
  );
}

/**
 * The names of the top level that may stand for something else than before. What a statement that is another binds; what is
 * bound by a statement that reads such a name; and what such a statement may have changed. Null where that may be anything.
 */
function staleNames(
  before: readonly Unit[],
  now: readonly Begun[],
  pairs: ReadonlyMap<Begun, Pair>,
): ReadonlySet<string> | null {
  const stale = new Set<string>();
  const kept = new Set([...pairs.values()].map(({ old }) => old));
  const all = [...before, ...now];
  const changed = new Set<Begun>([
    ...before.filter((unit) => !kept.has(unit)),
    ...now.filter((unit) => !pairs.has(unit)),
  ]);
  const values = new Set(
    all.filter(({ statement }) => !DEFINES.has(statement.kind)).flatMap(({ binds }) => [...binds]),
  );
  for (let size = -1; size !== changed.size; ) {
    size = changed.size;
    for (const unit of changed) {
      for (const name of unit.binds) stale.add(name);
      if (DEFINES.has(unit.statement.kind)) continue;
      const isPlain = onlyBindsNames(unit.statement);
      for (const name of unit.names) if (!isPlain || values.has(name)) stale.add(name);
    }
    for (const unit of all)
      if (!changed.has(unit) && [...unit.names].some((name) => stale.has(name))) changed.add(unit);
  }
  return stale;
}

/** Running one of these changes nothing but what its names stand for. */
const DEFINES: ReadonlySet<Statement['kind']> = new Set([
  'FunctionDef',
  'ClassDef',
  'Import',
  'ImportFrom',
  'Pass',
  'BadStatement',
]);

/** Whether a statement only gives names to a value, whose making may change other values. */
function onlyBindsNames(statement: Statement): boolean {
  if (statement.kind === 'AnnAssign') return statement.target.kind === 'Name';
  if (statement.kind === 'Expr') return statement.value.kind === 'Constant';
  return statement.kind === 'Assign' && statement.targets.every((target) => target.kind === 'Name');
}

/** Whether an analysis would find all that it asked for as it did. */
function isSame(run: Run, outcome: Outcome, stale: ReadonlySet<string>, file: SourceFile): boolean {
  const { reading, before, steps, frozen } = outcome;
  if (frozen[0] !== run.frozen) return false;
  if (before !== run.steps && Math.max(before, run.steps) + steps > UNBOUNDED) return false;
  for (const name of reading.names) if (stale.has(name)) return false;
  const words = wordsOf(file);
  for (const [word, is] of reading.words) if (hasWord(words, word) !== is) return false;
  for (const [name, told] of reading.given) if (toldOf(file, name) !== told) return false;
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
