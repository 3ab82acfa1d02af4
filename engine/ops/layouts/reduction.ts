import { always, ONE, type SymInt, ZERO } from '../../symbols/index.ts';
import { type Fault, isFault, type Layout, ndim, type Result, raises, wrapDim, wrapDims } from '../../tensor/index.ts';
import { fresh } from './format.ts';
import type { Inquiry } from './inquiry.ts';

/** The result of a reduction over `dims`, all where null or empty: contiguous. */
export function reduced(layout: Layout, dims: readonly number[] | null, keepdim: boolean): Result<Layout> {
  const all = dims === null || dims.length === 0;
  if (all) return fresh(keepdim ? layout.shape.map(() => ONE) : [], keepdim && layout.front);
  const wrapped = wrapDims(layout, dims);
  if (isFault(wrapped)) return wrapped;
  if (new Set(wrapped).size !== wrapped.length)
    return raises({ is: 'argument', name: 'dim', got: `(${dims.join(', ')})`, expects: 'each dim once' });
  const shape: readonly SymInt[] = keepdim
    ? layout.shape.map((size, d) => (wrapped.includes(d) ? ONE : size))
    : layout.shape.filter((_, d) => !wrapped.includes(d));
  return fresh(shape, layout.front);
}

/** A contiguous result of the same sizes. */
export const denseLike = (layout: Layout): Layout => fresh(layout.shape, layout.front);

/** `denseLike`, after a look at `dim`; behind an unknown front a dim counted from there may be right. */
export function denseAlong(layout: Layout, dim: number): Result<Layout> {
  const wrong = dimOutOfRange(layout, dim);
  return wrong ?? denseLike(layout);
}

export function dimOutOfRange(layout: Layout, dim: number): Fault | null {
  if (layout.front && (dim >= 0 || -dim >= ndim(layout))) return null;
  const wrapped = wrapDim(layout, dim);
  return isFault(wrapped) ? wrapped : null;
}

/** max, argmax, median and their like have no value to give for a dim of size 0. */
export function emptyReduction(layout: Layout, dims: readonly number[] | null, { ask }: Inquiry): Fault | null {
  const wrapped = dims === null ? null : wrapDims(layout, dims);
  if (isFault(wrapped)) return null;
  const sizes = wrapped === null ? layout.shape : wrapped.map((d) => layout.shape[d]);
  if (!sizes.some((size) => size !== undefined && always('equal', size, ZERO, ask.facts) === true)) return null;
  return raises({ is: 'argument', name: 'dim', got: 'a dim of size 0', expects: 'a dim that is not empty' });
}
