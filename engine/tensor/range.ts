import { type DType, isComplex, realOf } from './dtype.ts';

/** The largest finite number of a floating dtype (`torch.finfo(dtype).max`). */
const LARGEST: Readonly<Partial<Record<DType, number>>> = {
  float16: 65504,
  bfloat16: (2 - 2 ** -7) * 2 ** 127,
  float32: (2 - 2 ** -23) * 2 ** 127,
  float64: Number.MAX_VALUE,
  float8_e4m3fn: 448,
  float8_e5m2: 57344,
  float8_e4m3fnuz: 240,
  float8_e5m2fnuz: 57344,
};

/** The numbers that an integer dtype holds (`torch.iinfo`); the bounds of int64 and uint64 are the nearest doubles. */
const INTEGERS: Readonly<Partial<Record<DType, readonly [least: number, most: number]>>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  int16: [-32768, 32767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  uint16: [0, 65535],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};

/** A Python number on its way into a tensor. */
export interface Constant {
  readonly value: number;
  readonly kind: 'int' | 'float';
}

/**
 * Whether a dtype holds a number, as `c10::overflows` has it: an infinity or NaN fits every floating dtype and no integer
 * one, bool takes all, and a negative integer wraps around in an unsigned dtype as long as its size fits, unless `strictly`.
 */
export function holds(dtype: DType, { value, kind }: Constant, strictly = false): boolean {
  if (dtype === 'bool') return true;
  const integers = INTEGERS[dtype];
  if (integers !== undefined) {
    const [least, most] = integers;
    const lowest = least === 0 && kind === 'int' && !strictly ? -most : least;
    return value >= lowest && value <= most;
  }
  const largest = LARGEST[isComplex(dtype) ? realOf(dtype) : dtype];
  return largest === undefined || !Number.isFinite(value) || Math.abs(value) <= largest;
}
