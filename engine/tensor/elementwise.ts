import { type Decisions, type SymInt, same, type Truth, ZERO } from '../symbols/index.ts';
import { broadcastLayouts } from './broadcast.ts';
import { isContiguous, nonOverlappingAndDense } from './contiguity.ts';
import { learning } from './demands.ts';
import { isFault, type Result } from './fault.ts';
import { contiguousStride, type Layout, layoutOf } from './layout.ts';
import { channelsLastStride, isChannelsLast } from './memory-format.ts';
import { denseStride, orderOf } from './order.ts';
import { simplifyInts, simplifyLayouts } from './resolve.ts';
import { at, type Demands, every, type Ints, isOne, noneIsOne, sameInts } from './sizes.ts';

/**
 * The layout of a fresh elementwise result, as TensorIterator makes it from its tensor operands in argument order.
 *
 * 1. Operands of one shape that are all contiguous, all channels_last (rank 4), or dense with the same strides pass that
 *    layout on.
 * 2. Else the dims are put in the order of the operands' strides (`orderOf`), without gaps.
 *
 * A Python scalar that the op wraps takes part as `SCALAR`, which rules the first way out: `x + 1` and `-x` may differ.
 * `stride` of the result is null where the operands' strides are not known or not comparable.
 */
export function elementwise(layouts: readonly Layout[], ask: Decisions, options: Demands = {}): Result<Layout> {
  const learned = learning(ask, options);
  const common = broadcastLayouts(layouts, ask, learned.options);
  if (isFault(common)) return common;
  return freshResult(layouts, common.shape, common.front, learned.ask());
}

function freshResult(operands: readonly Layout[], common: Ints, front: boolean, ask: Decisions): Layout {
  const shape = simplifyInts(common, ask.facts);
  const layouts = simplifyLayouts(operands, ask.facts);
  const rows: (Row | null)[] = [];
  let full = true;
  for (const layout of layouts) {
    const row = operandRow(layout, shape, ask);
    full &&= row === null || row.full;
    rows.push(row);
  }
  if (full) {
    const fast = fastStride(layouts, shape, front, ask);
    if (fast !== undefined && fast !== 'none') return layoutOf(shape, fast, ZERO, front);
    // Both ways lead to the same strides unless a dim has size 1.
    if (fast === undefined && !noneIsOne(shape, ask)) return layoutOf(shape, null, ZERO, front);
  }
  const strides: Ints[] = [];
  for (const row of rows) {
    if (row === null) return layoutOf(shape, null, ZERO, front);
    strides.push(row.stride);
  }
  const order = orderOf(strides, shape, ask);
  // Dims of size 1 may come to lie between those that hide in a front.
  const hidden = front && order?.at(-1) !== 0 && shape.some((size) => size.constant === 1);
  return layoutOf(shape, order === undefined || hidden ? null : denseStride(order, shape), ZERO, front);
}

/** The strides of an operand along the dims of the result: 0 where it is broadcast. Null: not known. */
interface Row {
  readonly stride: Ints;
  /** It has the shape of the result. */
  readonly full: boolean;
}

function operandRow(layout: Layout, shape: Ints, ask: Decisions): Row | null {
  const missing = shape.length - layout.shape.length;
  if (layout.stride !== null && sameInts(layout.shape, shape)) return { stride: layout.stride, full: true };
  const stride: SymInt[] = new Array(shape.length).fill(ZERO);
  let full = missing === 0;
  let unknown = false;
  for (let d = 0; d < layout.shape.length; d++) {
    const repeated = isBroadcast(at(layout.shape, d), at(shape, missing + d), ask);
    if (repeated === true) full = false;
    else if (repeated === undefined || layout.stride === null) unknown = true;
    else stride[missing + d] = at(layout.stride, d);
  }
  return unknown ? null : { stride, full };
}

/** The sizes are compatible: unless they are the same, the operand's is 1 or was demanded to be equal. */
function isBroadcast(size: SymInt, common: SymInt, ask: Decisions): Truth {
  if (same(size, common) || isOne(size, ask) !== true) return false;
  const one = isOne(common, ask);
  return one === undefined ? undefined : !one;
}

/** `none`: the operands have no common layout to pass on; undefined: it cannot be told whether they have. */
function fastStride(
  layouts: readonly Layout[],
  shape: Ints,
  front: boolean,
  ask: Decisions,
): Ints | 'none' | undefined {
  const last = layouts[layouts.length - 1]?.stride ?? null;
  const alike = last !== null && allHave(layouts, last);
  const rowMajor = contiguousStride(shape);
  if (alike && sameInts(last, rowMajor)) return rowMajor;
  const contiguous = every(layouts, (layout) => isContiguous(layout, ask));
  if (contiguous === true) return rowMajor;
  // A front may stand for one dim of four, or for none before four.
  const channelsLast: Truth = (front ? shape.length <= 5 : shape.length === 4)
    ? every(layouts, (layout) => isChannelsLast(layout, ask))
    : false;
  if (contiguous === false && channelsLast === true) return channelsLastStride(shape);
  if (contiguous === undefined || channelsLast === undefined) return undefined;
  const dense = alike ? every(layouts, (layout) => nonOverlappingAndDense(layout, ask)) : false;
  return dense === undefined ? undefined : dense && last !== null ? last : 'none';
}

function allHave(layouts: readonly Layout[], strides: Ints): boolean {
  for (const { stride } of layouts) if (stride === null || !sameInts(stride, strides)) return false;
  return true;
}
