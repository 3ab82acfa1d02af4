import { always, type Decisions, mul, ONE, type SymInt, type Truth, ZERO } from '../symbols/index.ts';
import { equalNow } from './broadcast.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { type Layout, layoutOf, pick, spliced, upTo, wrapDim, wrapDims } from './layout.ts';
import type { SizeOptions } from './reshape.ts';
import { at, type Ints, isOne, shownInts } from './sizes.ts';

/** A new dim of size 1. Its stride is that of the next dim times the size, as if it had been split off; at the end 1. */
export function unsqueeze(layout: Layout, dim: number): Result<Layout> {
  const { shape, stride } = layout;
  const d = wrapDim(layout, dim, 1);
  if (isFault(d)) return d;
  const own = stride === null ? null : d >= shape.length ? ONE : mul(at(shape, d), at(stride, d));
  return layoutOf(
    spliced(shape, d, 0, [ONE]),
    stride === null || own === null ? null : spliced(stride, d, 0, [own]),
    layout.offset,
    layout.front,
  );
}

/** Drops dims of size 1: those of `dims`, or all where `dims` is null. Other dims of `dims` stay. */
export function squeeze(layout: Layout, dims: readonly number[] | null, ask: Decisions): Result<Layout> {
  const { shape } = layout;
  if (dims === null && layout.front) return unsure('leading dims that are not known may have size 1');
  const wrapped = dims === null ? upTo(shape.length) : wrapDims(layout, dims);
  if (isFault(wrapped)) return wrapped;
  const drop: number[] = [];
  for (const d of wrapped) {
    if (d >= shape.length) continue;
    const one = isOne(at(shape, d), ask);
    if (one === undefined) return unsure(`the size of dim ${d} may be 1`);
    if (one) drop.push(d);
  }
  if (drop.length === 0) return layout;
  return pick(
    layout,
    upTo(shape.length).filter((d) => !drop.includes(d)),
  );
}

export function permute(layout: Layout, dims: readonly number[]): Result<Layout> {
  if (layout.front) return unsure('the number of dims is not known');
  const count = layout.shape.length;
  if (dims.length !== count) {
    return raises({ is: 'rank-differs', what: 'permute', expected: String(dims.length), got: count });
  }
  const order = wrapDims(layout, dims);
  if (isFault(order)) return order;
  if (repeats(order)) {
    return raises({ is: 'argument', name: 'dims', got: `(${dims.join(', ')})`, expects: 'each dim once' });
  }
  return pick(layout, order);
}

export function transpose(layout: Layout, dim0: number, dim1: number): Result<Layout> {
  const a = wrapDim(layout, dim0);
  if (isFault(a)) return a;
  const b = wrapDim(layout, dim1);
  if (isFault(b)) return b;
  const { shape, stride, offset, front } = layout;
  if (shape.length === 0) return layout;
  return layoutOf(swapped(shape, a, b), stride === null ? null : swapped(stride, a, b), offset, front);
}

function swapped(values: Ints, a: number, b: number): Ints {
  const result = values.slice();
  result[a] = at(values, b);
  result[b] = at(values, a);
  return result;
}

function repeats(dims: readonly number[]): boolean {
  for (let i = 1; i < dims.length; i++) for (let j = 0; j < i; j++) if (dims[i] === dims[j]) return true;
  return false;
}

export function movedim(layout: Layout, source: readonly number[], destination: readonly number[]): Result<Layout> {
  if (source.length !== destination.length) {
    return raises({
      is: 'argument',
      name: 'destination',
      got: `${destination.length} dims`,
      expects: 'as many dims as `source`',
    });
  }
  const from = wrapDims(layout, source);
  if (isFault(from)) return from;
  const to = wrapDims(layout, destination);
  if (isFault(to)) return to;
  if (repeats(from) || repeats(to)) {
    return raises({ is: 'argument', name: 'source', got: `(${source.join(', ')})`, expects: 'each dim once' });
  }
  const order = upTo(layout.shape.length);
  let rest = 0;
  for (let d = 0; d < order.length; d++) {
    const moved = to.indexOf(d);
    if (moved < 0) while (from.includes(rest)) rest++;
    order[d] = moved < 0 ? rest++ : (from[moved] ?? d);
  }
  return pick(layout, order);
}

/**
 * Dims of size 1 widened by stride 0, new dims put in front. A size of -1 keeps the dim's.
 *
 * A new leading dim of size 1 is not widened: its stride is the next one's times the size, as in `unsqueeze`.
 */
export function expand(layout: Layout, size: Ints, ask: Decisions, options: SizeOptions = {}): Result<Layout> {
  const { shape, stride } = layout;
  const added = size.length - shape.length;
  if (layout.front && !(options.front === true && added === 0)) return unsure('the number of dims is not known');
  if (added < 0) {
    return raises({ is: 'rank-differs', what: 'expand', expected: `at most ${size.length}`, got: shape.length });
  }
  const front = options.front === true;
  const outShape: SymInt[] = new Array(size.length);
  const outStride: SymInt[] | null = stride === null ? null : new Array(size.length);
  let open = false;
  for (let d = size.length - 1; d >= 0; d--) {
    const old = d - added;
    const widened = old < 0 ? widenNew(at(size, d), d, size, ask) : widen(at(size, d), at(shape, old), d, ask, options);
    if (isFault(widened)) return widened;
    outShape[d] = widened.size;
    open ||= widened.zero === undefined;
    if (outStride === null || stride === null) continue;
    if (widened.zero || shape.length === 0) outStride[d] = ZERO;
    else outStride[d] = old >= 0 ? at(stride, old) : mul(at(outShape, d + 1), at(outStride, d + 1));
  }
  return layoutOf(outShape, open ? null : outStride, layout.offset, front);
}

interface Widened {
  readonly size: SymInt;
  /** The stride becomes 0. A size that was 1 and may be 1 still keeps its stride there. */
  readonly zero: Truth;
}

function widenNew(size: SymInt, dim: number, sizes: Ints, ask: Decisions): Result<Widened> {
  if (size.constant !== null && size.constant < 0) {
    return raises({
      is: 'argument',
      name: 'size',
      got: shownInts(sizes),
      expects: `a size of dim ${dim}, which is new`,
    });
  }
  const one = isOne(size, ask);
  return one === undefined ? unsure(`the new dim ${dim} may have size 1`) : { size, zero: !one };
}

function widen(size: SymInt, old: SymInt, dim: number, ask: Decisions, options: SizeOptions): Result<Widened> {
  if (size.constant === -1) return { size: old, zero: false };
  if (old.constant === 1) {
    const one = isOne(size, ask);
    return { size, zero: one === undefined ? undefined : !one };
  }
  if (equalNow(size, old, ask) === true) return { size, zero: false };
  if (isOne(old, ask) === true) return { size, zero: true };
  if (always('equal', size, old, ask.facts) === false && always('equal', old, ONE, ask.facts) === false) {
    return raises({ is: 'size-differs', what: `dim ${dim}`, left: old, right: size, broadcast: true });
  }
  options.demand?.(old, size);
  return { size, zero: false };
}
