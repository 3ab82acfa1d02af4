import {
  type Decisions,
  type Facts,
  learnEqual,
  ONE,
  product,
  type SymInt,
  same,
  simplify,
  type Truth,
} from '../symbols/index.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { inferSize, resolveSize } from './infer-size.ts';
import { contiguousStride, type Layout, layoutOf, spliced, wrapDim } from './layout.ts';
import { isBlockedAnyway, type Merge, mergeStride } from './merge.ts';
import { simplifyLayout } from './resolve.ts';
import { at, type Demands, type Ints, isOne } from './sizes.ts';

export interface SizeOptions extends Demands {
  /** `size[0]` stands for the layout's own unknown front, kept as it is. */
  readonly front?: boolean | undefined;
}

/** The same memory under another shape, or PyTorch raises. `stride` is null where the strides cannot be told. */
export function view(layout: Layout, size: Ints, ask: Decisions, options: SizeOptions = {}): Result<Layout> {
  const asked = askShape(layout, size, ask, options);
  if (isFault(asked)) return asked;
  const { shape, merge, facts } = asked;
  if (merge.is === 'blocked') return raises(merge.cause);
  const stride = merge.is === 'view' ? merge.stride : null;
  return simplifyLayout({ shape, stride, offset: layout.offset, front: frontOf(options) }, facts);
}

export interface Reshaped {
  readonly layout: Layout;
  /** Undefined: a view or a copy, it cannot be told. */
  readonly copies: Truth;
}

/** A view where there is one, else a fresh contiguous copy. */
export function reshape(layout: Layout, size: Ints, ask: Decisions, options: SizeOptions = {}): Result<Reshaped> {
  const asked = askShape(layout, size, ask, options);
  if (isFault(asked)) return asked;
  const result = reshaped(layout, asked.shape, asked.merge, frontOf(options));
  return { layout: simplifyLayout(result.layout, asked.facts), copies: result.copies };
}

function reshaped(layout: Layout, shape: Ints, merge: Merge, front: boolean): Reshaped {
  switch (merge.is) {
    case 'view':
      return { layout: { shape, stride: merge.stride, offset: layout.offset, front }, copies: false };
    case 'blocked':
      return { layout: { ...layoutOf(shape, contiguousStride(shape)), front }, copies: true };
    case 'unknown':
      return { layout: { shape, stride: null, offset: null, front }, copies: undefined };
  }
}

const UNRELATED: Merge = { is: 'unknown', reason: 'the new sizes are not told apart from the old ones' };

const OPEN: Merge = { is: 'unknown', reason: 'the leading dims are not known' };

const frontOf = (options: SizeOptions): boolean => options.front === true;

interface AskedShape {
  readonly shape: Ints;
  readonly merge: Merge;
  /** What holds once PyTorch has accepted the shape. */
  readonly facts: Facts;
}

function askShape(layout: Layout, size: Ints, ask: Decisions, options: SizeOptions): Result<AskedShape> {
  if (options.front === true && !(layout.front && same(at(size, 0), at(layout.shape, 0)))) {
    return unsure('the leading dims of the new shape are not known');
  }
  const sized = resolveSize(size, layout.shape, ask.facts, options);
  if (isFault(sized)) return sized;
  const { shape, facts, unrelated } = sized;
  const merge = mergeStride(layout, shape, ask.under(facts));
  if (merge.is !== 'blocked') return { shape, merge, facts };
  if (unrelated && !layout.front && isBlockedAnyway(layout, shape, ask.under(facts))) return { shape, merge, facts };
  const open = unrelated ? UNRELATED : layout.front && !blockedWithout(layout, shape, ask.under(facts)) ? OPEN : merge;
  return { shape, merge: open, facts };
}

/** Whether the dims behind an unknown front are in the way, too, where there are none before them. */
function blockedWithout(layout: Layout, shape: Ints, ask: Decisions): boolean {
  const facts = learnEqual(ask.facts, at(layout.shape, 0), ONE);
  const known = simplifyLayout(layout, facts);
  const sizes = shape.map((size) => simplify(size, facts));
  return mergeStride(known, sizes, ask.under(facts)).is === 'blocked';
}

/** `same`: the very tensor is returned. `either`: a view or a copy. */
export interface Flattened {
  readonly layout: Layout;
  readonly how: 'same' | 'view' | 'copy' | 'either';
}

/** Dims `start` to `end`, both included, become one. */
export function flatten(layout: Layout, start: number, end: number, ask: Decisions): Result<Flattened> {
  const { shape } = layout;
  // Dim 0 of a layout with an unknown front is its first dim, or the first one behind.
  const first = layout.front && start === 0 ? 0 : wrapDim(layout, start);
  if (isFault(first)) return first;
  const last = wrapDim(layout, end);
  if (isFault(last)) return last;
  if (first > last) {
    return raises({
      is: 'argument',
      name: 'start_dim',
      got: String(start),
      expects: 'a dim that is not after `end_dim`',
    });
  }
  if (shape.length === 0) return { layout: { ...layout, shape: [ONE], stride: [ONE] }, how: 'view' };
  if (first === last) return { layout, how: 'same' };
  // No leading dims at all would leave one dim only, and so the very tensor.
  if (layout.front && first === 0) isOne(at(shape, 0), ask);
  const flat: SymInt = product(shape.slice(first, last + 1));
  const merged = spliced(shape, first, last + 1 - first, [flat]);
  const result = reshaped(layout, merged, mergeStride(layout, merged, ask), layout.front && first > 0);
  return { layout: result.layout, how: result.copies === undefined ? 'either' : result.copies ? 'copy' : 'view' };
}

/** One dim becomes several. */
export function unflatten(
  layout: Layout,
  dim: number,
  sizes: Ints,
  ask: Decisions,
  options: Demands = {},
): Result<Layout> {
  const d = wrapDim(layout, dim);
  if (isFault(d)) return d;
  if (sizes.length === 0) {
    return raises({ is: 'argument', name: 'sizes', got: '()', expects: 'at least one size' });
  }
  const split = inferSize(sizes, [at(layout.shape, d)], ask, options);
  if (isFault(split)) return split;
  return view(layout, spliced(layout.shape, d, 1, split), ask, { demand: options.demand, front: layout.front });
}
