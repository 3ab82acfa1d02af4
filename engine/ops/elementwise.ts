import type { Truth } from '../symbols/index.ts';
import {
  broadcastLayouts,
  type DType,
  type DTypeOperand,
  elementwise,
  type Fault,
  isComplex,
  isFault,
  isIntegralOrBool,
  type Layout,
  preserve,
  type Result,
  raises,
  realOf,
  resultType,
  SCALAR,
  type Tensor,
} from '../tensor/index.ts';
import type { Call } from './context.ts';
import type { OpResult, Write } from './outcome.ts';
import type { Scalar } from './signature.ts';
import { cannotCast, writeAll } from './writing.ts';

export type Operand = Tensor | Scalar;

/** What an op makes of the common dtype of its operands: `float` turns integers to the default dtype. */
export type Kind = 'same' | 'float' | 'bool' | 'real';

/** The dtype that the operands promote to, null where one that matters is not known. */
export function commonDType(operands: readonly Operand[]): DType | null {
  const known: DTypeOperand[] = [];
  for (const operand of operands) {
    if (operand.kind === 'unknown') return null;
    known.push(
      operand.kind === 'tensor'
        ? { kind: operand.layout.shape.length === 0 ? 'zero' : 'dim', dtype: operand.dtype }
        : { kind: 'scalar', dtype: operand.kind },
    );
  }
  return resultType(known);
}

/** "Promotion for uint16, uint32, uint64 types is not supported": known dtypes that have no common one. */
function noCommonDType(operands: readonly Operand[]): Fault | null {
  const dtypes: DType[] = [];
  for (const operand of operands) {
    if (operand.kind === 'unknown' || (operand.kind === 'tensor' && operand.dtype === null)) return null;
    if (operand.kind === 'tensor' && operand.dtype !== null) dtypes.push(operand.dtype);
  }
  const [left] = dtypes;
  const right = dtypes.find((dtype) => dtype !== left);
  return left === undefined || right === undefined ? null : raises({ is: 'dtype-differs', what: 'other', left, right });
}

export function dtypeOfKind(kind: Kind, common: DType | null): DType | null {
  if (kind === 'bool') return 'bool';
  if (common === null) return null;
  if (kind === 'float') return isIntegralOrBool(common) ? 'float32' : common;
  return kind === 'real' && isComplex(common) ? realOf(common) : common;
}

/** What operands are cast to; null where that is not known, `own` where a lone one stays what it is. */
type Common = DType | 'own' | null;

/**
 * The layout of a fresh result of TensorIterator. An operand of another dtype than the common one is cast first, which
 * makes it dense; a Python number takes part as a 0-dim operand and so keeps the iterator off its fast path.
 */
export function iterated(operands: readonly Operand[], common: Common, call: Call): Result<Layout> {
  const plain = iteratedAs(operands, (tensor) => isCast(tensor, common) === true, call);
  if (isFault(plain) || !mayBeCast(operands, common)) return plain;
  // Where a dtype is not known both ways must lead to the same strides.
  const cast = iteratedAs(operands, (tensor) => isCast(tensor, common) !== false, call);
  return !isFault(cast) && sameStride(plain, cast) ? plain : { ...plain, stride: null };
}

function iteratedAs(
  operands: readonly Operand[],
  casts: (tensor: Tensor) => boolean,
  { ask, demand }: Call,
): Result<Layout> {
  const layouts: Layout[] = [];
  for (const operand of operands) {
    const cast = operand.kind === 'tensor' && casts(operand);
    const layout = operand.kind === 'tensor' ? (cast ? preserve(operand.layout, ask) : operand.layout) : SCALAR;
    if (isFault(layout)) return layout;
    layouts.push(layout);
  }
  return elementwise(layouts, ask, { demand });
}

function isCast({ dtype }: Tensor, common: Common): Truth {
  if (common === 'own') return false;
  return dtype === null || common === null ? undefined : dtype !== common;
}

const mayBeCast = (operands: readonly Operand[], common: Common): boolean =>
  operands.some((operand) => operand.kind === 'tensor' && isCast(operand, common) === undefined);

const sameStride = (a: Layout, b: Layout): boolean =>
  a.stride !== null && b.stride !== null && a.stride.every((step, d) => step.key === b.stride?.[d]?.key);

/** A fresh elementwise result. `elements` are those of a small integer result, where they are known. */
export function freshElementwise(
  operands: readonly Operand[],
  kind: Kind,
  call: Call,
  elements: readonly number[] | null = null,
): Result<OpResult> {
  const common = commonDType(operands);
  const apart = common === null ? noCommonDType(operands) : null;
  if (apart !== null) return apart;
  const dtype = dtypeOfKind(kind, common);
  // Integers of a function that computes in floating point are cast before it.
  const cast: Common = kind === 'float' ? dtype : operands.length === 1 ? 'own' : common;
  const [only] = operands;
  const layout =
    kind === 'real' && operands.length === 1 && only?.kind === 'tensor'
      ? magnitudes(only, call)
      : iterated(operands, cast, call);
  if (isFault(layout)) return layout;
  return elements === null ? { is: 'fresh', layout, dtype } : { is: 'fresh', layout, dtype, elements };
}

/** `unary_op_impl_with_complex_to_float`: the result for complex numbers is an `empty_like` of them. */
function magnitudes(self: Tensor, call: Call): Result<Layout> {
  const plain = iterated([self], 'own', call);
  if (isFault(plain) || (self.dtype !== null && !isComplex(self.dtype))) return plain;
  const like = preserve(self.layout, call.ask);
  return isFault(like) || self.dtype !== null || sameStride(plain, like) ? like : { ...like, stride: null };
}

/**
 * The write of an in-place elementwise op: `self` must have the broadcast shape, the result dtype must be castable to
 * that of `self`, and memory must not be shared in part.
 */
export function writeElementwise(
  self: Tensor,
  others: Readonly<Record<string, Operand | null>>,
  kind: Kind,
  call: Call,
): Result<readonly Write[]> {
  const operands = Object.values(others).filter((operand) => operand !== null);
  const misfit = doesNotBroadcast(self, operands, call);
  if (misfit !== null) return misfit;
  const common = commonDType([self, ...operands]);
  const refused =
    (common === null ? noCommonDType([self, ...operands]) : null) ?? cannotCast(dtypeOfKind(kind, common), self.dtype);
  if (refused !== null) return refused;
  const inputs = Object.fromEntries(
    Object.entries(others).map(([name, operand]) => [name, operand?.kind === 'tensor' ? operand : null] as const),
  );
  const write = writeAll(self, inputs, 'elementwise', call);
  return isFault(write) ? write : [write];
}

/** "output with shape [3] doesn't match the broadcast shape [2, 3]" */
export function doesNotBroadcast(self: Tensor, operands: readonly Operand[], call: Call) {
  const layouts = operands.flatMap((operand) => (operand.kind === 'tensor' ? [operand.layout] : []));
  if (layouts.length === 0) return null;
  const whole = broadcastLayouts([self.layout, ...layouts], call.ask, { demand: call.demand });
  if (isFault(whole)) return whole;
  if (self.layout.front || whole.front) return null;
  const { shape } = self.layout;
  if (whole.shape.length !== shape.length)
    return raises({ is: 'rank-differs', what: 'self', expected: `${whole.shape.length}`, got: shape.length });
  for (const [d, size] of shape.entries()) {
    const right = whole.shape[d] ?? size;
    if (size.key !== right.key && call.ask.equal(size, right) === false)
      return raises({ is: 'size-differs', what: `dim ${d} of self`, left: size, right, broadcast: true });
  }
  return null;
}
