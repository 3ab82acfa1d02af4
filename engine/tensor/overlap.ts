import { add, type Decisions, int, mul } from '../symbols/index.ts';
import { nonOverlappingAndDense } from './contiguity.ts';
import { itemsize } from './dtype.ts';
import { type Layout, numel } from './layout.ts';
import { anyZero, at, equal, every, isOne, isZero, less } from './sizes.ts';
import type { Tensor } from './tensor.ts';

/**
 * What the in-place guard (`has_internal_overlap`) sees in a tensor that is written: `no`, `yes` (it raises), or `hard`: it
 * does not look any further, and lets the write happen. Only a stride of 0 with a size above 1 counts as `yes`.
 */
export function internalOverlap(layout: Layout, ask: Decisions): 'no' | 'yes' | 'hard' | undefined {
  const { shape, stride } = layout;
  if (stride === null) return anyZero(shape) ? 'no' : undefined;
  const repeated = stride.flatMap((step, d) => (isZero(step) ? [d] : []));
  let unknown = false;
  for (const d of anyZero(shape) ? [] : repeated) {
    const one = isOne(at(shape, d), ask);
    if (one === false) return 'yes';
    if (one === undefined) unknown = true;
  }
  const dense = nonOverlappingAndDense(layout, ask);
  if (dense === undefined || unknown) return undefined;
  return dense ? 'no' : 'hard';
}

/** What the in-place guard needs to know of a tensor. */
export type Placed = Pick<Tensor, 'id' | 'layout' | 'dtype' | 'storage'>;

/**
 * What the guard (`get_overlap_status`) sees between a written tensor and an input: the same elements in the same order
 * (`full`), some of them (`partial`), none, or `hard`: it does not look at tensors that are not dense.
 */
export function pairOverlap(a: Placed, b: Placed, ask: Decisions): 'full' | 'partial' | 'no' | 'hard' | undefined {
  if (a.id === b.id) return 'full';
  if (anyZero(a.layout.shape) || anyZero(b.layout.shape)) return 'no';
  if (a.storage.id !== b.storage.id) return 'no';
  const dense = every([a, b], ({ layout }) => nonOverlappingAndDense(layout, ask));
  if (dense !== true) return dense === false ? 'hard' : undefined;
  const x = byteRange(a, b);
  const y = byteRange(b, a);
  if (x === null || y === null) return undefined;
  const sameStart = equal(x.start, y.start, ask);
  const sameRange = sameStart === true ? equal(x.end, y.end, ask) : sameStart;
  if (sameRange === true) {
    const strides = every(a.layout.stride ?? [], (step, d) => equal(step, at(b.layout.stride ?? [], d), ask));
    const ranks = a.layout.shape.length === b.layout.shape.length;
    return !ranks ? 'partial' : strides === undefined ? undefined : strides ? 'full' : 'partial';
  }
  const meets =
    sameStart === true ? true : every([[x, y] as const, [y, x] as const], ([p, q]) => less(p.start, q.end, ask));
  return meets === undefined ? undefined : meets ? 'partial' : 'no';
}

/** In bytes; in elements where neither dtype is known, two views of one storage then being taken to have the same. */
function byteRange(placed: Placed, other: Placed) {
  const { offset } = placed.layout;
  if (offset === null || (placed.dtype === null) !== (other.dtype === null)) return null;
  const item = int(placed.dtype === null ? 1 : itemsize(placed.dtype));
  const start = mul(offset, item);
  return { start, end: add(start, mul(numel(placed.layout), item)) };
}
