import { ONE, type SymInt } from '../symbols/index.ts';
import { type DType, type Fault, holds, isComplex, isFloat, raises, unsure } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { type Call, since } from './context.ts';

/** "value cannot be converted to type c10::Half without overflow": where a number is converted before it is written. */
export function overflows(name: string, value: Value | null, dtype: DType | null): Fault | null {
  return outside(name, value, dtype, false);
}

/** The same where PyTorch takes no negative numbers for unsigned ones: padding. */
export function overflowsStrictly(name: string, value: Value | null, dtype: DType | null): Fault | null {
  return outside(name, value, dtype, true);
}

/** Python data becomes an infinity in a floating dtype, and raises in an integer one. */
export function overflowsIntegers(name: string, value: Value | null, dtype: DType | null): Fault | null {
  return dtype !== null && (isFloat(dtype) || isComplex(dtype)) ? null : outside(name, value, dtype, false);
}

/**
 * Filling `count` elements. A single one of half precision is not looked at since 2.13 (`scalar_fill`): it becomes an
 * infinity. So does what is stored under an index, which goes through such a tensor.
 */
export function overflowsFilled(
  name: string,
  value: Value | null,
  dtype: DType | null,
  count: SymInt,
  call: Call,
): Fault | null {
  const half = dtype === 'float16' || dtype === 'bfloat16';
  const wrong = outside(name, value, dtype, false);
  if (wrong === null || !half || !since(call, 2, 13)) return wrong;
  const several = call.ask.less(ONE, count);
  return several === undefined ? unsure('how many elements are filled is not known') : several ? wrong : null;
}

function outside(name: string, value: Value | null, dtype: DType | null, strictly: boolean): Fault | null {
  const number = value?.kind === 'int' ? value.value.constant : value?.kind === 'float' ? value.value : null;
  if (number === null || dtype === null || (value?.kind !== 'int' && value?.kind !== 'float')) return null;
  if (holds(dtype, { value: number, kind: value.kind }, strictly)) return null;
  return raises({ is: 'number-overflows', name, number: written(number), dtype });
}

/** As Python writes it: `1e+16`, `inf`. */
const written = (number: number): string =>
  Number.isFinite(number) ? `${number}` : Number.isNaN(number) ? 'nan' : number < 0 ? '-inf' : 'inf';
