import { add, always, type Decisions, divideExactly, floorDiv, int, mul, ONE, type SymInt } from '../symbols/index.ts';
import { type DType, itemsize } from './dtype.ts';
import { type Fault, type Result, raises } from './fault.ts';
import { type Layout, layoutOf } from './layout.ts';
import { at, type Demands, equal, type Ints, isOne } from './sizes.ts';

/** `x.as_strided(shape, stride, offset)`; `offset` null: the layout's own. Whether it stays within the storage, `fitsStorage` tells. */
export function asStrided(layout: Layout, shape: Ints, stride: Ints, offset: SymInt | null): Result<Layout> {
  if (shape.length !== stride.length) {
    return raises({ is: 'rank-differs', what: 'stride', expected: String(shape.length), got: stride.length });
  }
  const negative = [...shape, ...stride].find((value) => value.constant !== null && value.constant < 0);
  if (negative !== undefined) {
    return raises({
      is: 'argument',
      name: 'size',
      got: String(negative.constant),
      expects: 'sizes and strides of at least 0',
    });
  }
  if (offset !== null && offset.constant !== null && offset.constant < 0)
    return raises({ is: 'argument', name: 'storage_offset', got: String(offset.constant), expects: 'at least 0' });
  return layoutOf(shape, stride, offset ?? layout.offset);
}

/** `x.view(dtype)`: the same bytes under another dtype. Where the item sizes differ, the last dim grows or shrinks. */
export function viewDtype(layout: Layout, from: DType, to: DType, ask: Decisions): Result<Layout> {
  const [old, next] = [itemsize(from), itemsize(to)];
  if (old === next) return layout;
  if (layout.shape.length === 0) {
    return raises({ is: 'rank-differs', what: `view of ${from} as ${to}`, expected: 'at least 1', got: 0 });
  }
  const last = layout.shape.length - 1;
  const step = layout.stride === null ? null : at(layout.stride, last);
  if (step !== null && equal(step, ONE, ask) === false) {
    return raises({ is: 'last-stride', stride: step, expected: ONE });
  }
  return old > next ? smallerItems(layout, int(old / next)) : largerItems(layout, int(next / old), ask);
}

function smallerItems(layout: Layout, ratio: SymInt): Layout {
  const last = layout.shape.length - 1;
  const times = (value: SymInt): SymInt => mul(value, ratio);
  return {
    ...layout,
    shape: layout.shape.map((size, d) => (d === last ? times(size) : size)),
    stride: layout.stride === null ? null : layout.stride.map((stride, d) => (d === last ? stride : times(stride))),
    offset: layout.offset === null ? null : times(layout.offset),
  };
}

function largerItems(layout: Layout, ratio: SymInt, ask: Decisions): Result<Layout> {
  const last = layout.shape.length - 1;
  const { shape, stride, offset } = layout;
  const divide = (value: SymInt, what: string): SymInt | Fault => {
    const exact = divideExactly(value, ratio, ask.facts);
    if (exact !== null) return exact;
    const down = floorDiv(value, ratio);
    if (always('equal', mul(down, ratio), value, ask.facts) !== false) return down;
    return raises({
      is: 'argument',
      name: what,
      got: String(value.constant ?? '?'),
      expects: `a multiple of ${ratio.constant}`,
    });
  };
  const newOffset = offset === null ? null : divide(offset, 'storage offset');
  const newShape: SymInt[] = [];
  const newStride: SymInt[] = [];
  for (let d = 0; d <= last; d++) {
    const size = d === last ? divide(at(shape, d), 'size of the last dim') : at(shape, d);
    if ('fault' in size) return size;
    newShape.push(size);
    if (stride === null) continue;
    const step = d === last ? at(stride, d) : divide(at(stride, d), `stride of dim ${d}`);
    if ('fault' in step) return step;
    newStride.push(step);
  }
  if (newOffset !== null && 'fault' in newOffset) return newOffset;
  return { ...layout, shape: newShape, stride: stride === null ? null : newStride, offset: newOffset };
}

/** A complex tensor as pairs of reals, the pair as a last dim. */
export function viewAsReal(layout: Layout): Layout {
  const two = int(2);
  return {
    ...layout,
    shape: [...layout.shape, two],
    stride: layout.stride === null ? null : [...layout.stride.map((stride) => mul(stride, two)), ONE],
    offset: layout.offset === null ? null : mul(layout.offset, two),
  };
}

/** Pairs of reals as a complex tensor: the last dim has size 2 and stride 1, the other strides and the offset are even. */
export function viewAsComplex(layout: Layout, ask: Decisions, options: Demands = {}): Result<Layout> {
  const two = int(2);
  const last = layout.shape.length - 1;
  if (last < 0) return raises({ is: 'rank-differs', what: 'view_as_complex', expected: 'at least 1', got: 0 });
  const pair = at(layout.shape, last);
  if (always('equal', pair, two, ask.facts) === false) {
    return raises({ is: 'size-differs', what: 'last dim', left: pair, right: two, broadcast: false });
  }
  if (always('equal', pair, two, ask.facts) !== true) options.demand?.(pair, two);
  const { stride, offset } = layout;
  if (stride !== null && equal(at(stride, last), ONE, ask) === false) {
    return raises({ is: 'last-stride', stride: at(stride, last), expected: ONE });
  }
  const halved = (value: SymInt): SymInt => divideExactly(value, two, ask.facts) ?? floorDiv(value, two);
  // The stride of a size-1 dim may be odd, and is rounded down (seen on 2.13).
  const isOdd = (value: SymInt) => value.constant !== null && value.constant % 2 !== 0;
  const steps = (stride ?? [])
    .slice(0, last)
    .filter((step, d) => isOdd(step) && isOne(at(layout.shape, d), ask) !== true);
  const odd = [...steps, ...(offset === null ? [] : [offset])].find(isOdd);
  if (odd !== undefined) {
    return raises({
      is: 'argument',
      name: 'stride',
      got: String(odd.constant),
      expects: 'even strides and an even offset',
    });
  }
  return {
    ...layout,
    shape: layout.shape.slice(0, last),
    stride: stride === null ? null : stride.slice(0, last).map(halved),
    offset: offset === null ? null : halved(offset),
  };
}

/** `.real` or `.imag` of a complex tensor. */
export function complexPart(layout: Layout, part: 'real' | 'imag'): Layout {
  const two = int(2);
  return {
    ...layout,
    stride: layout.stride === null ? null : layout.stride.map((stride) => mul(stride, two)),
    offset: layout.offset === null ? null : add(mul(layout.offset, two), int(part === 'imag' ? 1 : 0)),
  };
}
