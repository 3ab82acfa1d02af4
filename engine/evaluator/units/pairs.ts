import type { Statement } from '../../syntax/ast.ts';
import { bodiesOf, type Counterparts, counterparts } from '../../syntax/index.ts';
import { saidIn } from '../roots/said.ts';
import type { SourceFile } from '../state/program.ts';
import type { Unit } from './units.ts';

/** A unit of an earlier text, and what its nodes are in the one that says the same now; null where they are the very same. */
export interface Pair {
  readonly old: Unit;
  readonly nodes: Counterparts | null;
}

/** By statements of the top level, in order: the units that say the same. */
export type Pairs = ReadonlyMap<Statement, Pair>;

/** The units of a file without what comes of running them. */
export function unitTexts(file: SourceFile): readonly string[] {
  const { body } = file.module;
  return body.map((_, index) => file.text.slice(body[index - 1]?.end ?? 0, body[index + 1]?.start ?? file.text.length));
}

export function paired(units: readonly Unit[], before: SourceFile, file: SourceFile): Pairs {
  const pairs = new Map<Statement, Pair>();
  const texts = unitTexts(file);
  const { body } = file.module;
  const pair = (old: Unit | undefined, index: number): boolean => {
    const [now, text] = [body[index], texts[index]];
    if (!old || !now || text === undefined) return false;
    if (old.text === text && sharesNodes(old.statement, now)) {
      pairs.set(now, { old, nodes: null });
      return true;
    }
    const nodes = counterparts(old.statement, now);
    if (nodes === null || saidIn(before, old.statement) !== saidIn(file, now)) return false;
    pairs.set(now, { old, nodes });
    return true;
  };
  let front = 0;
  while (pair(units[front], front)) front++;
  for (let [a, b] = [units.length - 1, body.length - 1]; a >= front && b >= front && pair(units[a], b); a--) b--;
  return pairs;
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
