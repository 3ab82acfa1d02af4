import { always, int, mul, ONE, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  broadcast,
  broadcastLayouts,
  chain,
  type Fault,
  isFault,
  type Layout,
  preserve,
  type Result,
  raises,
  SCALAR,
  type Tensor,
  unbind,
  wrapDim,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { overflows } from '../constants.ts';
import { type Call, since } from '../context.ts';
import {
  notAWay,
  notOf,
  notVector,
  ofOneDType,
  outOfRange,
  slicesDiffer,
  sourceTooSmall,
} from '../indexing/conditions.ts';
import { fresh } from '../layouts/format.ts';
import { isEmpty } from '../layouts/inquiry.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, fresh as made, op, same, tensorsIn } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { one, writeAll } from '../writing.ts';
import { notIndices } from './embeddings.ts';
import { tensorOrNull } from './products.ts';

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
  // No indices are not looked at.
  const none = index.layout.shape.some((size) => isEmpty(size, call));
  const wrong = index.dtype === 'int64' || none ? null : notIndices('index', index.dtype);
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
    if (d === axis) continue;
    const beyond = always('less', limit, size, call.ask.facts);
    if (beyond === true)
      return raises({ is: 'size-differs', what: `dim ${d} of index`, left: size, right: limit, broadcast: false });
    if (beyond === undefined) call.ask.leaveOut({ relation: 'less', left: limit, right: size });
  }
  return outOfRange(index, self.shape[axis], axis);
}

interface Scatter {
  readonly self: Tensor;
  readonly dim: number;
  readonly index: Tensor;
  readonly src: Tensor | Value;
  readonly reduce?: Value;
}

const REDUCTIONS = {
  scatter: ['add', 'multiply'],
  scatter_add: [],
  scatter_reduce: ['sum', 'prod', 'mean', 'amax', 'amin'],
} as const;

const misfit = (name: keyof typeof REDUCTIONS, { self, dim, index, src, reduce }: Scatter, call: Call): Fault | null =>
  (reduce === undefined ? null : notAWay(reduce, 'reduce', REDUCTIONS[name])) ??
  fits(self.layout, dim, index, call) ??
  ofOneDType(self, src, 'src') ??
  sourceTooSmall(index, src, call) ??
  (index.layout.shape.every(({ constant }) => constant !== null && constant > 0)
    ? overflows('value', src.kind === 'tensor' ? null : src, self.dtype)
    : null);

/** The inputs of a write: all tensors but the one that is written. */
function besideSelf(args: object): Readonly<Record<string, Tensor | null>> {
  const { self: _, ...inputs } = tensorsIn({ ...args });
  return inputs;
}

/** A family of writers along a dim: out of place, and in place with `apart` overlap rules. */
function scatters(name: keyof typeof REDUCTIONS, more: string, samples: readonly string[]): readonly Entry[] {
  type Form = 'f(self: Tensor, dim: int, index: Tensor, src: Tensor | any, reduce: any) -> Tensor';
  const signature = (prefix: string, suffix: string, returns: string) =>
    `${prefix}${name}${suffix}(self: Tensor, dim: int, index: Tensor, ${more}) -> ${returns}` as Form;
  const twin =
    `Tensor.${name}_(self: Tensor, dim: int, index: Tensor, ${more}) -> any` as 'f(self: Tensor, dim: int, index: Tensor, src: Tensor | any, reduce: any) -> any';
  return [
    op(signature('', '', 'Tensor'), {
      raises: (args, call) => misfit(name, args, call),
      shape: ({ self }) => denseLike(self.layout),
      out: 'apart',
      samples,
    }),
    op(twin, {
      raises: (args, call) => misfit(name, args, call),
      maybe: ({ self }) => same(self),
      writes: (args, call) => one(writeAll(args.self, besideSelf(args), 'apart', call)),
      samples,
    }),
  ];
}

const INDEXED = {
  index_add: { dtypes: ['int64', 'int32'], reductions: [] },
  index_copy: { dtypes: ['int64'], reductions: [] },
  index_reduce: { dtypes: ['int64', 'int32'], reductions: ['prod', 'mean', 'amax', 'amin'] },
  index_fill: { dtypes: ['int64'], reductions: [] },
} as const;

interface Indexed {
  readonly self: Tensor;
  readonly dim: number;
  readonly index: Tensor;
  readonly source?: Tensor;
  readonly value?: Value;
  readonly reduce?: Value;
}

