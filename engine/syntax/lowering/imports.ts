import type { Alias } from '../ast.ts';
import { kindAt, operands } from '../tape.ts';
import { dottedAt, type Lowering, textAt } from './lowering.ts';

/** `entries` are dotted names, `name as alias` and `*`. */
export function importNames(lowering: Lowering, entries: readonly number[]): Alias[] {
  const { tape } = lowering;
  return entries.map((entry) => {
    const [name, alias] = operands(tape, entry);
    if (kindAt(tape, entry) !== 'aliased_import' || name === undefined || alias === undefined) {
      return { name: dottedAt(lowering, entry), asname: null };
    }
    return { name: dottedAt(lowering, name), asname: textAt(lowering, alias) };
  });
}

export function importFrom(
  lowering: Lowering,
  entry: number,
  kind: string,
): { module: string; level: number; names: Alias[] } {
  const { tape } = lowering;
  const parts = operands(tape, entry);
  if (kind === 'future_import_statement') {
    return { module: '__future__', level: 0, names: importNames(lowering, parts) };
  }
  const [from, ...names] = parts;
  const dotted = from === undefined ? '' : dottedAt(lowering, from);
  const level = dotted.length - dotted.replace(/^\.+/, '').length;
  return { module: dotted.slice(level), level, names: importNames(lowering, names) };
}
