import type { DType } from '../tensor/dtype.ts';
import { itemsize } from '../tensor/dtype.ts';
import type { Layout } from '../tensor/layout.ts';

/** Bytes of a cache line on x86-64 and most ARM cores. PyTorch knows no such number: what follows is arithmetic alone. */
export const LINE = 64;

/** The cache lines that a walk along one dim touches, in the order of the walk. */
export interface Walk {
  /** The first byte of each element, from the start of the storage. */
  readonly bytes: readonly number[];
  /** The distinct lines, by number from the start of the storage. */
  readonly lines: readonly number[];
  /** Bytes of the touched lines that the walk reads, over all their bytes: 1 for a walk over whole lines. */
  readonly used: number;
}

/** Longer walks are not listed: nobody looks at them, and their share is that of a shorter walk. */
const LONGEST = 1 << 16;

/**
 * The walk over `layout[0, …, :, …, 0]` along `dim`, for an array whose storage begins on a line (CPU storages of PyTorch are
 * aligned to 64 bytes). Null where a number is missing or the walk is empty.
 */
export function walk(layout: Layout, dim: number, dtype: DType): Walk | null {
  const size = layout.shape[dim]?.constant ?? null;
  const stride = layout.stride?.[dim]?.constant ?? null;
  const offset = layout.offset?.constant ?? null;
  if (layout.front || size === null || stride === null || offset === null || size < 1 || size > LONGEST) return null;
  const width = itemsize(dtype);
  const bytes = Array.from({ length: size }, (_, i) => (offset + i * stride) * width);
  const lines = new Set<number>();
  const read = new Set<number>();
  for (const start of bytes) {
    for (let byte = start; byte < start + width; byte++) {
      lines.add(Math.floor(byte / LINE));
      read.add(byte);
    }
  }
  return { bytes, lines: [...lines], used: read.size / (lines.size * LINE) };
}

/**
 * The share of each line that a long walk with this stride (in elements) uses: 1 where neighbours lie side by side,
 * `itemsize / 64` where every element has a line of its own. It falls as the stride grows, and no further than that.
 */
export function shareOfLine(stride: number, dtype: DType): number {
  const width = itemsize(dtype);
  const step = Math.abs(stride) * width;
  if (step === 0) return width / LINE;
  return step >= LINE ? width / LINE : width / step;
}

/**
 * How many times fewer lines a walk with stride 1 touches. A 4-byte dtype: 16 at most, and 3 where a pixel of three channels
 * is stepped over.
 */
export const reuse = (stride: number, dtype: DType): number => (stride === 0 ? 1 : 1 / shareOfLine(stride, dtype));
