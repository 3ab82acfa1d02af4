import { type Decisions, mul, ONE, type SymInt, same, type Truth } from '../symbols/index.ts';
import type { Result } from './fault.ts';
import { inwards, type Layout, layoutOf } from './layout.ts';
import { denseStride, orderOf } from './order.ts';
import { anyZero, at, equalSize, every, type Ints, isOne, noneIsOne } from './sizes.ts';

/**
 * `x.is_contiguous()`. Strides of size-1 dims do not matter, and a tensor without elements is contiguous.
 *
 * An unknown front takes part as one dim: it is packed as such.
 */
export function isContiguous(layout: Layout, ask: Decisions): Truth {
  if (anyZero(layout.shape)) return true;
  return runsThrough(layout, inwards(layout.shape.length), ask);
}

/** Whether the dims, taken from the innermost, lie one around the other without gaps; dims of size 1 are passed over. */
export function runsThrough(layout: Layout, order: readonly number[], ask: Decisions): Truth {
  const { shape, stride } = layout;
  if (stride === null) return undefined;
  let want = ONE;
  let result: Truth = true;
  for (const d of order) {
    const size = at(shape, d);
    if (size.constant === 1) continue;
    if (!same(at(stride, d), want)) {
      const fits = fitsUnlessLarger(size, at(stride, d), want, ask);
      if (fits === false) return false;
      if (fits === undefined) result = undefined;
    }
    want = mul(want, size);
  }
  return result;
}

function fitsUnlessLarger(size: SymInt, stride: SymInt, want: SymInt, ask: Decisions): Truth {
  const fits = equalSize(stride, want, ask);
  if (fits === true) return true;
  const one = isOne(size, ask);
  return one === true ? true : one === false ? fits : undefined;
}

/**
 * c10 `compute_non_overlapping_and_dense`: contiguous, or a permutation of a contiguous tensor. (Channels-last is one.)
 *
 * 1. Dims of size 1 are left out.
 * 2. Of the others, one has to have stride 1, one that one's size, and so on.
 */
export function nonOverlappingAndDense(layout: Layout, ask: Decisions): Truth {
  const { shape, stride } = layout;
  if (anyZero(shape)) return true;
  if (stride === null) return undefined;
  let left = inwards(shape.length).filter((d) => at(shape, d).constant !== 1);
  let want = ONE;
  while (left.length > 0) {
    const next = dimOfStride(left, stride, want, ask);
    if (next === undefined) return undefined;
    // No dim has the stride: the gap is there unless all that are left have size 1.
    if (next === null) return every(left, (d) => isOne(at(shape, d), ask));
    want = mul(want, at(shape, next));
    left = left.filter((d) => d !== next);
  }
  return true;
}

/** The dim of this stride; null where none has it, undefined where that cannot be told. */
function dimOfStride(dims: readonly number[], stride: Ints, want: SymInt, ask: Decisions): number | null | undefined {
  const exact = dims.find((d) => same(at(stride, d), want));
  if (exact !== undefined) return exact;
  let unknown = false;
  for (const d of dims) {
    const fits = equalSize(at(stride, d), want, ask);
    if (fits === true) return d;
    if (fits === undefined) unknown = true;
  }
  return unknown ? undefined : null;
}

/**
 * The layout of `torch.empty_like(x)`, `clone()`, a dtype cast: dense strides are kept, others closed up in the same
 * order of dims (`infer_dense_strides`). `stride` is null where the order cannot be told.
 */
export function preserve(layout: Layout, ask: Decisions): Result<Layout> {
  return { ...layoutOf(layout.shape, preservedStride(layout, ask)), front: layout.front };
}

function preservedStride({ shape, stride, front, offset }: Layout, ask: Decisions): Ints | null {
  if (stride === null) return null;
  const dense = nonOverlappingAndDense({ shape, stride, front, offset }, ask);
  if (dense === true) return stride;
  // Closing up dense strides changes those of size-1 dims only.
  if (dense === undefined && !noneIsOne(shape, ask)) return null;
  const order = orderOf([stride], shape, ask);
  return order === undefined ? null : denseStride(order, shape);
}
