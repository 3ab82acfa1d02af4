import { sharedDims } from '../rules/cells.ts';
import { dimsText } from '../rules/wording.ts';
import { type Decisions, mul, ONE, type SymInt } from '../symbols/index.ts';
import { isChannelsLast, isContiguous, type Layout } from '../tensor/index.ts';

/** Nobody reads the order of more dims, and every pair of them would have to be compared. */
const MOST_DIMS = 12;

/** How the elements lie, in a few words: `contiguous`, `channels_last`, `not contiguous: dims 1 and 2 are swapped`. */
export function contiguityText(layout: Layout, ask: Decisions): string {
  if (layout.stride === null) return 'strides not known';
  const contiguous = isContiguous(layout, ask);
  if (contiguous === true) return 'contiguous';
  if (contiguous === undefined) return 'contiguous or not, depending on sizes';
  if (isChannelsLast(layout, ask) === true) return layout.shape.length === 5 ? 'channels_last_3d' : 'channels_last';
  const shared = sharedDims(layout, ask);
  if (shared.length > 0) return `not contiguous: stride 0 in ${dimsText(shared)} (expanded)`;
  if (layout.shape.length > MOST_DIMS) return 'not contiguous';
  const order = memoryOrder(layout, ask);
  if (order !== null) return `not contiguous: ${orderText(order)}`;
  const turned = strideOrder(layout, ask);
  if (turned !== null) return `not contiguous: ${orderText(turned)}, with gaps`;
  const gap = firstGap(layout, ask);
  return gap === null ? 'not contiguous' : `not contiguous: gaps between the elements of dim ${gap}`;
}

/** The dims by falling stride, where that can be told of all of them and is not the order that they are in. */
function strideOrder(layout: Layout, ask: Decisions): readonly number[] | null {
  const { stride } = layout;
  if (stride === null || layout.front) return null;
  const order: number[] = [];
  for (const [dim, step] of stride.entries()) {
    if (ask.isOne(sizeAt(layout, dim)) !== false) return null;
    const larger = order.map((other) => ask.less(step, stride[other] ?? ONE));
    if (larger.includes(undefined)) return null;
    const place = larger.lastIndexOf(true) + 1;
    if (larger.slice(0, place).includes(false)) return null;
    order.splice(place, 0, dim);
  }
  return order.every((dim, place) => dim === place) ? null : order;
}

/**
 * The dims from the outermost in memory to the innermost, where the elements lie in that order without gaps; null where
 * they do not. Dims of size 1 keep their place.
 */
function memoryOrder(layout: Layout, ask: Decisions): readonly number[] | null {
  if (layout.stride === null || layout.front) return null;
  const inner: number[] = [];
  let expected: SymInt = ONE;
  const left = new Set([...layout.shape.keys()].filter((dim) => ask.isOne(sizeAt(layout, dim)) === false));
  while (left.size > 0) {
    const next = [...left].toReversed().find((dim) => ask.equal(layout.stride?.[dim] ?? ONE, expected) === true);
    if (next === undefined) return null;
    left.delete(next);
    inner.unshift(next);
    expected = mul(expected, sizeAt(layout, next));
  }
  return inner;
}

function orderText(order: readonly number[]): string {
  const sorted = order.toSorted((a, b) => a - b);
  const moved = order.filter((dim, place) => sorted[place] !== dim);
  return moved.length === 2
    ? `${dimsText(moved.toSorted((a, b) => a - b))} are swapped`
    : `in memory the dims lie in the order ${order.join(', ')}`;
}

/** The first dim whose step is longer than what lies within it. */
function firstGap(layout: Layout, ask: Decisions): number | null {
  const { stride } = layout;
  if (stride === null) return null;
  for (const [dim, step] of stride.entries()) {
    const inner = stride[dim + 1];
    const packed = inner === undefined ? ONE : mul(sizeAt(layout, dim + 1), inner);
    if (ask.isOne(sizeAt(layout, dim)) === false && ask.less(packed, step) === true) return dim;
  }
  return null;
}

function sizeAt(layout: Layout, dim: number): SymInt {
  return layout.shape[dim] ?? ONE;
}
