import { mul, ONE, type SymInt, same, ZERO } from '../symbols/index.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { at, type Ints, numelOf } from './sizes.ts';

/**
 * Where the elements of a tensor lie: sizes, strides and storage offset, all in elements.
 *
 * `stride` and `offset` are null where they are not known. Where `front` is set the rank is not known either: `shape[0]`
 * then stands for an unknown number (0 or more) of leading dims packed into one, its size being their product, and a
 * known `stride[0]` says that those dims are packed like one contiguous block of that stride. Such a layout may only be
 * addressed by negative dims that stay behind the front; `wrapDim` sees to that.
 *
 * Where `stride` is null, `ways` may hold the few strides of which one is known to hold: fused attention or eager.
 */
export interface Layout {
  readonly shape: Ints;
  readonly stride: Ints | null;
  readonly offset: SymInt | null;
  readonly front: boolean;
  readonly ways?: readonly Ints[];
}

export function layoutOf(
  shape: Ints,
  stride: Ints | null,
  offset: SymInt | null = ZERO,
  front: boolean = false,
): Layout {
  return { shape, stride, offset, front };
}

/** A fresh contiguous result. */
export const contiguous = (shape: Ints): Layout => layoutOf(shape, contiguousStride(shape));

/** The same layout, its dim 0 standing for an unknown number of packed leading dims. */
export const withFront = (layout: Layout): Layout => ({ ...layout, front: true });

/** A 0-dim operand: what a Python scalar is to TensorIterator. */
export const SCALAR: Layout = Object.freeze(layoutOf([], []));

/** Row-major strides as every factory op makes them: a size of 0 counts as 1. */
export function contiguousStride(shape: Ints): SymInt[] {
  const stride: SymInt[] = new Array(shape.length);
  let run = ONE;
  for (let d = shape.length - 1; d >= 0; d--) {
    stride[d] = run;
    const size = at(shape, d);
    if (d > 0 && size.constant !== 0 && size.constant !== 1) run = mul(run, size);
  }
  return stride;
}

/** Whether the strides are those of a fresh tensor of that shape to the last one, those of dims of size 1 included. */
export const isRowMajor = ({ shape, stride }: Layout): boolean =>
  stride !== null && contiguousStride(shape).every((step, d) => same(step, at(stride, d)));

export const numel = (layout: Layout): SymInt => numelOf(layout.shape);

/** The number of dims; an unknown front counts as one. */
export const ndim = (layout: Layout): number => layout.shape.length;

/**
 * The index of a dim, which may be negative. `extra` is 1 where the dim is one of the result's (`unsqueeze`). A 0-dim
 * tensor takes 0 and -1. This is the single gate to a layout with an unknown front: what could lie in it is unsure.
 */
export function wrapDim(layout: Layout, dim: number, extra = 0): Result<number> {
  const count = layout.shape.length + extra;
  if (layout.front) {
    const index = count + dim;
    return dim < 0 && index >= 1 ? index : unsure(`dim ${dim} may lie in leading dims that are not known`);
  }
  const range = Math.max(count, 1);
  if (dim < -range || dim >= range) return raises({ is: 'dim-out-of-range', dim, ndim: count });
  return dim < 0 ? dim + range : dim;
}

export function wrapDims(layout: Layout, dims: readonly number[]): Result<number[]> {
  const wrapped: number[] = new Array(dims.length);
  for (let i = 0; i < dims.length; i++) {
    const index = wrapDim(layout, dims[i] ?? 0);
    if (isFault(index)) return index;
    wrapped[i] = index;
  }
  return wrapped;
}

/** The layout of the dims picked by index, in that order; offset and front stay. */
export function pick({ shape, stride, offset, front }: Layout, order: readonly number[]): Layout {
  return layoutOf(picked(shape, order), stride === null ? null : picked(stride, order), offset, front);
}

function picked(values: Ints, order: readonly number[]): Ints {
  const result: SymInt[] = new Array(order.length);
  for (let i = 0; i < order.length; i++) result[i] = at(values, order[i] ?? 0);
  return result;
}

/** The layout without one dim; the offset stays. */
export function dropped({ shape, stride, offset, front }: Layout, dim: number): Layout {
  return layoutOf(spliced(shape, dim, 1, []), stride === null ? null : spliced(stride, dim, 1, []), offset, front);
}

/** `0, 1, …, count - 1` */
export function upTo(count: number): number[] {
  const dims: number[] = new Array(count);
  for (let d = 0; d < count; d++) dims[d] = d;
  return dims;
}

/** The dims from the innermost on: `count - 1, …, 0`. */
export function inwards(count: number): number[] {
  const dims: number[] = new Array(count);
  for (let i = 0; i < count; i++) dims[i] = count - 1 - i;
  return dims;
}

/** `count` entries at `start` replaced. */
export function spliced(values: Ints, start: number, count: number, put: Ints): SymInt[] {
  const moved = put.length - count;
  const result: SymInt[] = new Array(values.length + moved);
  for (let i = 0; i < start; i++) result[i] = at(values, i);
  for (let i = 0; i < put.length; i++) result[start + i] = at(put, i);
  for (let i = start + count; i < values.length; i++) result[i + moved] = at(values, i);
  return result;
}
