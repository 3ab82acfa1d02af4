import { type DType, isComplex, realOf } from './dtype.ts';

/** What `torch.finfo` says of a floating dtype. `tiny` is the least normal number. */
interface Floating {
  readonly max: number;
  readonly eps: number;
  readonly tiny: number;
}

const FLOATS: Readonly<Partial<Record<DType, Floating>>> = {
  float16: { max: 65504, eps: 2 ** -10, tiny: 2 ** -14 },
  bfloat16: { max: (2 - 2 ** -7) * 2 ** 127, eps: 2 ** -7, tiny: 2 ** -126 },
  float32: { max: (2 - 2 ** -23) * 2 ** 127, eps: 2 ** -23, tiny: 2 ** -126 },
  float64: { max: Number.MAX_VALUE, eps: 2 ** -52, tiny: 2 ** -1022 },
  float8_e4m3fn: { max: 448, eps: 2 ** -3, tiny: 2 ** -6 },
  float8_e5m2: { max: 57344, eps: 2 ** -2, tiny: 2 ** -14 },
  float8_e4m3fnuz: { max: 240, eps: 2 ** -3, tiny: 2 ** -7 },
  float8_e5m2fnuz: { max: 57344, eps: 2 ** -3, tiny: 2 ** -15 },
};

/** `torch.finfo`; of a complex dtype it is that of its parts, of others null. */
export const floatingLimits = (dtype: DType): Floating | null =>
  FLOATS[isComplex(dtype) ? realOf(dtype) : dtype] ?? null;

/** `torch.iinfo`, null of a dtype that is no integer. */
export const integerLimits = (dtype: DType): readonly [least: number, most: number] | null => INTEGERS[dtype] ?? null;

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
  const limits = floatingLimits(dtype);
  return limits === null || !Number.isFinite(value) || Math.abs(value) <= limits.max;
}
