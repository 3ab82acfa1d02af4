import { type Decisions, divideExactly, int, mul, type SymInt, sub } from '../symbols/index.ts';
import type { Layout } from '../tensor/index.ts';

/** The dims along which all elements are one memory cell: stride 0 and more than one element. */
export function sharedDims(layout: Layout, ask: Decisions): readonly number[] {
  if (layout.stride === null) return [];
  return layout.stride.flatMap((stride, dim) => {
    const size = layout.shape[dim];
    if (stride.constant !== 0 || size === undefined) return [];
    return ask.isOne(size) === false && !isEmpty(layout) ? [dim] : [];
  });
}

/**
 * Two dims whose elements overlap although no stride is 0, as in the windows of `unfold`: a step in the one dim is k
 * steps in the other, which has more than k elements. Null where that cannot be shown; there may be overlap all the same.
 */
export function crossingDims(layout: Layout, ask: Decisions): readonly [number, number] | null {
  const { shape, stride } = layout;
  if (stride === null || isEmpty(layout)) return null;
  for (const [outer, far] of stride.entries()) {
    for (const [inner, near] of stride.entries()) {
      if (outer === inner || far.constant === 0 || near.constant === 0 || !manyIn(shape[outer], ask)) continue;
      const steps = divideExactly(far, near, ask.facts);
      const size = shape[inner];
      if (steps !== null && size !== undefined && ask.less(steps, size) === true) return [outer, inner];
    }
  }
  return null;
}

function isEmpty(layout: Layout): boolean {
  return layout.shape.some((size) => size.constant === 0);
}

function manyIn(size: SymInt | undefined, ask: Decisions): boolean {
  return size !== undefined && ask.isOne(size) === false;
}

/**
 * Whether a region and a source of the same shape and strides in one storage are shifted against each other so that they
 * share elements without being the same: `x[1:] = x[:-1]`. The shift is then a whole number of steps in one dim, fewer
 * than its size. Undefined where it cannot be told.
 */
export function shifted(region: Layout, source: Layout, ask: Decisions): boolean | undefined {
  const [a, b] = [region.stride, source.stride];
  if (a === null || b === null || region.offset === null || source.offset === null) return undefined;
  if (isEmpty(region) || a.length !== b.length || region.shape.length !== source.shape.length) return undefined;
  for (const [dim, stride] of a.entries()) {
    const [other, size, width] = [b[dim], region.shape[dim], source.shape[dim]];
    if (other === undefined || size === undefined || width === undefined) return undefined;
    if (ask.equal(stride, other) !== true || ask.equal(size, width) !== true) return undefined;
  }
  const shift = sub(region.offset, source.offset);
  if (shift.constant === 0) return false;
  for (const [dim, stride] of a.entries()) {
    const size = region.shape[dim];
    if (size === undefined || stride.constant === 0) continue;
    const steps = divideExactly(shift, stride, ask.facts);
    if (steps === null) continue;
    const back = mul(steps, steps);
    // |steps| < size, with both squared so that the sign does not matter.
    if (ask.less(back, mul(size, size)) === true) return true;
  }
  return undefined;
}

/**
 * Whether a source that is broadcast over a region is itself part of it: `x -= x[:, :1]`. Each of its elements is then read
 * for many places, one of which is its own. Undefined where it cannot be told.
 */
export function spread(region: Layout, source: Layout, ask: Decisions): boolean | undefined {
  const [a, b] = [region.stride, source.stride];
  if (a === null || b === null || region.offset === null || source.offset === null || isEmpty(region)) return undefined;
  const front = a.length - b.length;
  if (front < 0) return undefined;
  const wide: number[] = [];
  for (const [dim, stride] of a.entries()) {
    const [size, width, other] = [region.shape[dim], source.shape[dim - front], b[dim - front]];
    if (size === undefined) return undefined;
    const missing = width === undefined || other === undefined;
    if (missing || ask.isOne(width) === true) {
      if (manyIn(size, ask)) wide.push(dim);
    } else if (ask.equal(stride, other) !== true || ask.equal(size, width) !== true) return undefined;
  }
  const shift = sub(source.offset, region.offset);
  if (wide.length === 0) return undefined;
  if (shift.constant === 0) return true;
  return wide.some((dim) => {
    const [stride, size] = [a[dim], region.shape[dim]];
    const steps = stride === undefined || stride.constant === 0 ? null : divideExactly(shift, stride, ask.facts);
    return steps !== null && size !== undefined && ask.less(int(-1), steps) === true && ask.less(steps, size) === true;
  });
}
