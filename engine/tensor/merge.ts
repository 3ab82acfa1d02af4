import { always, type Decisions, divideExactly, mul, ONE, type SymInt, same, type Truth } from '../symbols/index.ts';
import { type Cause, type Result, unsure } from './fault.ts';
import { contiguousStride, type Layout } from './layout.ts';
import { anyZero, at, equalSize, type Ints, isMultiple, isOne, sameInts } from './sizes.ts';

/** Whether the same memory can be seen under another shape. */
export type Merge =
  | { readonly is: 'view'; readonly stride: Ints | null }
  | { readonly is: 'blocked'; readonly cause: Cause }
  | { readonly is: 'unknown'; readonly reason: string };

/**
 * Strides under which `shape` shows the layout's memory; null where it takes a copy. The numbers of elements must agree.
 */
export function computeStride(layout: Layout, shape: Ints, ask: Decisions): Result<Ints | null> {
  const merge = mergeStride(layout, shape, ask);
  switch (merge.is) {
    case 'view':
      return merge.stride ?? unsure('the strides are not known');
    case 'blocked':
      return null;
    case 'unknown':
      return unsure(merge.reason);
  }
}

/**
 * PyTorch's `computeStride`.
 *
 * 1. From the last dim on, old dims that lie one around the other without a gap make a chunk.
 * 2. New dims are cut from each chunk, again from the last one on; a view exists if their sizes multiply to the chunk's.
 *
 * New dims of size 1 go with the chunk they follow, which is arbitrary but shows in their strides. PyTorch cuts new dims
 * while their product is smaller than the chunk. Where sizes are symbols no order is needed: a cut is right exactly if
 * some product of the next new dims equals the chunk, and in the outermost chunk the rest always does.
 */
export function mergeStride(layout: Layout, shape: Ints, ask: Decisions): Merge {
  const { stride } = layout;
  if (layout.shape.length === 0) return { is: 'view', stride: shape.map(() => ONE) };
  if (stride === null) {
    if (sameInts(withoutOnes(layout.shape), withoutOnes(shape))) return { is: 'view', stride: null };
    return { is: 'unknown', reason: 'the strides are not known' };
  }
  if (anyZero(layout.shape)) {
    return { is: 'view', stride: sameInts(layout.shape, shape) ? stride : contiguousStride(shape) };
  }
  const cuts: Cut[] = [];
  let end = shape.length;
  let base = at(stride, stride.length - 1);
  let numel = ONE;
  for (let d = layout.shape.length - 1; d > 0; d--) {
    numel = mul(numel, at(layout.shape, d));
    const expected = mul(numel, base);
    const merges = dimMerges(at(layout.shape, d - 1), at(stride, d - 1), expected, ask);
    if (merges === undefined) return { is: 'unknown', reason: `dims ${d - 1} and ${d} may merge or not` };
    if (merges) continue;
    const start = cutStart(numel, shape, end, ask);
    if (start === 'unknown') return { is: 'unknown', reason: `the new sizes may split dims ${d - 1} and ${d} or not` };
    if (start === 'none') {
      const cause: Cause = {
        is: 'dims-do-not-merge',
        dim: d - 1,
        stride: at(stride, d - 1),
        expected,
        size: at(layout.shape, d - 1),
      };
      return { is: 'blocked', cause };
    }
    cuts.push({ start, base });
    end = start;
    base = at(stride, d - 1);
    numel = ONE;
  }
  return { is: 'view', stride: strideOfCuts(cuts, base, shape, ask) };
}

/**
 * Whether it takes a copy however the sizes of both shapes are related, of which no more is known than that their products
 * are equal: some new dim reaches over a gap between two old ones. It does where the sizes inside the gap, or those
 * before it, multiply to a proper multiple of what the new dims up to some one multiply to, and to a proper divisor of
 * what they do with that one.
 */
