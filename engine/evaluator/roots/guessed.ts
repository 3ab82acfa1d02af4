import type { Outcome } from '../../ops/outcome.ts';
import { isFault, isFloat, unsure } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';

/** An operand that is not known, beside a tensor, is taken for a number. */
export const numberIfUnknown = (value: Value): Value =>
  value.kind === 'unknown' ? { kind: 'float', value: null } : value;

/**
 * What an operator does where an operand was taken for a number: which kind of number it is stays open, and with it the
 * dtype of what is not floating anyway, and whether dtypes clash.
 */
export function ofGuessedNumber(outcome: Outcome, operands: readonly Value[]): Outcome {
  const { result } = outcome;
  if (!operands.some(({ kind }) => kind === 'unknown')) return outcome;
  if (isFault(result)) {
    const clash = result.fault === 'raises' && CLASHES.has(result.cause.is);
    return clash ? { ...outcome, result: unsure('an operand is not known') } : outcome;
  }
  if (result.is !== 'fresh' || result.dtype === 'bool') return outcome;
  const floating = operands.some((value) => value.kind === 'tensor' && value.dtype !== null && isFloat(value.dtype));
  return floating ? outcome : { ...outcome, result: { ...result, dtype: null } };
}

const CLASHES: ReadonlySet<string> = new Set(['argument', 'dtype-differs', 'cannot-cast', 'number-overflows']);
