import { int, ONE, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  contiguous,
  type Fault,
  isFault,
  type Layout,
  ndim,
  type Result,
  raises,
  select,
  slice,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { dimsOf, type Index, type Part } from './keys.ts';

/** What a key names: a view, and for each dim of it the index tensor that is still to be applied. */
export interface Address {
  readonly layout: Layout;
  readonly indices: readonly (Layout | null)[] | null;
}

/**
 * Applies a key from left to right: numbers, slices and None at once, as views; tensors later, all together. Dims before an
 * ellipsis are counted from the front, those after it from the back, which also holds where the front is not known.
 */
export function address(source: Layout, parts: readonly Part[], call: Call): Result<Address> {
  const used = dimsFrom(parts, 0);
  const count = ndim(source);
  if (!source.front && used > count) return tooMany(used, count);
  let layout = source;
  let place = 0;
  // The dims that the parts behind an ellipsis still take; null before one.
  let after: number | null = null;
  const indices: (readonly [dim: number, index: Layout])[] = [];
  const picksNone = parts.some(isEmptyIndex);
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part === undefined) continue;
    if (part.is === 'ellipsis') after ??= dimsFrom(parts, i + 1);
    const spot: Spot =
      after === null
        ? { dim: place, insert: place, position: place }
        : { dim: -after, insert: -after - 1, position: layout.shape.length - after };
    const step = applyPart(layout, part, spot, picksNone, call);
    if (isFault(step)) return step;
    layout = step.layout;
    for (let k = 0; k < step.indices.length; k++) {
      const index = step.indices[k];
      if (index !== undefined) indices.push([spot.position + k, index]);
    }
    place += step.kept;
    if (after !== null) after -= dimsOf(part);
  }
  if (indices.length === 0) return { layout, indices: null };
  const byDim = new Map(indices);
  return { layout, indices: layout.shape.map((_, d) => byDim.get(d) ?? null) };
}

/** The dims of the indexed tensor that the parts from `start` on take. */
function dimsFrom(parts: readonly Part[], start: number): number {
  let dims = 0;
  for (let i = start; i < parts.length; i++) {
    const part = parts[i];
    if (part !== undefined) dims += dimsOf(part);
  }
  return dims;
}

/** Index tensors are broadcast first: one without elements leaves none of the others, and a mask may be of none. */
const isEmptyIndex = (part: Part): boolean =>
  (part.is === 'mask' && !part.count) ||
  (part.is === 'index' && part.index.layout.shape.some(({ constant }) => constant === 0));

const tooMany = (used: number, count: number): Fault =>
  raises({ is: 'rank-differs', what: 'self', expected: `at least ${used}`, got: count });

interface Step {
  readonly layout: Layout;
  /** The dims of the result that the part has dealt with. */
  readonly kept: number;
  readonly indices: readonly Layout[];
}

/** Where a part acts: its first dim and where a new dim goes, from the back after an ellipsis, and its place in the shape. */
interface Spot {
  readonly dim: number;
  readonly insert: number;
  readonly position: number;
}

function applyPart(
  layout: Layout,
  part: Part,
  { dim, insert, position }: Spot,
  picksNone: boolean,
  call: Call,
): Result<Step> {
  switch (part.is) {
    case 'ellipsis':
      return stepped(layout, 0);
    case 'none':
      return stepped(unsqueeze(layout, insert), 1);
    case 'int':
      return stepped(select(layout, dim, part.index, call.ask), 0);
    case 'slice':
      return stepped(sliced(layout, dim, position, part, call), 1);
    case 'flag': {
      const wide = unsqueeze(layout, insert);
      return isFault(wide) ? wide : { layout: wide, kept: 1, indices: [contiguous([int(part.value ? 1 : 0)])] };
    }
    case 'index':
      return indexedBy(layout, position, part.index, picksNone);
    case 'mask':
      return maskedBy(layout, position, part, call);
  }
}

function stepped(layout: Result<Layout>, kept: number): Result<Step> {
  return isFault(layout) ? layout : { layout, kept, indices: NONE };
}

const NONE: readonly Layout[] = Object.freeze([]);

interface Bounds {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

/** A bound that is not known leaves the rank, and a size that nothing names. */
function sliced(layout: Layout, dim: number, position: number, bounds: Bounds, call: Call): Result<Layout> {
  const start = boundOf(bounds.start);
  const stop = boundOf(bounds.stop);
  const step = boundOf(bounds.step);
  const stride = step === null ? ONE : step;
  if (start !== undefined && stop !== undefined && stride !== undefined) {
    const known = slice(layout, dim, start, stop, stride, call.ask);
    if (!isFault(known) || known.fault === 'raises') return known;
  }
  const whole = slice(layout, dim, null, null, ONE, call.ask);
  if (isFault(whole)) return whole;
  const shape = whole.shape.map((size, d) => (d === position ? call.context.fresh('length') : size));
  const moved = start !== null && start?.constant !== 0;
  return { ...whole, shape, offset: moved ? null : whole.offset, stride: stride?.constant === 1 ? whole.stride : null };
}

/** Null: not given; undefined: not known. */
function boundOf(value: Value): SymInt | null | undefined {
  if (value.kind === 'none') return null;
  if (value.kind === 'int') return value.value;
  if (value.kind === 'tensor' && value.elements?.length === 1) return int(value.elements[0] ?? 0);
  return undefined;
}

/** Elements out of range raise, unless the source has no element at all; a dim of size 0 has none in range. */
function indexedBy(
  layout: Layout,
  position: number,
  { layout: index, elements }: Index,
  picksNone: boolean,
): Result<Step> {
  const size = layout.shape[position] ?? ZERO;
  if (layout.front && position === 0) return unsure('leading dims that are not known may be indexed');
  const limit = size.constant;
  if (limit === 0 && !picksNone)
    return raises({ is: 'index-out-of-range', index: int(elements?.[0] ?? 0), dim: position, size });
  const empty = picksNone || layout.shape.some(({ constant }) => constant === 0);
  const outside =
    limit === null || empty ? undefined : elements?.find((element) => element >= limit || element < -limit);
  if (outside !== undefined) return raises({ is: 'index-out-of-range', index: int(outside), dim: position, size });
  return { layout, kept: 1, indices: [index] };
}

/** `nonzero().unbind(1)`: an index per dim of the mask, whose sizes must be those of the source. */
function maskedBy(layout: Layout, position: number, mask: Extract<Part, { is: 'mask' }>, call: Call): Result<Step> {
  if (layout.front && position === 0) return unsure('leading dims that are not known may be indexed');
  for (const [k, size] of mask.shape.entries()) {
    const own = layout.shape[position + k] ?? ZERO;
    if (own.key === size.key) continue;
    const known = own.constant !== null && size.constant !== null;
    if (known)
      return raises({ is: 'size-differs', what: `dim ${k} of the mask`, left: size, right: own, broadcast: false });
    call.demand(size, own);
  }
  const count = mask.count === null ? call.context.fresh('nonzero') : int(mask.count);
  const picked: Layout = { shape: [count], stride: [ONE], offset: ZERO, front: false };
  if (mask.shape.length > 0) return { layout, kept: mask.shape.length, indices: mask.shape.map(() => picked) };
  const wide = unsqueeze(layout, position);
  return isFault(wide) ? wide : { layout: wide, kept: 1, indices: [picked] };
}
