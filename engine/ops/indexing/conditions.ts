import { always, int, ONE, type SymInt } from '../../symbols/index.ts';
import {
  type DType,
  type Fault,
  isFault,
  type Layout,
  numel,
  raises,
  type Tensor,
  wrapDim,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { agree } from '../layouts/inquiry.ts';

/** Index elements that are known must be within the dim; of negative ones only as many as `negative` allows. */
export function outOfRange(
  index: Tensor,
  size: SymInt | undefined,
  dim: number,
  negative: 'none' | 'size' = 'none',
): Fault | null {
  if (index.elements === null || size === undefined) return null;
  const { constant } = size;
  const least = negative === 'none' ? 0 : constant === null ? Number.NEGATIVE_INFINITY : -constant;
  const wrong = index.elements.find((at) => at < least || (constant !== null && at >= constant));
  return wrong === undefined ? null : raises({ is: 'index-out-of-range', index: int(wrong), dim, size });
}

/** Ops that move elements from one tensor into another do not convert them. */
export function ofOneDType(self: Tensor, source: Value | Tensor, what: string): Fault | null {
  if (source.kind !== 'tensor' || self.dtype === null || source.dtype === null || self.dtype === source.dtype)
    return null;
  return raises({ is: 'dtype-differs', what, left: source.dtype, right: self.dtype });
}

/** Indices along a dim are a vector, or one number. */
export const notVector = (index: Tensor, what: string): Fault | null =>
  !index.layout.front && index.layout.shape.length > 1
    ? raises({ is: 'rank-differs', what, expected: '0 or 1', got: index.layout.shape.length })
    : null;

export const notOf = (tensor: Tensor, dtypes: readonly DType[], name: string): Fault | null =>
  tensor.dtype === null || dtypes.includes(tensor.dtype)
    ? null
    : raises({ is: 'argument', name, got: tensor.dtype, expects: dtypes.join(' or ') });

/** `index_add` and its like: as many slices of the source as there are indices, each of the sizes of those of `self`. */
export function slicesDiffer(self: Layout, dim: number, index: Tensor, source: Layout, call: Call): Fault | null {
  if (self.front || source.front || index.layout.front || self.shape.length === 0 || source.shape.length === 0)
    return null;
  const axis = wrapDim(self, dim);
  if (isFault(axis)) return null;
  if (source.shape.length !== self.shape.length)
    return raises({ is: 'rank-differs', what: 'source', expected: `${self.shape.length}`, got: source.shape.length });
  for (const [d, size] of source.shape.entries()) {
    const wanted = d === axis ? numel(index.layout) : (self.shape[d] ?? ONE);
    const differs = agree(size, wanted, `dim ${d} of source`, call);
    if (differs !== null) return differs;
  }
  return null;
}

/** `scatter` takes an element of the source for every index. */
export function sourceTooSmall(index: Tensor, source: Value | Tensor, call: Call): Fault | null {
  if (source.kind !== 'tensor' || source.layout.front || index.layout.front) return null;
  const { shape } = index.layout;
  if (shape.some(({ constant }) => constant === 0)) return null;
  if (Math.max(shape.length, 1) !== Math.max(source.layout.shape.length, 1))
    return raises({ is: 'rank-differs', what: 'src', expected: `${shape.length}`, got: source.layout.shape.length });
  for (const [d, size] of shape.entries()) {
    const limit = source.layout.shape[d] ?? ONE;
    const beyond = always('less', limit, size, call.ask.facts);
    if (beyond === true)
      return raises({ is: 'size-differs', what: `dim ${d} of index`, left: size, right: limit, broadcast: false });
    if (beyond === undefined) call.ask.leaveOut({ relation: 'less', left: limit, right: size });
  }
  return null;
}

/** A string argument that names one of several ways. */
export const notAWay = (value: Value, name: string, ways: readonly string[]): Fault | null =>
  value.kind === 'str' && !ways.includes(value.value)
    ? raises({ is: 'argument', name, got: `'${value.value}'`, expects: ways.map((way) => `'${way}'`).join(' or ') })
    : null;