function misplaced(name: keyof typeof INDEXED, args: Indexed, call: Call): Fault | null {
  const { self, dim, index, source, value, reduce } = args;
  const axis = wrapDim(self.layout, dim);
  const size = isFault(axis) ? undefined : (self.layout.shape[axis] ?? ONE);
  const { dtypes, reductions } = INDEXED[name];
  const written = value?.kind === 'tensor' && !value.layout.front ? value.layout.shape.length : 0;
  return (
    (isFault(axis) && axis.fault === 'raises' ? axis : null) ??
    notVector(index, 'index') ??
    notOf(index, dtypes, 'index') ??
    (reduce === undefined ? null : notAWay(reduce, 'reduce', reductions)) ??
    (source === undefined
      ? null
      : (ofOneDType(self, source, 'source') ?? slicesDiffer(self.layout, dim, index, source.layout, call))) ??
    (written > 0 ? raises({ is: 'rank-differs', what: 'value', expected: '0', got: written }) : null) ??
    overflows('value', value ?? null, self.dtype) ??
    (self.layout.shape.some((own) => isEmpty(own, call))
      ? null
      : outOfRange(index, size, isFault(axis) ? 0 : axis, name === 'index_fill' ? 'size' : 'none'))
  );
}

/** `index_add` and its like: `source` has the sizes of `self` but for `dim`. */
function indexed(name: keyof typeof INDEXED, more: string, samples: readonly string[]): readonly Entry[] {
  type Form = 'f(self: Tensor, dim: int, index: Tensor, source: Tensor, value: any, reduce: any) -> Tensor';
  const out = `${name}(self: Tensor, dim: int, index: Tensor, ${more}) -> Tensor` as Form;
  const twin =
    `Tensor.${name}_(self: Tensor, dim: int, index: Tensor, ${more}) -> any` as 'f(self: Tensor, dim: int, index: Tensor, source: Tensor, value: any, reduce: any) -> any';
  const guarded = name === 'index_fill' ? 'silent' : 'apart';
  return [
    op(out, {
      raises: (args, call) => misplaced(name, args, call),
      shape: ({ self }, { ask }) => (name === 'index_fill' ? preserve(self.layout, ask) : denseLike(self.layout)),
      ...(name === 'index_fill' ? {} : { out: 'apart' as const }),
      samples,
    }),
    op(twin, {
      raises: (args, call) => misplaced(name, args, call),
      maybe: ({ self }) => same(self),
      writes: (args, call) => one(writeAll(args.self, besideSelf(args), guarded, call)),
      samples,
    }),
  ];
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
  return { shape: [count, width], stride: self.front ? null : [ONE, count], offset: ZERO, front: false };
}

/** 1.13 took bytes for a mask, too. */
const boolMask = (mask: Tensor, call: Call): Fault | null =>
  notOf(mask, since(call, 2, 6) ? ['bool'] : ['bool', 'uint8'], 'mask');

const INDEX = '(2, 3)  1  (2, 3):int64';

