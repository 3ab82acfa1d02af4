import type { Statement } from '../../syntax/ast.ts';
import type { Begun } from './units.ts';

/** What a change reaches: names of the top level that may stand for something else, and units that read such a name. */
export interface Reach {
  readonly names: ReadonlySet<string>;
  readonly units: ReadonlySet<Begun>;
}

/**
 * What statements that are others now bind; what is bound by a statement that reads such a name; and what such a statement may
 * have changed.
 */
export function reachOf(all: readonly Begun[], others: readonly Begun[]): Reach {
  const names = new Set<string>();
  const units = new Set(others);
  const values = valuesOf(all);
  for (let size = -1; size !== units.size; ) {
    size = units.size;
    for (const unit of units) {
      for (const name of unit.binds) names.add(name);
      if (DEFINES.has(unit.statement.kind)) continue;
      const isPlain = onlyBindsNames(unit.statement);
      for (const name of unit.names) if (!isPlain || values.has(name)) names.add(name);
    }
    for (const unit of all) if (!units.has(unit) && [...unit.names].some((name) => names.has(name))) units.add(unit);
  }
  return { names, units };
}

/** The names that statements bind which do more than to define. */
export const valuesOf = (units: readonly Begun[]): ReadonlySet<string> =>
  new Set(units.filter(({ statement }) => !DEFINES.has(statement.kind)).flatMap(({ binds }) => [...binds]));

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
