import { type Decisions, type SymInt, ZERO } from '../../symbols/index.ts';
import { contiguousStride, isContiguous, type Layout, strideFor, suggestMemoryFormat } from '../../tensor/index.ts';

export type Format = 'contiguous_format' | 'channels_last' | 'channels_last_3d';

/** A fresh result of `shape` whose strides cannot be told. */
export const unstrided = (shape: readonly SymInt[], front = false): Layout => ({
  shape,
  stride: null,
  offset: ZERO,
  front,
});

/** A fresh row-major result; behind an unknown front the strides are those of the packed block. */
export const fresh = (shape: readonly SymInt[], front = false): Layout => ({
  shape,
  stride: contiguousStride(shape),
  offset: ZERO,
  front,
});

/** What is so of both of two layouts of one shape: of a tensor that may be kept, and of what may be made of it. */
export function common(kept: Layout, made: Layout): Layout {
  const same = kept.stride !== null && made.stride !== null && sameInts(kept.stride, made.stride);
  return { ...made, stride: same ? kept.stride : null, offset: commonOffset(kept) };
}

/**
 * The same where `kept` is kept only if it is packed already: its strides are those of `made` then, but for dims of size 1,
 * whose strides may be any.
 */
export function commonPacked(kept: Layout, made: Layout, ask: Decisions): Layout {
  const sure = kept.shape.every((size) => size.constant !== 1 && ask.isOne(size) === false);
  return { ...made, stride: sure ? made.stride : null, offset: commonOffset(kept) };
}

/** What is made begins at 0. */
const commonOffset = ({ offset }: Layout): SymInt | null => (offset?.constant === 0 ? offset : null);

const sameInts = (a: readonly SymInt[], b: readonly SymInt[]): boolean =>
  a.every((value, d) => value.key === b[d]?.key);

/** A fresh result in a memory format; undefined where the format cannot be told. */
export function inFormat(shape: readonly SymInt[], format: Format | undefined): Layout {
  if (format === undefined) return unstrided(shape);
  return { shape, stride: strideFor(shape, format), offset: ZERO, front: false };
}

/**
 * The memory format that the strides of `layout` suggest: only ranks 4 and 5 suggest anything but contiguous. Behind an
 * unknown front a contiguous layout suggests contiguous, whatever its rank.
 */
export function suggests(layout: Layout, ask: Decisions): Format | undefined {
  if (!layout.front && layout.shape.length !== 4 && layout.shape.length !== 5) return 'contiguous_format';
  if (layout.stride === null) return undefined;
  if (layout.front) return isContiguous(layout, ask) === true ? 'contiguous_format' : undefined;
  const format = suggestMemoryFormat(layout, ask);
  return format === 'preserve_format' ? undefined : format;
}

/** Rule S: the output shape in the format that the input suggests, contiguous where the ranks differ. */
export function suggested(like: Layout, shape: readonly SymInt[], ask: Decisions): Layout {
  if (shape.length !== like.shape.length) return fresh(shape);
  return inFormat(shape, suggests(like, ask));
}
