import { add, int, mul, type SymInt } from '../symbols/index.ts';
import type { DType } from '../tensor/dtype.ts';
import { itemsize } from '../tensor/dtype.ts';
import type { Layout } from '../tensor/layout.ts';

/** Where an element lies: its position in the storage in elements, and its first byte. Python, too, can see both. */
export interface Address {
  readonly element: SymInt;
  /** From the start of the storage; null where the dtype is not known. */
  readonly byte: SymInt | null;
}

/**
 * The address of `tensor[index]`: `offset + Σ index[i] * stride[i]`, times the size of an element. Null where the layout is
 * not known or the index has not one entry for each dim. Entries count from 0; the caller resolves negative ones.
 */
export function addressOf(layout: Layout, index: readonly SymInt[], dtype: DType | null): Address | null {
  const { stride, offset, front } = layout;
  if (stride === null || offset === null || front || index.length !== stride.length) return null;
  const element = index.reduce((total, i, dim) => add(total, mul(i, stride[dim] ?? int(0))), offset);
  return { element, byte: dtype === null ? null : mul(element, int(itemsize(dtype))) };
}

/** Bytes of the elements themselves, each counted as often as the shape names it: a view may own fewer, or share them all. */
export function payloadBytes(layout: Layout, dtype: DType): SymInt {
  return layout.shape.reduce((total, size) => mul(total, size), int(itemsize(dtype)));
}
