import { complexOf, type DType, isComplex, isFloat, isIntegral, isIntegralOrBool } from './dtype.ts';

const SIGNED: readonly DType[] = ['int8', 'int16', 'int32', 'int64'];

/** How much a float or complex dtype holds; float16 and bfloat16 hold neither each other's values. */
const RANK: Readonly<Partial<Record<DType, number>>> = {
  float16: 0,
  complex32: 0,
  bfloat16: 1,
  float32: 1,
  complex64: 1,
  float64: 2,
  complex128: 2,
};

const COMPLEX_OF_RANK: readonly DType[] = ['complex32', 'complex64', 'complex128'];

/** uint16, uint32, uint64 ("barebones" integers) promote with floats only; float8 dtypes with nothing. */
const isBarebones = (dtype: DType): boolean => dtype === 'uint16' || dtype === 'uint32' || dtype === 'uint64';

const isFloat8 = (dtype: DType): boolean => dtype.startsWith('float8');

/** `torch.promote_types`; null where PyTorch has no common dtype (seen on 2.13, 400 pairs). */
export function promote(a: DType, b: DType): DType | null {
  if (a === b) return a;
  if (isFloat8(a) || isFloat8(b)) return null;
  if (isBarebones(a) || isBarebones(b)) {
    const other = isBarebones(a) ? b : a;
    return isFloat(other) ? other : null;
  }
  if (a === 'bool') return b;
  if (b === 'bool') return a;
  if (isComplex(a) || isComplex(b)) {
    return COMPLEX_OF_RANK[Math.max(RANK[a] ?? 0, RANK[b] ?? 0)] ?? null;
  }
  if (isFloat(a) && isFloat(b)) return promoteFloats(a, b);
  if (isFloat(a)) return a;
  if (isFloat(b)) return b;
  if (a === 'uint8') return b === 'int8' ? 'int16' : b;
  if (b === 'uint8') return a === 'int8' ? 'int16' : a;
  return SIGNED[Math.max(SIGNED.indexOf(a), SIGNED.indexOf(b))] ?? null;
}

function promoteFloats(a: DType, b: DType): DType {
  if (a === 'float64' || b === 'float64') return 'float64';
  return 'float32';
}

/** `dim`: a tensor with dims; `zero`: a 0-dim tensor; `scalar`: a Python number. Each category yields to the one before. */
export type DTypeOperand =
  | { readonly kind: 'dim' | 'zero'; readonly dtype: DType | null }
  | { readonly kind: 'scalar'; readonly dtype: 'bool' | 'int' | 'float' | 'complex' };

/** `torch.result_type`; null where a dtype that matters is not known, or where there is no common dtype. */
export function resultType(operands: readonly DTypeOperand[], defaultDType: DType = 'float32'): DType | null {
  let dim: Category = 'absent';
  let zero: Category = 'absent';
  let scalar: Category = 'absent';
  for (const operand of operands) {
    if (operand.kind === 'scalar') scalar = together(scalar, scalarDType(operand.dtype, defaultDType));
    else if (operand.kind === 'zero') zero = together(zero, operand.dtype);
    else dim = together(dim, operand.dtype);
  }
  const common = combine(dim, combine(zero, scalar));
  return common === 'absent' ? null : common;
}

/** `absent`: no operand of that category; null: not known. */
type Category = DType | 'absent' | null;

function together(category: Category, dtype: DType | null): Category {
  if (category === null || dtype === null) return null;
  return category === 'absent' ? dtype : promote(category, dtype);
}

function scalarDType(scalar: 'bool' | 'int' | 'float' | 'complex', defaultDType: DType): DType {
  switch (scalar) {
    case 'bool':
      return 'bool';
    case 'int':
      return 'int64';
    case 'float':
      return defaultDType;
    case 'complex':
      return complexOf(defaultDType);
  }
}

/** c10 `combine_categories`: the higher category decides the width, the lower one at most the kind of number. */
function combine(higher: Category, lower: Category): Category {
  if (higher === 'absent') return lower;
  if (lower === 'absent') return higher;
  if (higher === null) return null;
  if (isComplex(higher)) return higher;
  if (lower === null) return null;
  if (isFloat(higher)) return isComplex(lower) ? complexOf(higher) : higher;
  if (isComplex(lower)) return lower;
  if (higher === 'bool' || isFloat(lower)) return promote(higher, lower);
  return higher;
}

/** Whether an in-place or `out=` result of dtype `from` may be written into a tensor of dtype `to` (`torch.can_cast`). */
export function canCast(from: DType, to: DType): boolean {
  if (isComplex(from) && !isComplex(to)) return false;
  if (isFloat(from) && isIntegralOrBool(to)) return false;
  return !(isIntegral(from) && to === 'bool');
}
