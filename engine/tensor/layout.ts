import { mul, ONE, type SymInt, ZERO } from '../symbols/index.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { at, type Ints, numelOf } from './sizes.ts';

/**
 * Where the elements of a tensor lie: sizes, strides and storage offset, all in elements.
 *
 * `stride` and `offset` are null where they are not known. Where `front` is set the rank is not known either: `shape[0]`
 * then stands for an unknown number (0 or more) of leading dims packed into one, its size being their product, and a
 * known `stride[0]` says that those dims are packed like one contiguous block of that stride. Such a layout may only be
 * addressed by negative dims that stay behind the front; `wrapDim` sees to that.
 */
export interface Layout {
  readonly shape: Ints;
  readonly stride: Ints | null;
  readonly offset: SymInt | null;
  readonly front: boolean;
}

export function layoutOf(shape: Ints, stride: Ints | null, offset: SymInt | null = ZERO): Layout {
  return { shape, stride, offset, front: false };
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
  if (dim < -range || dim >= range) return raises({ is: 'dim-out-of-range', dim, ndim: range });
  return dim < 0 ? dim + range : dim;
}

export function wrapDims(layout: Layout, dims: readonly number[]): Result<number[]> {
  const wrapped: number[] = [];
  for (const dim of dims) {
    const index = wrapDim(layout, dim);
    if (isFault(index)) return index;
    wrapped.push(index);
  }
  return wrapped;
}

/** The layout of the dims picked by index, in that order; offset and front stay. */
export function pick(layout: Layout, order: readonly number[]): Layout {
  const { shape, stride } = layout;
  return {
    ...layout,
    shape: order.map((d) => at(shape, d)),
    stride: stride === null ? null : order.map((d) => at(stride, d)),
  };
}

/** `count` entries at `start` replaced. */
export function spliced<T>(values: readonly T[], start: number, count: number, ...put: readonly T[]): T[] {
  return [...values.slice(0, start), ...put, ...values.slice(start + count)];
}
