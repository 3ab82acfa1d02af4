import { always, int, mul, ONE, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  broadcast,
  broadcastLayouts,
  type Fault,
  isFault,
  type Layout,
  preserve,
  type Result,
  raises,
  type Tensor,
  unbind,
  wrapDim,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { fresh } from '../layouts/format.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, fresh as made, op, same, tensorsIn } from '../op.ts';
import { one, writeAll } from '../writing.ts';
import { notIndices } from './embeddings.ts';
import { tensorOrNull } from './products.ts';

/** Index elements that are known must be within the dim; PyTorch counts no negative ones here. */
function outOfRange(index: Tensor, size: SymInt | undefined, dim: number): Fault | null {
  if (index.elements === null || size === undefined) return null;
  const wrong = index.elements.find((at) => at < 0 || (size.constant !== null && at >= size.constant));
  return wrong === undefined ? null : raises({ is: 'index-out-of-range', index: int(wrong), dim, size });
}

function selected(self: Tensor, dim: number, index: Tensor): Result<Layout> {
  const { layout } = self;
  if (!index.layout.front && index.layout.shape.length > 1)
    return raises({ is: 'rank-differs', what: 'index', expected: '0 or 1', got: index.layout.shape.length });
  const axis = wrapDim(layout, dim);
  if (isFault(axis)) return axis;
  const wrong = outOfRange(index, layout.shape[axis] ?? ONE, axis);
  if (wrong !== null) return wrong;
  if (layout.shape.length === 0) return fresh([]);
  const count = index.layout.shape[0] ?? ONE;
  return fresh(
    layout.shape.map((size, d) => (d === axis ? count : size)),
    layout.front,
  );
}

/** gather and scatter need indices of the rank of `self`, and no larger in the other dims. */
function fits(self: Layout, dim: number, index: Tensor, call: Call): Fault | null {
  const wrong = index.dtype === null || index.dtype === 'int64' ? null : notIndices('index', index.dtype);
  if (wrong !== null) return wrong;
  if (self.front || index.layout.front) return null;
  const axis = wrapDim(self, dim);
  if (isFault(axis)) return axis;
  const { shape } = index.layout;
  if (shape.some((size) => always('equal', size, ZERO, call.ask.facts) === true)) return null;
  if (Math.max(shape.length, 1) !== Math.max(self.shape.length, 1))
    return raises({ is: 'rank-differs', what: 'index', expected: `${self.shape.length}`, got: shape.length });
  for (const [d, size] of shape.entries()) {
    const limit = self.shape[d] ?? ONE;
    if (d !== axis && always('less', limit, size, call.ask.facts) === true)
      return raises({ is: 'size-differs', what: `dim ${d} of index`, left: size, right: limit, broadcast: false });
  }
  return null;
}

interface Scatter {
  readonly self: Tensor;
  readonly dim: number;
  readonly index: Tensor;
}

const scattered = ({ self, dim, index }: Scatter, call: Call): Result<Layout> =>
  fits(self.layout, dim, index, call) ?? denseLike(self.layout);

/** The inputs of a write: all tensors but the one that is written. */
function besideSelf(args: object): Readonly<Record<string, Tensor | null>> {
  const { self: _, ...inputs } = tensorsIn({ ...args });
  return inputs;
}

/** A family of writers along a dim: out of place, and in place with `apart` overlap rules. */
function scatters(name: string, more: string, sample: string): readonly Entry[] {
  type Form = 'f(self: Tensor, dim: int, index: Tensor) -> Tensor';
  const signature = (prefix: string, suffix: string, returns: string) =>
    `${prefix}${name}${suffix}(self: Tensor, dim: int, index: Tensor, ${more}) -> ${returns}` as Form;
  const twin =
    `Tensor.${name}_(self: Tensor, dim: int, index: Tensor, ${more}) -> any` as 'f(self: Tensor, dim: int, index: Tensor) -> any';
  return [
    op(signature('', '', 'Tensor'), { shape: scattered, samples: [sample] }),
    op(twin, {
      raises: (args, call) => fits(args.self.layout, args.dim, args.index, call),
      maybe: ({ self }) => same(self),
      writes: (args, call) => one(writeAll(args.self, besideSelf(args), 'apart', call)),
      samples: [sample],
    }),
  ];
}

/** `index_add` and its like: `source` has the sizes of `self` but for `dim`. */
function indexed(name: string, more: string, sample: string, keeps: boolean): readonly Entry[] {
  type Form = 'f(self: Tensor, dim: int, index: Tensor) -> Tensor';
  const out = `${name}(self: Tensor, dim: int, index: Tensor, ${more}) -> Tensor` as Form;
  const twin =
    `Tensor.${name}_(self: Tensor, dim: int, index: Tensor, ${more}) -> any` as 'f(self: Tensor, dim: int, index: Tensor) -> any';
  const guarded = name === 'index_fill' ? 'silent' : 'apart';
  return [
    op(out, {
      raises: ({ self, dim, index }) => axisFault(self.layout, dim) ?? notIndices('index', index.dtype),
      shape: ({ self }, { ask }) => (keeps ? preserve(self.layout, ask) : denseLike(self.layout)),
      samples: [sample],
    }),
    op(twin, {
      raises: ({ self, dim }) => axisFault(self.layout, dim),
      maybe: ({ self }) => same(self),
      writes: (args, call) => one(writeAll(args.self, besideSelf(args), guarded, call)),
      samples: [sample],
    }),
  ];
}

function axisFault(layout: Layout, dim: number): Fault | null {
  const axis = wrapDim(layout, dim);
  return isFault(axis) && axis.fault === 'raises' ? axis : null;
}

function takenAlong(self: Layout, indices: Tensor, dim: number | null, call: Call): Result<Layout> {
  if (dim === null) return fresh([numelOf(indices.layout)]);
  const axis = wrapDim(self, dim);
  if (isFault(axis)) return axis;
  if (self.front || indices.layout.front) return denseLike(indices.layout);
  const others = (layout: Layout) => layout.shape.map((size, d) => (d === axis ? ONE : size));
  const shape = broadcast([others(self), others(indices.layout)], call.ask, { demand: call.demand });
  if (isFault(shape)) return shape;
  return fresh(shape.map((size, d) => (d === axis ? (indices.layout.shape[axis] ?? size) : size)));
}

const numelOf = (layout: Layout): SymInt => layout.shape.reduce((a, b) => mul(a, b), ONE);

/** The elements that a mask picks: how many is only known at run time. */
function masked(self: Layout, mask: Layout, call: Call): Result<Layout> {
  const shape = broadcastLayouts([self, mask], call.ask, { demand: call.demand });
  return isFault(shape) ? shape : fresh([call.context.fresh('selected')]);
}

/** `nonzero` is column-major: (n, ndim) with strides (1, n). */
function nonzero(self: Layout, call: Call): Layout {
  const count = call.context.fresh('nonzero');
  const width = self.front ? call.context.fresh('ndim') : int(self.shape.length);
  return { shape: [count, width], stride: [ONE, count], offset: ZERO, front: false };
}

const boolMask = (mask: Tensor): Fault | null =>
  mask.dtype === null || mask.dtype === 'bool' || mask.dtype === 'uint8'
    ? null
    : raises({ is: 'argument', name: 'mask', got: mask.dtype, expects: 'a bool mask' });

const INDEX = '(2, 3)  1  (2, 3):int64';

export const gathers: readonly Entry[] = [
  op('gather(self: Tensor, dim: int, index: Tensor, *, sparse_grad: any = False) -> Tensor', {
    shape: ({ self, dim, index }, call) => fits(self.layout, dim, index, call) ?? denseLike(index.layout),
    out: 'apart',
    samples: [
      '(2, 3)  1  [[0], [1]]:int64',
      '(2, 3)/(1, 2)  0  [[0, 1, 0]]:int64',
      '(2, 3)  1  (3, 3):int64  !',
      '(2, 3)  1  (2, 3)  !',
    ],
  }),
  op('index_select(self: Tensor, dim: int, index: Tensor) -> Tensor', {
    raises: ({ index }) => notIndices('index', index.dtype),
    shape: ({ self, dim, index }) => selected(self, dim, index),
    out: 'apart',
    samples: ['(2, 3)/(1, 2)  1  [0, 2]:int64', '(2, 3)  0  [5]:int64  !', '(2, 3)  2  [0]:int64  !'],
  }),
  op('take(self: Tensor, index: Tensor) -> Tensor', {
    shape: ({ index }) => denseLike(index.layout),
    out: 'apart',
    samples: ['(2, 3)  [0, 4]:int64'],
  }),
  op('take_along_dim(self: Tensor, indices: Tensor, dim: int? = None) -> Tensor', {
    shape: ({ self, indices, dim }, call) => takenAlong(self.layout, indices, dim, call),
    samples: ['(2, 3)  [[0], [1]]:int64  1', '(2, 3)  [0, 1]:int64'],
  }),
  op('masked_select(self: Tensor, mask: Tensor) -> Tensor', {
    raises: ({ mask }) => boolMask(mask),
    shape: ({ self, mask }, call) => masked(self.layout, mask.layout, call),
    samples: ['(2, 3)  (2, 3):bool'],
  }),
  op('nonzero(self: Tensor, *, as_tuple: bool = False) -> any', {
    maybe: ({ self, as_tuple }, call) => {
      const table = nonzero(self.layout, call);
      if (!as_tuple) return made(table, 'int64');
      const columns = unbind(table, 1, call.ask);
      if (isFault(columns)) return columns;
      return { is: 'tuple', items: columns.map((column) => made(column, 'int64')) };
    },
    samples: ['[1, 0, 1]:int64', '[1, 0, 1]:int64  as_tuple=True'],
  }),
  op('argwhere(self: Tensor) -> Tensor', {
    shape: ({ self }, call) => nonzero(self.layout, call),
    dtype: 'int64',
    samples: ['[1, 0, 1]:int64'],
  }),
  op('torch.where(condition: Tensor) -> any', {
    maybe: ({ condition }, call) => {
      const columns = unbind(nonzero(condition.layout, call), 1, call.ask);
      if (isFault(columns)) return columns;
      return { is: 'tuple', items: columns.map((column) => made(column, 'int64')) };
    },
    samples: ['[1, 0, 1]:int64'],
  }),
  ...scatters('scatter', 'src: Tensor | any, *, reduce: any = None', `${INDEX}  1.0`),
  ...scatters('scatter_add', 'src: Tensor', `${INDEX}  (2, 3)`),
  ...scatters('scatter_reduce', 'src: Tensor, reduce: any, *, include_self: any = True', `${INDEX}  (2, 3)  'sum'`),
  ...indexed('index_add', 'source: Tensor, *, alpha: any = 1', '(2, 3)  0  [1]:int64  (1, 3)', false),
  ...indexed('index_copy', 'source: Tensor', '(2, 3)  0  [1]:int64  (1, 3)', false),
  ...indexed(
    'index_reduce',
    'source: Tensor, reduce: any, *, include_self: any = True',
    "(2, 3)  0  [1]:int64  (1, 3)  'prod'",
    false,
  ),
  ...indexed('index_fill', 'value: any', '(2, 3)/(1, 2)  0  [1]:int64  1.0', true),
  op('masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor', {
    raises: ({ mask }) => boolMask(mask),
    shape: ({ self, mask }, call) => {
      const shape = broadcastLayouts([self.layout, mask.layout], call.ask, { demand: call.demand });
      return isFault(shape) ? shape : fresh(shape.shape, shape.front);
    },
    samples: ['(2, 3)  (2, 3):bool  (6,)'],
  }),
  op('Tensor.masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> any', {
    maybe: ({ self }) => same(self),
    writes: ({ self, mask }, call) => one(writeAll(self, { mask }, 'unchecked', call)),
    samples: ['(2, 3)  (2, 3):bool  (6,)'],
  }),
  op(
    'torch.searchsorted(sorted_sequence: Tensor, input: any, *, out_int32: bool = False, right: any = False, side: any = None, sorter: any = None) -> Tensor',
    {
      shape: ({ input }) => tensorOrNull(input)?.layout.shape ?? [],
      dtype: ({ out_int32 }) => (out_int32 ? 'int32' : 'int64'),
      samples: ['(4,)  (2, 3)'],
    },
  ),
  op('torch.bucketize(input: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: any = False) -> Tensor', {
    shape: ({ input }) => denseLike(input.layout),
    dtype: ({ out_int32 }) => (out_int32 ? 'int32' : 'int64'),
    samples: ['(2, 3)/(1, 2)  (4,)'],
  }),
];
