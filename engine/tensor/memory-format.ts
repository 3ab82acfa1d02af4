import { type Decisions, mul, ONE, type SymInt, type Truth, ZERO } from '../symbols/index.ts';
import { isContiguous, runsThrough } from './contiguity.ts';
import { contiguousStride, type Layout } from './layout.ts';
import { at, equalSize, type Ints, isZero, lessSize } from './sizes.ts';

export type MemoryFormat = 'contiguous_format' | 'channels_last' | 'channels_last_3d' | 'preserve_format';

const CHANNELS_LAST = [1, 3, 2, 0] as const;
const CHANNELS_LAST_3D = [1, 4, 3, 2, 0] as const;

function channelsLastOrder(ndim: number): readonly number[] | null {
  return ndim === 4 ? CHANNELS_LAST : ndim === 5 ? CHANNELS_LAST_3D : null;
}

/** Strides made for channels_last (rank 4) or channels_last_3d (rank 5). Unlike the contiguous ones, a size of 0 makes strides of 0. */
export function channelsLastStride(shape: Ints): SymInt[] {
  const order = channelsLastOrder(shape.length);
  if (order === null) return contiguousStride(shape);
  const stride: SymInt[] = new Array(shape.length);
  let run = ONE;
  for (const d of order) {
    stride[d] = run;
    run = mul(run, at(shape, d));
  }
  return stride;
}

export function strideFor(shape: Ints, format: MemoryFormat): SymInt[] {
  return format === 'channels_last' || format === 'channels_last_3d'
    ? channelsLastStride(shape)
    : contiguousStride(shape);
}

/** `x.is_contiguous(memory_format=channels_last[_3d])`. Unlike `isContiguous`, a tensor without elements may not be. */
export function isChannelsLast(layout: Layout, ask: Decisions): Truth {
  if (layout.front) return layout.shape.length > 6 ? false : undefined;
  const order = channelsLastOrder(layout.shape.length);
  return order === null ? false : runsThrough(layout, order, ask);
}

/** `x.is_contiguous(memory_format=format)`: channels_last is a matter of rank 4, channels_last_3d of rank 5. */
export function isInFormat(layout: Layout, format: MemoryFormat, ask: Decisions): Truth {
  if (format !== 'channels_last' && format !== 'channels_last_3d') return isContiguous(layout, ask);
  const rank = format === 'channels_last' ? 4 : 5;
  return !layout.front && layout.shape.length !== rank ? false : isChannelsLast(layout, ask);
}

/**
 * c10 `is_channels_last_strides_2d/3d`: do the strides look like channels_last? The heuristic behind
 * `suggest_memory_format`, which conv, pool, cat and `to(memory_format=…)` follow. It reads strides of size-1 dims too.
 */
export function likeChannelsLast(layout: Layout, ask: Decisions): Truth {
  const { shape, stride, front } = layout;
  // Behind an unknown front, dims of a generic size that lie in order do not look like channels_last, whatever the rank.
  if (front) return shape.length > 6 || isContiguous(layout, ask) === true ? false : undefined;
  const order = channelsLastOrder(shape.length);
  if (order === null || shape.some(isZero)) return false;
  if (stride === null) return undefined;
  const channel = at(stride, 1);
  if (isZero(channel)) return false;
  let result: Truth = true;
  let low = ZERO;
  for (const d of order) {
    const below = isZero(low) ? false : lessSize(at(stride, d), low, ask);
    if (below === true) return false;
    // N111, and a sliced N11W, are ambiguous: they count as contiguous.
    const ambiguous = d === 0 ? equalSize(low, channel, ask) : false;
    if (ambiguous === true) return false;
    if (below === undefined || ambiguous === undefined) result = undefined;
    low = mul(at(stride, d), at(shape, d));
  }
  return result;
}

/** `x.suggest_memory_format()`; undefined where it cannot be told. */
export function suggestMemoryFormat(layout: Layout, ask: Decisions): MemoryFormat | undefined {
  const like = likeChannelsLast(layout, ask);
  if (like === undefined) return undefined;
  if (!like) return 'contiguous_format';
  return layout.shape.length === 4 ? 'channels_last' : 'channels_last_3d';
}

/** The format that `cat` of these gives its result: the one that all suggest, else contiguous. */
export function catFormat(layouts: readonly Layout[], ask: Decisions): MemoryFormat | undefined {
  let common: MemoryFormat | undefined;
  let unknown = false;
  for (const layout of layouts) {
    const format = suggestMemoryFormat(layout, ask);
    if (format === 'contiguous_format') return format;
    if (format === undefined) unknown = true;
    else if (common !== undefined && common !== format) return 'contiguous_format';
    else common = format;
  }
  return unknown ? undefined : (common ?? 'contiguous_format');
}
