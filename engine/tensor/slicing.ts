import {
  add,
  always,
  ceilDiv,
  type Decisions,
  floorDiv,
  int,
  maximum,
  minimum,
  mul,
  neg,
  ONE,
  type SymInt,
  sub,
  ZERO,
} from '../symbols/index.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { dropped, type Layout, layoutOf, pick, spliced, upTo, wrapDim } from './layout.ts';
import { at, less } from './sizes.ts';

/** The dim is dropped; a negative index counts from the end. */
export function select(layout: Layout, dim: number, index: SymInt, ask: Decisions): Result<Layout> {
  if (layout.shape.length === 0) {
    return raises({ is: 'rank-differs', what: 'select', expected: 'at least 1', got: 0 });
  }
  const d = wrapDim(layout, dim);
  if (isFault(d)) return d;
  const size = at(layout.shape, d);
  if (always('less', index, size, ask.facts) === false || always('less', index, neg(size), ask.facts) === true) {
    return raises({ is: 'index-out-of-range', index, dim: d, size });
  }
  const negative = less(index, ZERO, ask);
  const place = negative === undefined ? null : negative ? add(index, size) : index;
  const { shape, stride } = dropped(layout, d);
  return layoutOf(shape, stride, advanced(layout, d, place), layout.front);
}

/** The offset after `count` steps along a dim. */
function advanced(layout: Layout, dim: number, count: SymInt | null): SymInt | null {
  if (layout.offset === null || count === null) return null;
  if (count.constant === 0) return layout.offset;
  return layout.stride === null ? null : add(layout.offset, mul(count, at(layout.stride, dim)));
}

/**
 * `x[start:end:step]` along a dim; null: not given. Both ends are clamped to the size, as Python does, and the offset moves
 * by the clamped start even where nothing is left.
 */
export function slice(
  layout: Layout,
  dim: number,
  start: SymInt | null,
  end: SymInt | null,
  step: SymInt,
  ask: Decisions,
): Result<Layout> {
  if (layout.shape.length === 0) {
    return raises({ is: 'rank-differs', what: 'slice', expected: 'at least 1', got: 0 });
  }
  const d = wrapDim(layout, dim);
  if (isFault(d)) return d;
  if (always('less', step, ONE, ask.facts) === true) {
    return raises({ is: 'argument', name: 'step', got: String(step.constant ?? '?'), expects: 'a step above 0' });
  }
  const size = at(layout.shape, d);
  const from = start === null ? ZERO : clamped(start, size, ask);
  const to = end === null ? size : clamped(end, size, ask);
  if (from === null || to === null) return unsure(`a bound of the slice of dim ${d} may be negative`);
  const length = sub(atLeast(to, from, ask), from);
  const { shape, stride, front } = layout;
  return layoutOf(
    spliced(shape, d, 1, [ceilDiv(length, step)]),
    stride === null ? null : spliced(stride, d, 1, [mul(at(stride, d), step)]),
    advanced(layout, d, from),
    front,
  );
}

/** A slice bound, taken from the end where it is negative, kept within 0 and the size. */
function clamped(bound: SymInt, size: SymInt, ask: Decisions): SymInt | null {
  const negative = less(bound, ZERO, ask);
  if (negative === undefined) return null;
  return negative ? atLeast(add(bound, size), ZERO, ask) : atMost(bound, size, ask);
}

function atLeast(value: SymInt, floor: SymInt, ask: Decisions): SymInt {
  const below = less(value, floor, ask);
  return below === undefined ? maximum(value, floor) : below ? floor : value;
}

function atMost(value: SymInt, ceiling: SymInt, ask: Decisions): SymInt {
  const above = less(ceiling, value, ask);
  return above === undefined ? minimum(value, ceiling) : above ? ceiling : value;
}

