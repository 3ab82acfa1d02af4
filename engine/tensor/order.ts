import { type Decisions, type Facts, mul, ONE, type SymInt, ZERO } from '../symbols/index.ts';
import { contiguousStride, inwards } from './layout.ts';
import { anyZero, at, equalSize, type Ints, isMultiple, lessSize } from './sizes.ts';

/**
 * The order of dims, innermost first, in which TensorIterator lays out a fresh result (`reorder_dimensions`), which is
 * also that of `infer_dense_strides`.
 *
 * 1. Insertion sort from the last dim on. Two dims are compared operand by operand: a stride of 0 says nothing, a smaller
 *    stride stays inside, equal strides put the smaller size inside or say nothing.
 * 2. Where no operand says anything the two stay as they are, but the comparison goes on with the dims further inside.
 *
 * That the earlier operand decides is arbitrary, and so is where dims end up that nothing orders.
 * Undefined: the order of the strides cannot be told.
 */
export function orderOf(rows: readonly Ints[], shape: Ints, ask: Decisions): number[] | undefined {
  const order = inwards(shape.length);
  if (!anyZero(shape) && rows.every((row) => isRowMajor(row, shape, ask.facts))) return order;
  for (let i = 1; i < order.length; i++) {
    let moving = i;
    for (let inner = i - 1; inner >= 0; inner--) {
      const verdict = compareDims(rows, shape, order[inner] ?? 0, order[moving] ?? 0, ask);
      if (verdict === undefined) return undefined;
      if (verdict === 'keep') break;
      if (verdict === 'swap') {
        [order[inner], order[moving]] = [order[moving] ?? 0, order[inner] ?? 0];
        moving = inner;
      }
    }
  }
  return order;
}

/**
 * Whether this operand can never ask for a swap, whatever its symbols stand for: going outwards, each stride is a multiple
 * of the stride before times its size. (Equal strides then imply a size of 1 inside, which does not swap.)
 */
function isRowMajor(row: Ints, shape: Ints, facts: Facts): boolean {
  let floor: SymInt | null = null;
  for (let d = row.length - 1; d >= 0; d--) {
    const stride = at(row, d);
    if (stride.constant === 0) continue;
    if (floor !== null && !isAtLeastMultiple(stride, floor, facts)) return false;
    floor = mul(stride, at(shape, d));
  }
  return true;
}

function isAtLeastMultiple(stride: SymInt, floor: SymInt, facts: Facts): boolean {
  if (stride.constant !== null && floor.constant !== null)
    return floor.constant > 0 && stride.constant >= floor.constant;
  return isMultiple(stride, floor, facts);
}

type Verdict = 'keep' | 'swap' | 'undecided' | undefined;

function compareDims(rows: readonly Ints[], shape: Ints, inner: number, outer: number, ask: Decisions): Verdict {
  for (const row of rows) {
    const a = at(row, inner);
    const b = at(row, outer);
    if (a.constant === 0 || b.constant === 0) continue;
    if (a.constant !== null && b.constant !== null) {
      if (a.constant < b.constant) return 'keep';
      if (a.constant > b.constant) return 'swap';
    } else {
      const level = equalSize(a, b, ask);
      const verdict = level === true ? 'undecided' : level === false ? compareStrides(a, b, ask) : undefined;
      if (verdict !== 'undecided') return verdict;
    }
    const larger = lessSize(at(shape, outer), at(shape, inner), ask);
    if (larger !== false) return larger === true ? 'swap' : undefined;
  }
  return 'undecided';
}

/** Of two strides known to differ. */
function compareStrides(a: SymInt, b: SymInt, ask: Decisions): Verdict {
  if (isMultiple(b, a, ask.facts)) return 'keep';
  if (isMultiple(a, b, ask.facts)) return 'swap';
  const smaller = ask.less(a, b);
  return smaller === undefined ? undefined : smaller ? 'keep' : 'swap';
}

/** Strides without gaps in the given order of dims. Where that is row-major a size of 0 counts as 1, else as 0. */
export function denseStride(order: readonly number[], shape: Ints): SymInt[] {
  if (order.every((d, i) => d === shape.length - 1 - i)) return contiguousStride(shape);
  const stride: SymInt[] = new Array(shape.length).fill(ZERO);
  let run = ONE;
  for (const d of order) {
    stride[d] = run;
    run = mul(run, at(shape, d));
  }
  return stride;
}