/** The indices along each dim: columns of one table. */
function columnsOf(table: Layout, { ask }: Call): Result<OpResult> {
  return chain(unbind(table, 1, ask), (columns) => ({
    is: 'tuple',
    items: columns.map((column) => made(column, 'int64')),
    whole: table,
  }));
}

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
    raises: ({ self, index }) => notOf(index, ['int64'], 'index') ?? outOfRange(index, numelOf(self.layout), 0, 'size'),
    shape: ({ index }) => denseLike(index.layout),
    out: 'apart',
    samples: ['(2, 3)  [0, 4]:int64', '(2, 3)  [-6]:int64', '(2, 3)  [6]:int64  !', '(2, 3)  [0]:int32  !'],
  }),
  op('take_along_dim(self: Tensor, indices: Tensor, dim: int? = None) -> Tensor', {
    raises: ({ indices }) => notOf(indices, ['int64'], 'indices'),
    shape: ({ self, indices, dim }, call) => takenAlong(self.layout, indices, dim, call),
    samples: ['(2, 3)  [[0], [1]]:int64  1', '(2, 3)  [0, 1]:int64'],
  }),
  op('masked_select(self: Tensor, mask: Tensor) -> Tensor', {
    raises: ({ mask }, call) => boolMask(mask, call),
    shape: ({ self, mask }, call) => masked(self.layout, mask.layout, call),
    out: 'apart',
    samples: ['(2, 3)  (2, 3):bool', '(2, 3)  (2, 3):uint8  !'],
  }),
  op('nonzero(self: Tensor, *, as_tuple: bool = False) -> any', {
    maybe: ({ self, as_tuple }, call) => {
      const table = nonzero(self.layout, call);
      if (!as_tuple) return made(table, 'int64');
      return columnsOf(table, call);
    },
    samples: ['[1, 0, 1]:int64', '[1, 0, 1]:int64  as_tuple=True'],
  }),
  op('argwhere(self: Tensor) -> Tensor', {
    shape: ({ self }, call) => nonzero(self.layout, call),
    dtype: 'int64',
    samples: ['[1, 0, 1]:int64'],
  }),
  op('torch.where(condition: Tensor) -> any', {
    maybe: ({ condition }, call) => columnsOf(nonzero(condition.layout, call), call),
    samples: ['[1, 0, 1]:int64'],
  }),
  ...scatters('scatter', 'src: Tensor | any, *, reduce: any = None', [
    `${INDEX}  1.0`,
    `${INDEX}  (2, 3)`,
    `${INDEX}  (2, 2)  !`,
    `${INDEX}  (2, 3):float64  !`,
    `${INDEX}  1.0  reduce='add'`,
    `${INDEX}  1.0  reduce='sum'  !`,
    '(2,):float16  0  [0]:int64  1e9  !',
    '(2, 3)  1  [[0, 3]]:int64  1.0  !',
    '(2, 3)  1  (2,):int64  1.0  !',
  ]),
  ...scatters('scatter_add', 'src: Tensor', [`${INDEX}  (2, 3)`, `${INDEX}  (1, 3)  !`, `${INDEX}  (2, 3):int64  !`]),
  ...scatters('scatter_reduce', 'src: Tensor, reduce: any, *, include_self: any = True', [
    `${INDEX}  (2, 3)  'sum'`,
    `${INDEX}  (2, 3)  'add'  !`,
  ]),
  ...indexed('index_add', 'source: Tensor, *, alpha: any = 1', [
    '(2, 3)  0  [1]:int64  (1, 3)',
    '(2, 3)  0  [1]:int32  (1, 3)',
    '(2, 3)  0  [2]:int64  (1, 3)  !',
    '(2, 3)  0  [-1]:int64  (1, 3)  !',
    '(2, 3)  0  [1]:int64  (2, 3)  !',
    '(2, 3)  0  [1]:int64  (1, 4)  !',
    '(2, 3)  0  [1]:int64  (1, 3):float64  !',
    '(2, 3)  0  [[1]]:int64  (1, 3)  !',
  ]),
  ...indexed('index_copy', 'source: Tensor', [
    '(2, 3)  0  [1]:int64  (1, 3)',
    '(2, 3)  0  [1]:int32  (1, 3)  !',
    '(2, 3)  0  [1]:int64  (3,)  !',
    '(2, 3)  0  [1]:int64  (1, 3):float64  !',
  ]),
  ...indexed('index_reduce', 'source: Tensor, reduce: any, *, include_self: any = True', [
    "(2, 3)  0  [1]:int64  (1, 3)  'prod'",
    "(2, 3)  0  [1]:int64  (1, 3)  'sum'  !",
  ]),
  ...indexed('index_fill', 'value: any', [
    '(2, 3)/(1, 2)  0  [1]:int64  1.0',
    '(2, 3)  0  [-2]:int64  1.0',
    '(2, 3)  0  [-3]:int64  1.0  !',
    '(2, 3)  0  [1]:int32  1.0  !',
    '(2, 3)  0  [1]:int64  ()',
    '(2, 3):int8  0  [1]:int64  300  !',
    '(2, 3)  0  [1]:int64  (1,)  !',
  ]),
  op('masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor', {
    raises: ({ self, mask, source }, call) => boolMask(mask, call) ?? ofOneDType(self, source, 'source'),
    shape: ({ self, mask }, call) => {
      const shape = broadcastLayouts([self.layout, mask.layout], call.ask, { demand: call.demand });
      return isFault(shape) ? shape : fresh(shape.shape, shape.front);
    },
    samples: ['(2, 3)  (2, 3):bool  (6,)', '(2, 3)  (2, 3):bool  (6,):float64  !', '(2, 3)  (2, 3):uint8  (6,)  !'],
  }),
  op('Tensor.masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> any', {
    raises: ({ self, mask, source }, call) => boolMask(mask, call) ?? ofOneDType(self, source, 'source'),
    maybe: ({ self }) => same(self),
    writes: ({ self, mask }, call) => one(writeAll(self, { mask }, 'unchecked', call)),
    samples: ['(2, 3)  (2, 3):bool  (6,)'],
  }),
  op(
    'torch.searchsorted(sorted_sequence: Tensor, input: any, *, out_int32: bool = False, right: any = False, side: any = None, sorter: any = None) -> Tensor',
    {
      shape: ({ input }) => denseLike(tensorOrNull(input)?.layout ?? SCALAR),
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