/** Unlike a slice, raises where it would reach beyond the dim. */
export function narrow(layout: Layout, dim: number, start: SymInt, length: SymInt, ask: Decisions): Result<Layout> {
  if (layout.shape.length === 0) {
    return raises({ is: 'rank-differs', what: 'narrow', expected: 'at least 1', got: 0 });
  }
  const d = wrapDim(layout, dim);
  if (isFault(d)) return d;
  const size = at(layout.shape, d);
  if (always('less', length, ZERO, ask.facts) === true) {
    return raises({
      is: 'argument',
      name: 'length',
      got: String(length.constant ?? '?'),
      expects: 'a length of at least 0',
    });
  }
  const negative = less(start, ZERO, ask);
  if (negative === undefined) return unsure('the start may be negative');
  const from = negative ? add(start, size) : start;
  if (always('less', size, add(from, length), ask.facts) === true || always('less', from, ZERO, ask.facts) === true) {
    return raises({ is: 'index-out-of-range', index: add(from, length), dim: d, size });
  }
  const { shape, stride, front } = layout;
  return layoutOf(spliced(shape, d, 1, [length]), stride, advanced(layout, d, from), front);
}

/** The diagonal `offset` above (below, where negative) the main one, as a last dim. An empty one keeps the storage offset. */
export function diagonal(layout: Layout, offset: SymInt, dim1: number, dim2: number, ask: Decisions): Result<Layout> {
  const a = wrapDim(layout, dim1);
  if (isFault(a)) return a;
  const b = wrapDim(layout, dim2);
  if (isFault(b)) return b;
  if (a === b) return raises({ is: 'argument', name: 'dim2', got: String(dim2), expects: 'another dim than `dim1`' });
  const below = less(offset, ZERO, ask);
  if (below === undefined) return unsure('the diagonal may lie above or below');
  const rows = below ? add(at(layout.shape, a), offset) : at(layout.shape, a);
  const columns = below ? at(layout.shape, b) : sub(at(layout.shape, b), offset);
  const length = atLeast(atMost(rows, columns, ask), ZERO, ask);
  const rest = pick(
    layout,
    upTo(layout.shape.length).filter((d) => d !== a && d !== b),
  );
  const { stride } = layout;
  return {
    ...rest,
    shape: [...rest.shape, length],
    stride: rest.stride === null || stride === null ? null : [...rest.stride, add(at(stride, a), at(stride, b))],
    offset:
      length.constant === 0 ? layout.offset : below ? advanced(layout, a, neg(offset)) : advanced(layout, b, offset),
  };
}

/** Windows of `size` every `step` along a dim, the place within the window as a last dim. */
export function unfold(layout: Layout, dim: number, size: SymInt, step: SymInt, ask: Decisions): Result<Layout> {
  const d = wrapDim(layout, dim);
  if (isFault(d)) return d;
  const { shape, stride } = layout;
  const scalar = shape.length === 0;
  const whole = scalar ? ONE : at(shape, d);
  if (always('less', size, ZERO, ask.facts) === true || always('less', whole, size, ask.facts) === true) {
    return raises({ is: 'index-out-of-range', index: size, dim: d, size: whole });
  }
  if (always('less', step, ONE, ask.facts) === true) {
    return raises({ is: 'argument', name: 'step', got: String(step.constant ?? '?'), expects: 'a step above 0' });
  }
  if (scalar) return { ...layout, shape: [size], stride: [ONE] };
  const windows = add(floorDiv(sub(whole, size), step), ONE);
  return {
    ...layout,
    shape: [...spliced(shape, d, 1, [windows]), size],
    stride: stride === null ? null : [...spliced(stride, d, 1, [mul(step, at(stride, d))]), at(stride, d)],
  };
}

/** One tensor per index of a dim, whose size must be known. */
export function unbind(layout: Layout, dim: number, ask: Decisions): Result<Layout[]> {
  if (layout.shape.length === 0) {
    return raises({ is: 'rank-differs', what: 'unbind', expected: 'at least 1', got: 0 });
  }
  const d = wrapDim(layout, dim);
  if (isFault(d)) return d;
  const count = at(layout.shape, d).constant;
  if (count === null || count > MOST_PIECES) return unsure(`the size of dim ${d} is not known`);
  return all(Array.from({ length: count }, (_, i) => select(layout, d - layout.shape.length, int(i), ask)));
}

/** Beyond this many pieces nobody names them one by one. */
const MOST_PIECES = 4096;

export function all<T>(results: readonly Result<T>[]): Result<T[]> {
  const values: T[] = [];
  for (const result of results) {
    if (isFault(result)) return result;
    values.push(result);
  }
  return values;
}