export function isBlockedAnyway({ shape: old, stride }: Layout, shape: Ints, ask: Decisions): boolean {
  if (stride === null) return false;
  const ends = { inner: products(shape.toReversed()), outer: products(shape) };
  const within = { inner: products(old.toReversed()), outer: products(old) };
  let base = at(stride, stride.length - 1);
  let numel = ONE;
  for (let d = old.length - 1; d > 0; d--) {
    numel = mul(numel, at(old, d));
    if (dimMerges(at(old, d - 1), at(stride, d - 1), mul(numel, base), ask) !== false) continue;
    const inner = at(within.inner, old.length - d);
    if (isBetween(inner, ends.inner, ask) || isBetween(at(within.outer, d), ends.outer, ask)) return true;
    base = at(stride, d - 1);
    numel = ONE;
  }
  return false;
}

/** Of none of the sizes, of the first, of the first two, ... */
function products(sizes: Ints): Ints {
  const found = [ONE];
  for (const size of sizes) found.push(mul(at(found, found.length - 1), size));
  return found;
}

const isBetween = (value: SymInt, steps: Ints, ask: Decisions): boolean =>
  steps.some((step, i) => i > 0 && dividesProperly(at(steps, i - 1), value, ask) && dividesProperly(value, step, ask));

function dividesProperly(divisor: SymInt, value: SymInt, ask: Decisions): boolean {
  if (!isMultiple(value, divisor, ask.facts)) return false;
  const times = divideExactly(value, divisor, ask.facts);
  return times !== null && isOne(times, ask) === false;
}

const withoutOnes = (shape: Ints): Ints => shape.filter((size) => size.constant !== 1);

/** Whether a dim goes on where the chunk inside it ends. A dim of size 1 always does. */
function dimMerges(size: SymInt, stride: SymInt, expected: SymInt, ask: Decisions): Truth {
  if (size.constant === 1) return true;
  const fits = equalSize(stride, expected, ask);
  if (fits === true) return true;
  const one = isOne(size, ask);
  return one === true ? true : one === false ? fits : undefined;
}

/** The new dims from `start` up to the cut before are cut from one chunk of stride `base`. */
interface Cut {
  readonly start: number;
  readonly base: SymInt;
}

/** Where the new dims before `end` begin that multiply to `numel`; `none` where no run of them does. */
function cutStart(numel: SymInt, shape: Ints, end: number, ask: Decisions): number | 'none' | 'unknown' {
  for (let reached = ONE, start = end; start >= 0; start--) {
    if (same(reached, numel) || isEqualNow(reached, numel, ask)) return start;
    if (start > 0) reached = mul(reached, at(shape, start - 1));
  }
  let unknown = false;
  for (let reached = ONE, start = end; start >= 0; start--) {
    const fits = equalSize(numel, reached, ask);
    if (fits === true) return start;
    if (fits === undefined) unknown = true;
    else if (exceeds(reached, numel, ask)) break;
    if (start > 0) reached = mul(reached, at(shape, start - 1));
  }
  return unknown ? 'unknown' : 'none';
}

const isEqualNow = (a: SymInt, b: SymInt, ask: Decisions): boolean =>
  (a.constant === null || b.constant === null) && always('equal', a, b, ask.facts) === true;

/** Of two numbers that differ. */
function exceeds(a: SymInt, b: SymInt, ask: Decisions): boolean {
  return a.constant !== null && b.constant !== null ? a.constant > b.constant : isMultiple(a, b, ask.facts);
}

/**
 * The dims before all cuts are of a chunk of stride `outermost`. Null where a size that may or may not be 1 could go with
 * either of two chunks.
 */
function strideOfCuts(cuts: readonly Cut[], outermost: SymInt, shape: Ints, ask: Decisions): Ints | null {
  const stride: SymInt[] = new Array(shape.length);
  let d = shape.length - 1;
  for (const { start, base } of cuts) {
    let run = base;
    for (; d >= start; d--) {
      stride[d] = run;
      run = mul(run, at(shape, d));
    }
    for (; d >= 0; d--) {
      const one = isOne(at(shape, d), ask);
      if (one === undefined) return null;
      if (!one) break;
      stride[d] = run;
    }
  }
  for (let run = outermost; d >= 0; d--) {
    stride[d] = run;
    run = mul(run, at(shape, d));
  }
  return stride;
}
