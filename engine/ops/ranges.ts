import { ceilDiv, int, type SymInt, sub, symbol } from '../symbols/index.ts';
import { type Result, raises } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { Call } from './context.ts';
import type { Scalar } from './signature.ts';

/** Tensors of no more elements than this keep them. */
export const FEW = 256;

interface Range {
  readonly length: SymInt;
  readonly elements: readonly number[] | null;
}

/** What `arange` makes: `ceil((end - start) / step)` entries. */
export function rangeOf(start: Scalar, end: Scalar, step: Scalar, call: Call): Result<Range> {
  const bounds = [start, end, step].map(numberOf);
  const [from, to, by] = bounds;
  if (by === 0) return raises({ is: 'argument', name: 'step', got: '0', expects: 'a step other than 0' });
  if (typeof from === 'number' && typeof to === 'number' && typeof by === 'number') {
    if (by > 0 ? to < from : to > from)
      return raises({ is: 'argument', name: 'end', got: `${to}`, expects: 'an end beyond the start' });
    const length = Math.ceil((to - from) / by);
    const whole = bounds.every((bound) => Number.isInteger(bound)) && length <= FEW;
    return { length: int(length), elements: whole ? Array.from({ length }, (_, i) => from + i * by) : null };
  }
  const [first, last, stride] = [start, end, step].map(integerAmong);
  if (!first || !last || !stride) return { length: call.context.fresh('steps'), elements: null };
  return { length: stride.constant === 1 ? sub(last, first) : ceilDiv(sub(last, first), stride), elements: null };
}

/** The integer that a bound is; an unknown that has a symbol is taken for one, as in any other size. */
function integerAmong(bound: Value): SymInt | null {
  if (bound.kind === 'int') return bound.value;
  return bound.kind === 'unknown' && bound.symbol !== undefined ? symbol(bound.symbol) : null;
}

/** The value of a number, null where it is not known. */
export function numberOf(value: Scalar): number | null {
  if (value.kind === 'int') return value.value.constant;
  if (value.kind === 'float') return value.value;
  return value.kind === 'bool' ? Number(value.value) : null;
}
