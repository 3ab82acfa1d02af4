import { type Decisions, ONE, type SymInt, ZERO } from '../symbols/index.ts';
import { broadcast } from './broadcast.ts';
import { learning } from './demands.ts';
import { elementwise } from './elementwise.ts';
import { isFault, type Result, raises, unsure } from './fault.ts';
import { contiguousStride, type Layout, layoutOf } from './layout.ts';
import { mergeStride } from './merge.ts';
import { at, type Demands, type Ints } from './sizes.ts';
import { expand } from './views.ts';

/**
 * The fresh result of indexing with integer tensors (`make_info` and the iterator of `index`), once slices, None and
 * numbers have been applied as views. `indices` has an entry per leading dim, null where that dim is not indexed; a mask of
 * rank r has become r tensors of shape [nnz].
 *
 * 1. The indices are broadcast to one shape, which takes the place of the indexed dims; where those are not adjacent it
 *    goes to the front.
 * 2. Source (stride 0 along the new dims) and indices then go through TensorIterator, so a permuted source gives a
 *    permuted result.
 */
export function indexed(
  layout: Layout,
  indices: readonly (Layout | null)[],
  ask: Decisions,
  options: Demands = {},
): Result<Layout> {
  const count = layout.shape.length;
  if (indices.length > count) {
    return raises({ is: 'rank-differs', what: 'index', expected: `at least ${indices.length}`, got: count });
  }
  const dims = [...indices.keys()].filter((d) => (indices[d] ?? null) !== null);
  const first = dims[0];
  if (first === undefined) return unsure('no dim is indexed');
  const adjacent = dims.every((d, i) => d === first + i);
  if (layout.front && (indices.length < count || first === 0 || !adjacent)) {
    return unsure('leading dims that are not known may be indexed');
  }
  const picked = dims.flatMap((d) => indices[d] ?? []);
  const learned = learning(ask, options);
  const common = broadcast(
    picked.map((index) => index.shape),
    ask,
    learned.options,
  );
  if (isFault(common)) return common;

  const order = adjacent
    ? [...layout.shape.keys()]
    : [...dims, ...[...layout.shape.keys()].filter((d) => !dims.includes(d))];
  const before = adjacent ? first : 0;
  const after = before + dims.length;
  const along = (values: Ints, put: Ints): SymInt[] => {
    const moved = order.map((d) => at(values, d));
    return [...moved.slice(0, before), ...put, ...moved.slice(after)];
  };
  const source: Layout = {
    ...layout,
    shape: along(layout.shape, common),
    stride:
      layout.stride === null
        ? null
        : along(
            layout.stride,
            common.map(() => ZERO),
          ),
  };
  const operands: Layout[] = [source];
  for (const index of picked) {
    const padded = paddedIndex(index, common, before, count - after, learned.ask(), options);
    if (isFault(padded)) return padded;
    operands.push(padded);
  }
  return elementwise(operands, learned.ask(), options);
}

/** An index of the common shape, with dims of size 1 for the dims of the source on both sides. */
function paddedIndex(
  index: Layout,
  common: Ints,
  before: number,
  after: number,
  ask: Decisions,
  options: Demands,
): Result<Layout> {
  const wide = expand(index, common, ask, options);
  if (isFault(wide)) return wide;
  const shape = [...new Array<SymInt>(before).fill(ONE), ...wide.shape, ...new Array<SymInt>(after).fill(ONE)];
  const merge = mergeStride(wide, shape, ask);
  return layoutOf(shape, merge.is === 'view' ? merge.stride : merge.is === 'blocked' ? contiguousStride(shape) : null);
}
