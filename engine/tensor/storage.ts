import { add, always, type Decisions, int, mul, ONE, type SymInt, sub, type Truth, ZERO } from '../symbols/index.ts';
import { type DType, itemsize } from './dtype.ts';
import type { Layout } from './layout.ts';
import { anyZero, at } from './sizes.ts';

/** Elements from the first to the last that the layout touches, the offset left out; null where the strides are not known. */
export function span(layout: Layout): SymInt | null {
  const { shape, stride } = layout;
  if (anyZero(shape)) return ZERO;
  if (stride === null) return null;
  let elements = ONE;
  for (let d = 0; d < shape.length; d++) {
    const size = at(shape, d);
    if (size.constant !== 1) elements = add(elements, mul(sub(size, ONE), at(stride, d)));
  }
  return elements;
}

/** Bytes of a fresh storage for this layout; null where strides or dtype are not known. */
export function storageNbytes(layout: Layout, dtype: DType | null): SymInt | null {
  const elements = span(layout);
  return elements === null || dtype === null ? null : mul(elements, int(itemsize(dtype)));
}

/** Bytes that a storage must have for this layout, the offset included: 0 where there are no elements. */
export function bytesNeeded(layout: Layout, dtype: DType): SymInt | null {
  const elements = span(layout);
  if (elements === null || layout.offset === null) return null;
  return elements.constant === 0 ? ZERO : mul(add(layout.offset, elements), int(itemsize(dtype)));
}

/** Whether a storage of `nbytes` holds the layout, as `as_strided` and `set_` check. */
export function fitsStorage(layout: Layout, dtype: DType, nbytes: SymInt, ask: Decisions): Truth {
  const needed = bytesNeeded(layout, dtype);
  if (needed === null) return undefined;
  const exceeds = always('less', nbytes, needed, ask.facts);
  return exceeds === undefined ? undefined : !exceeds;
}
