import type { OpContext } from '../ops/context.ts';
import { integerOf } from '../ops/convert.ts';
import { truthOf } from '../ops/families/dropouts.ts';
import { divideExactly, floorDiv, type SymInt, type Truth } from '../symbols/index.ts';
import { boolValue, intValue, tupleOf, unknown, type Value } from '../values/value.ts';

/** Whether a flag of a constructor is set; one that is not known counts as set, as nearly all are. */
export const given = (flag: Value): boolean => truthOf(flag) !== false;

/** One size per spatial dim from a number or a tuple; what is not known becomes a symbol. */
export function sizesOf(value: Value, count: number, hint: string, context: OpContext): readonly SymInt[] {
  const items = value.kind === 'tuple' ? value.items : [];
  const lone = value.kind === 'tuple' ? null : sizeOf(value, hint, context);
  return Array.from({ length: count }, (_, d) => lone ?? sizeOf(items[d] ?? unknown(hint), hint, context));
}

/** A size from a number. */
export const sizeOf = integerOf;

export const tupleOfSizes = (sizes: readonly SymInt[]): Value => tupleOf(sizes.map(intValue));

/** `a // b`, without a remainder where that is provable. */
export const quotient = (a: SymInt, b: SymInt): SymInt => divideExactly(a, b) ?? floorDiv(a, b);

/** The training mode as a value. */
export const truthValue = (truth: Truth): Value =>
  truth === undefined ? unknown('the mode is not known') : boolValue(truth);

/** Modules read their own mode where the program set it, else that of the context. */
export const trains = (training: Value, context: OpContext): Value =>
  truthOf(training) === undefined || training.kind === 'none' ? truthValue(context.training) : training;
