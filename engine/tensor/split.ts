import {
  add,
  always,
  ceilDiv,
  type Decisions,
  divideExactly,
  int,
  mul,
  ONE,
  type SymInt,
  sub,
  sum,
  ZERO,
} from '../symbols/index.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { type Layout, wrapDim } from './layout.ts';
import { at, type Demands, type Ints } from './sizes.ts';
import { all, narrow } from './slicing.ts';

/** Beyond this many pieces nobody names them one by one. */
const MOST_PIECES = 4096;

/** Pieces of one size, the last one possibly shorter. The size of the dim over `size` must be known. */
export function split(layout: Layout, size: SymInt, dim: number, ask: Decisions): Result<Layout[]> {
  const d = dimToSplit(layout, dim, 'split');
  if (isFault(d)) return d;
  const whole = at(layout.shape, d);
  if (
    always('less', size, ZERO, ask.facts) === true ||
    (size.constant === 0 && whole.constant !== null && whole.constant > 0)
  ) {
    return raises({ is: 'argument', name: 'split_size', got: String(size.constant ?? '?'), expects: 'a size above 0' });
  }
  if (size.constant === 0 || whole.constant === 0) return [layout];
  const pieces =
    divideExactly(whole, size, ask.facts) ??
    (whole.constant !== null && size.constant !== null ? ceilDiv(whole, size) : null);
  const count = pieces?.constant ?? null;
  if (count === null || count > MOST_PIECES) return unsure('the number of pieces is not known');
  return pieceByPiece(
    layout,
    d,
    Array.from({ length: count }, (_, i) => (i < count - 1 ? size : sub(whole, mul(int(count - 1), size)))),
    ask,
  );
}

/** Pieces of the given sizes, which must add up to the dim's. */
export function splitSizes(
  layout: Layout,
  sizes: Ints,
  dim: number,
  ask: Decisions,
  options: Demands = {},
): Result<Layout[]> {
  const d = dimToSplit(layout, dim, 'split');
  if (isFault(d)) return d;
  const whole = at(layout.shape, d);
  const total = sum(sizes);
  const fits = always('equal', total, whole, ask.facts);
  if (fits === false || sizes.some((size) => always('less', size, ZERO, ask.facts) === true)) {
    return raises({
      is: 'size-differs',
      what: `dim ${d} and the sum of the sizes`,
      left: whole,
      right: total,
      broadcast: false,
    });
  }
  if (fits === undefined) options.demand?.(total, whole);
  return pieceByPiece(layout, d, sizes, ask);
}

/**
 * At most `chunks` pieces of one size, rounded up, so that fewer may come out. A symbolic size is taken as large enough
 * for all of them.
 */
export function chunk(layout: Layout, chunks: number, dim: number, ask: Decisions): Result<Layout[]> {
  const d = dimToSplit(layout, dim, 'chunk');
  if (isFault(d)) return d;
  if (chunks <= 0) return raises({ is: 'argument', name: 'chunks', got: String(chunks), expects: 'a number above 0' });
  const whole = at(layout.shape, d);
  if (whole.constant === 0) return Array.from({ length: chunks }, () => layout);
  const size = divideExactly(whole, int(chunks), ask.facts) ?? ceilDiv(whole, int(chunks));
  if (whole.constant !== null) return split(layout, size, dim, ask);
  // Too small a size makes fewer pieces: four elements in three chunks are two and two.
  const before = mul(int(chunks - 1), size);
  if (divideExactly(whole, int(chunks), ask.facts) === null)
    ask.leaveOut({ relation: 'less', left: whole, right: add(before, ONE) });
  const last = sub(whole, before);
  return pieceByPiece(
    layout,
    d,
    Array.from({ length: chunks }, (_, i) => (i < chunks - 1 ? size : last)),
    ask,
  );
}

/** Exactly `sections` pieces, the first ones larger by one where the size does not divide. */
export function tensorSplit(layout: Layout, sections: number, dim: number, ask: Decisions): Result<Layout[]> {
  const d = dimToSplit(layout, dim, 'tensor_split');
  if (isFault(d)) return d;
  if (sections <= 0)
    return raises({ is: 'argument', name: 'sections', got: String(sections), expects: 'a number above 0' });
  const whole = at(layout.shape, d);
  const even = divideExactly(whole, int(sections), ask.facts);
  if (even !== null) return pieceByPiece(layout, d, new Array<SymInt>(sections).fill(even), ask);
  if (whole.constant === null) return unsure('the size of the dim is not known to divide');
  const small = Math.floor(whole.constant / sections);
  const larger = whole.constant % sections;
  return pieceByPiece(
    layout,
    d,
    Array.from({ length: sections }, (_, i) => int(i < larger ? small + 1 : small)),
    ask,
  );
}

function dimToSplit(layout: Layout, dim: number, what: string): Result<number> {
  if (layout.shape.length === 0) return raises({ is: 'rank-differs', what, expected: 'at least 1', got: 0 });
  return wrapDim(layout, dim);
}

function pieceByPiece(layout: Layout, dim: number, sizes: Ints, ask: Decisions): Result<Layout[]> {
  let start: SymInt = ZERO;
  const fromEnd = dim - layout.shape.length;
  return all(
    sizes.map((size) => {
      const piece = narrow(layout, fromEnd, start, size, ask);
      start = add(start, size);
      return piece;
    }),
  );
}
