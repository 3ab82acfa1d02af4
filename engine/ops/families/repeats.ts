import { int, mul, ONE, type SymInt } from '../../symbols/index.ts';
import {
  expand,
  type Fault,
  flatten,
  isFault,
  type Layout,
  numel,
  type Result,
  raises,
  type Tensor,
  unsqueeze,
  unsure,
  wrapDim,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { notOf, notVector } from '../indexing/conditions.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { type Entry, op } from '../op.ts';

function repeated(layout: Layout, repeats: readonly SymInt[]): Result<Layout> {
  const missing = repeats.length - layout.shape.length;
  if (layout.front) {
    const tail = layout.shape.length - 1;
    const ahead = repeats.slice(0, repeats.length - tail);
    if (missing < 0 || ahead.some((count) => count.constant !== 1)) return unsure('the rank of the input is not known');
    return fresh(
      [layout.shape[0] ?? ONE, ...layout.shape.slice(1).map((size, d) => mul(size, repeats[ahead.length + d] ?? ONE))],
      true,
    );
  }
  if (missing < 0)
    return raises({
      is: 'argument',
      name: 'repeats',
      got: `${repeats.length} numbers`,
      expects: `at least ${layout.shape.length}`,
    });
  const shape = repeats.map((count, d) => (d < missing ? count : mul(count, layout.shape[d - missing] ?? ONE)));
  return negativeSize(shape) ?? fresh(shape);
}

/** "Trying to create tensor with negative dimension": a negative count of an empty dim makes none. */
function negativeSize(shape: readonly SymInt[]): Fault | null {
  const size = shape.find(({ constant }) => constant !== null && constant < 0);
  return size === undefined
    ? null
    : raises({ is: 'argument', name: 'repeats', got: `a size of ${size.constant}`, expects: 'sizes of at least 0' });
}

/** Tiles from the last dim on: missing counts are 1. */
function tiled(layout: Layout, counts: readonly SymInt[]): Result<Layout> {
  const missing = Math.max(0, layout.shape.length - counts.length);
  return repeated(layout, [...Array.from({ length: missing }, () => ONE), ...counts]);
}

/** Along a dim: a flattened view of a clone of the expanded input, whose strides `expand` decides. */
function interleaved(layout: Layout, count: SymInt, dim: number | null, call: Call): Result<Layout> {
  if (count.constant !== null && count.constant < 0)
    return raises({ is: 'argument', name: 'repeats', got: `${count.constant}`, expects: 'at least 0' });
  if (dim === null) return fresh([mul(count, ...layout.shape)]);
  const axis = wrapDim(layout, dim);
  if (isFault(axis)) return axis;
  const shape = layout.shape.map((size, d) => (d === axis ? mul(size, count) : size));
  if (layout.front) return fresh(shape, true);
  const wide = unsqueeze(layout, axis + 1);
  if (isFault(wide)) return wide;
  const expanded = expand(
    wide,
    wide.shape.map((size, d) => (d === axis + 1 ? count : size)),
    call.ask,
  );
  if (isFault(expanded)) return fresh(shape);
  const flat = flatten(fresh(expanded.shape), axis, axis + 1, call.ask);
  return isFault(flat) ? fresh(shape) : flat.layout;
}

/** A count for each element along the dim, or one for all. */
function uncounted(layout: Layout, counts: Tensor, dim: number | null, call: Call): Fault | null {
  const wrong = notOf(counts, ['int64', 'int32'], 'repeats') ?? notVector(counts, 'repeats');
  if (wrong !== null || counts.layout.shape.length === 0 || layout.front) return wrong;
  const axis = dim === null ? null : wrapDim(layout, dim);
  if (isFault(axis)) return axis.fault === 'raises' ? axis : null;
  const size = axis === null ? numel(layout) : (layout.shape[axis] ?? ONE);
  const [count = ONE] = counts.layout.shape;
  return call.ask.isOne(count) === true ? null : agree(count, size, 'dim 0 of repeats', call);
}

export const repeats: readonly Entry[] = [
  op('Tensor.repeat(self: Tensor, repeats: SymInt[]) -> Tensor', {
    shape: ({ self, repeats: counts }) => repeated(self.layout, counts),
    samples: ['(2, 3)/(1, 2)  (2, 1)', '(2, 3)  (4, 1, 2)', '(2, 3)  (2,)  !', '(2, 3)  (2, -1)  !', '(0, 3)  (-1, 1)'],
  }),
  op('tile(self: Tensor, dims: SymInt[]) -> Tensor', {
    shape: ({ self, dims }) => tiled(self.layout, dims),
    samples: ['(2, 3)/(1, 2)  (2,)', '(2, 3)  (4, 1, 2)'],
  }),
  op('repeat_interleave(self: Tensor, repeats: SymInt, dim: int? = None, *, output_size: any = None) -> Tensor', {
    shape: ({ self, repeats: count, dim }, call) => interleaved(self.layout, count, dim, call),
    samples: ['(2, 3)/(1, 2)  2  1', '(2, 3)  2', '(2, 3)  2  0', '(2, 3)  2  4  !', '(2, 3)  -1  !'],
  }),
  op('repeat_interleave(self: Tensor, repeats: Tensor, dim: int? = None, *, output_size: any = None) -> Tensor', {
    raises: ({ self, repeats: counts, dim }, call) => uncounted(self.layout, counts, dim, call),
    shape: ({ self, dim, repeats: counts, output_size }, { context }) => {
      const total = counts.elements?.length === 1 ? undefined : counts.elements?.reduce((a, b) => a + b, 0);
      const known = output_size.kind === 'int' ? output_size.value : total === undefined ? null : int(total);
      const length = known ?? context.fresh('repeated');
      if (dim === null) return [length];
      const axis = wrapDim(self.layout, dim);
      if (isFault(axis)) return axis;
      return fresh(
        self.layout.shape.map((size, d) => (d === axis ? length : size)),
        self.layout.front,
      );
    },
    samples: [
      '(2, 3)  [2, 1]:int64  0',
      '(2, 3)  [2]:int64  0',
      '(2, 3)  [1, 2, 3]:int64  0  !',
      '(2, 3)  [[1, 2]]:int64  0  !',
      '(2, 3)  (2,)  0  !',
    ],
  }),
];
