export const DTYPES = [
  'bool',
  'uint8',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint16',
  'uint32',
  'uint64',
  'float16',
  'bfloat16',
  'float32',
  'float64',
  'complex32',
  'complex64',
  'complex128',
  'float8_e4m3fn',
  'float8_e5m2',
  'float8_e4m3fnuz',
  'float8_e5m2fnuz',
] as const;

export type DType = (typeof DTYPES)[number];

const ITEMSIZE: Readonly<Record<DType, number>> = {
  bool: 1,
  uint8: 1,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  float16: 2,
  bfloat16: 2,
  float32: 4,
  float64: 8,
  complex32: 4,
  complex64: 8,
  complex128: 16,
  float8_e4m3fn: 1,
  float8_e5m2: 1,
  float8_e4m3fnuz: 1,
  float8_e5m2fnuz: 1,
};

/** Bytes of one element. */
export const itemsize = (dtype: DType): number => ITEMSIZE[dtype];

export const isFloat = (dtype: DType): boolean => dtype.startsWith('float') || dtype === 'bfloat16';

export const isComplex = (dtype: DType): boolean => dtype.startsWith('complex');

/** Signed and unsigned integers, without bool. */
export const isIntegral = (dtype: DType): boolean => dtype.startsWith('int') || dtype.startsWith('uint');

export const isIntegralOrBool = (dtype: DType): boolean => dtype === 'bool' || isIntegral(dtype);

/** The dtype of a complex number whose parts have this dtype; of an integer, that of the default dtype float32. */
export function complexOf(dtype: DType): DType {
  switch (dtype) {
    case 'float16':
      return 'complex32';
    case 'float64':
      return 'complex128';
    default:
      return isComplex(dtype) ? dtype : 'complex64';
  }
}

/** The dtype of the real part: what `abs` of a complex tensor gives. A dtype that is not complex is its own. */
export function realOf(dtype: DType): DType {
  switch (dtype) {
    case 'complex32':
      return 'float16';
    case 'complex64':
      return 'float32';
    case 'complex128':
      return 'float64';
    default:
      return dtype;
  }
}
