import { int, mul, type SymInt } from '../../symbols/index.ts';
import {
  broadcastLayouts,
  chain,
  chunk,
  expand,
  isFault,
  type Layout,
  layoutOf,
  ndim,
  type Result,
  raises,
  slice,
  split,
  splitSizes,
  type Tensor,
  tensorSplit,
  unbind,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { type Entry, op, same, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';

/** Views that cut a tensor into several. */
export const splits: readonly Entry[] = [
  // Autograd makes the views of `split`, `chunk` and `unbind` by one node, and those of the `unsafe` ones one by one.
  ...(['split', 'unsafe_split'] as const).map((name) =>
    op(`${name}(self: Tensor, split_size: SymInt, dim: int = 0) -> Tensor[]`, {
      view: ({ self, split_size, dim }, { ask }) => split(self.layout, split_size, dim, ask),
      samples: ['(6, 3)  4', '(6, 3)  2  1', '(0, 3)  2', '(6, 3)  0  !', '()  1  !'],
    }),
  ),
  op('split(self: Tensor, split_size: SymInt[], dim: int = 0) -> Tensor[]', {
    view: ({ self, split_size, dim }, { ask, demand }) => splitSizes(self.layout, split_size, dim, ask, { demand }),
    samples: ['(6, 3)  [4, 2]', '(6, 3)  [1, 2]  dim=-1', '(6, 3)  [1, 2]  !'],
  }),
  ...(['split_with_sizes', 'unsafe_split_with_sizes'] as const).map((name) =>
    op(`${name}(self: Tensor, split_sizes: SymInt[], dim: int = 0) -> Tensor[]`, {
      view: ({ self, split_sizes, dim }, { ask, demand }) => splitSizes(self.layout, split_sizes, dim, ask, { demand }),
      samples: ['(6, 3)  [4, 2]', '(6, 3)  [1, 2]  !'],
    }),
  ),
  ...(['chunk', 'unsafe_chunk'] as const).map((name) =>
    op(`${name}(self: Tensor, chunks: int, dim: int = 0) -> Tensor[]`, {
      view: ({ self, chunks, dim }, { ask }) => chunk(self.layout, chunks, dim, ask),
      samples: ['(6, 3)  4', '(6, 3)  3  1', '(6, 3)  0  !'],
    }),
  ),
  op('unbind(self: Tensor, dim: int = 0) -> Tensor[]', {
    view: ({ self, dim }, { ask }) => unbind(self.layout, dim, ask),
    samples: ['(2, 3)', '(2, 3)  1', '(2, 3)  2  !'],
  }),
  op('tensor_split(self: Tensor, sections: int, dim: int = 0) -> Tensor[]', {
    view: ({ self, sections, dim }, { ask }) => tensorSplit(self.layout, sections, dim, ask),
    samples: ['(7, 3)  3', '(7, 3)  2  1', '(7, 3)  0  !'],
  }),
  op('tensor_split(self: Tensor, indices: SymInt[], dim: int = 0) -> Tensor[]', {
    view: ({ self, indices, dim }, call) => splitAt(self.layout, indices, dim, call),
    samples: ['(7, 3)  [2, 5]', '(7, 3)  [2, 9]  0', '(7, 3)  [5, 2]', '(7, 3)  indices=[1]  dim=1'],
  }),
  ...(['hsplit', 'vsplit', 'dsplit'] as const).flatMap((name) => [
    op(`${name}(self: Tensor, sections: int) -> Tensor[]`, {
      view: ({ self, sections }, { ask }) =>
        chain(splitDim(name, self.layout), (dim) => equalSplit(self.layout, sections, dim, ask)),
      samples: ['(4, 6, 8)  2', '(4, 6, 8)  5  !'],
    }),
    op(`${name}(self: Tensor, indices: SymInt[]) -> Tensor[]`, {
      view: ({ self, indices }, call) =>
        chain(splitDim(name, self.layout), (dim) => splitAt(self.layout, indices, dim, call)),
      samples: ['(4, 6, 8)  [1, 3]'],
    }),
  ]),
];

/** Views of several tensors at once, expanded to one shape. */
export const broadcasts: readonly Entry[] = [
  op('torch.broadcast_tensors(*tensors: Tensor[]) -> Tensor[]', {
    maybe: ({ tensors }, { ask, demand }) =>
      chain(
        broadcastLayouts(
          tensors.map(({ layout }) => layout),
          ask,
          { demand },
        ),
        ({ shape, front }) => tupleOf(tensors.map((tensor) => broadcasted(tensor, shape, front, ask))),
      ),
    samples: ['(3, 1)  (4,)', '(2, 3)  (3,)', '(2,)  (3,)  !'],
  }),
  op('torch.meshgrid(*tensors: Tensor[], *, indexing: str? = None) -> Tensor[]', {
    maybe: ({ tensors, indexing }, call) => meshgrid(tensors, indexing === 'xy', call),
    samples: ['(2,)  (3,)', "(2,)  (3,)  indexing='xy'", '(2,)  ()', '(2, 2)  (3,)  !'],
  }),
  ...([1, 2, 3] as const).flatMap((rank) => [
    op(`torch.atleast_${rank}d(self: Tensor) -> Tensor`, {
      maybe: ({ self }) => atLeast(self, rank),
      samples: ['()', '(3,)', '(2, 3)', '(2, 3, 4)'],
    }),
    op(`torch.atleast_${rank}d(*tensors: Tensor[]) -> Tensor[]`, {
      maybe: ({ tensors }) => tupleOf(tensors.map((tensor) => atLeast(tensor, rank))),
      samples: ['(3,)  ()'],
    }),
  ]),
];

/** `expand_outplace`: a tensor of the common shape is returned as it is. */
function broadcasted(tensor: Tensor, shape: readonly SymInt[], front: boolean, ask: Call['ask']): Result<OpResult> {
  const own = tensor.layout.shape;
  // What is broadcast is 1 or the common size, be it demanded or known.
  if (own.length === shape.length && own.every((size, d) => size.key === shape[d]?.key || ask.isOne(size) === false))
    return same(tensor);
  return chain(expand(tensor.layout, shape, ask, { front }), (layout) => viewOf(tensor, layout));
}

function splitDim(name: 'hsplit' | 'vsplit' | 'dsplit', layout: Layout): Result<number> {
  if (layout.front) return unsure('the rank of the input is not known');
  const least = name === 'hsplit' ? 1 : name === 'vsplit' ? 2 : 3;
  if (layout.shape.length < least)
    return raises({ is: 'rank-differs', what: 'self', expected: `at least ${least}`, got: layout.shape.length });
  if (name === 'hsplit') return layout.shape.length === 1 ? 0 : 1;
  return name === 'vsplit' ? 0 : 2;
}

/** The size must be a multiple of the sections. */
function equalSplit(layout: Layout, sections: number, dim: number, ask: Call['ask']): Result<readonly Layout[]> {
  const size = layout.shape[dim]?.constant ?? null;
  if (sections <= 0 || (size !== null && size % sections !== 0))
    return raises({
      is: 'argument',
      name: 'sections',
      got: `${sections}`,
      expects: `a divisor of the size of dim ${dim}`,
    });
  return tensorSplit(layout, sections, dim, ask);
}

function splitAt(layout: Layout, indices: readonly SymInt[], dim: number, { ask }: Call): Result<readonly Layout[]> {
  const pieces: Layout[] = [];
  for (let i = 0; i <= indices.length; i += 1) {
    const piece = slice(layout, dim, indices[i - 1] ?? int(0), indices[i] ?? null, int(1), ask);
    if (isFault(piece)) return piece;
    pieces.push(piece);
  }
  return pieces;
}

function tupleOf(items: readonly Result<OpResult>[]): Result<OpResult> {
  const made: OpResult[] = [];
  for (const item of items) {
    if (isFault(item)) return item;
    made.push(item);
  }
  return { is: 'tuple', items: made };
}

/** Each vector along its own dim, expanded; `xy` exchanges the first two dims. */
function meshgrid(tensors: readonly Tensor[], xy: boolean, { ask }: Call): Result<OpResult> {
  const shape: SymInt[] = [];
  for (const { layout } of tensors) {
    if (layout.front) return unsure('the rank of the input is not known');
    if (layout.shape.length > 1)
      return raises({ is: 'rank-differs', what: 'tensors', expected: '0 or 1', got: layout.shape.length });
    shape.push(layout.shape[0] ?? int(1));
  }
  const swapped = xy && tensors.length > 1;
  const order = tensors.map((_, d) => (swapped && d < 2 ? 1 - d : d));
  const target = order.map((d) => shape[d] ?? int(1));
  return tupleOf(
    tensors.map((tensor, i) => {
      const place = order[i] ?? i;
      const stride = tensor.layout.stride?.[0] ?? (tensor.layout.shape.length === 0 ? int(1) : null);
      if (stride === null) return unsure('the strides of the input are not known');
      return viewOf(tensor, gridLayout(tensor.layout, target, place, stride, ask));
    }),
  );
}

/** `view` to ones around the vector, then `expand`: dims of size 1 keep the stride that `view` gave them. */
function gridLayout(layout: Layout, shape: readonly SymInt[], place: number, stride: SymInt, ask: Call['ask']): Layout {
  const size = shape[place] ?? int(1);
  const before = mul(size, stride);
  const strides = shape.map((length, d) => {
    if (d === place) return stride;
    if (ask.isOne(length) !== true) return int(0);
    return d < place ? before : stride;
  });
  return layoutOf(shape, strides, layout.offset);
}

function atLeast(self: Tensor, rank: 1 | 2 | 3): Result<OpResult> {
  const { layout } = self;
  if (layout.front) return unsure('the rank of the input is not known');
  const count = ndim(layout);
  if (count >= rank) return same(self);
  if (count === 0) {
    const ones = Array.from({ length: rank }, () => int(1));
    return viewOf(self, layoutOf(ones, ones, layout.offset));
  }
  const widened = count === 1 ? unsqueeze(layout, 0) : layout;
  return chain(rank === 3 ? chain(widened, (wide) => unsqueeze(wide, -1)) : widened, (made) => viewOf(self, made));
}
