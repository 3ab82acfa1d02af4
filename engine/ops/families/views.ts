import { add, always, int, loneSymbol, mul, ONE, type SymInt, same as sameInt } from '../../symbols/index.ts';
import {
  asStrided,
  chain,
  complexOf,
  complexPart,
  diagonal,
  expand,
  type Fault,
  isComplex,
  isFault,
  itemsize,
  type Layout,
  narrow,
  permute,
  type Result,
  raises,
  realOf,
  select,
  span,
  squeeze,
  type Tensor,
  transpose,
  unflatten,
  unfold,
  unsqueeze,
  unsure,
  view,
  viewAsComplex,
  viewAsReal,
  viewDtype,
  wrapDim,
} from '../../tensor/index.ts';
import { type Call, since } from '../context.ts';
import { type Entry, op, same, viewOf } from '../op.ts';
import { conjugated, lastTwo } from './transposes.ts';

/** Whether the first size stands for the unknown front of the tensor, as in `(*x.shape[:-1], h, d)`. */
export const keepsFront = (layout: Layout, size: readonly SymInt[]): boolean =>
  layout.front && size[0] !== undefined && layout.shape[0] !== undefined && sameInt(size[0], layout.shape[0]);

/** The sizes of another tensor; where its leading dims are not known they must be those of the tensor itself. */
export const sizesAs = (layout: Layout, { shape, front }: Layout): Result<readonly SymInt[]> =>
  front && !keepsFront(layout, shape) ? unsure('the number of dims of `other` is not known') : shape;

const viewAs = (layout: Layout, size: readonly SymInt[], { ask, demand }: Call): Result<Layout> =>
  view(layout, size, ask, { demand, front: keepsFront(layout, size) });

const expandTo = (layout: Layout, size: readonly SymInt[], call: Call): Result<Layout> => {
  const { ask, demand } = call;
  const front = keepsFront(layout, size);
  return layout.front && !front ? expandOfAnyRank(layout, size, call) : expand(layout, size, ask, { demand, front });
};

/** However many dims there were, there are as many as sizes afterwards; which of them were widened is not known. */
function expandOfAnyRank(layout: Layout, size: readonly SymInt[], { context }: Call): Result<Layout> {
  const tail = layout.shape.slice(1);
  const added = size.length - tail.length;
  if (added < 0) return unsure('the number of dims is not known');
  const shape = size.map((wanted, d) => (wanted.constant === -1 ? (tail[d - added] ?? context.fresh('size')) : wanted));
  return { shape, stride: null, offset: layout.offset, front: false };
}

/** Views that take sizes: `view`, `expand` and what rests on them. */
export const sizedViews: readonly Entry[] = [
  op('Tensor.view(self: Tensor, size: SymInt[]) -> Tensor', {
    view: ({ self, size }, call) => viewAs(self.layout, size, call),
    samples: [
      '(2, 3, 4)  (6, 4)',
      '(2, 3, 4)  (2, -1)',
      '(3, 4)/(1, 3)  (12,)  !',
      '(2, 3)  (4, 2)  !',
      '(2, 3)  (-1, 4)  !',
    ],
  }),
  op('Tensor.view(self: Tensor, dtype: ScalarType) -> Tensor', {
    view: ({ self, dtype }, { ask }) => {
      if (typeof dtype !== 'string') return unsure(dtype.reason);
      return self.dtype === null
        ? unsure('the dtype of the input is not known')
        : viewDtype(self.layout, self.dtype, dtype, ask);
    },
    dtype: ({ dtype }) => (typeof dtype === 'string' ? dtype : null),
    samples: ['(2, 4)  torch.float64', '(2, 4)  torch.int32', '(2, 4)  torch.uint8', '(2, 3)  torch.float64  !'],
  }),
  op('Tensor.view_as(self: Tensor, other: Tensor) -> Tensor', {
    view: ({ self, other }, call) =>
      chain(sizesAs(self.layout, other.layout), (size) => viewAs(self.layout, size, call)),
    samples: ['(2, 3)  (3, 2)', '(2, 3)  (5,)  !'],
  }),
  op('unflatten(self: Tensor, dim: int, sizes: SymInt[]) -> Tensor', {
    view: ({ self, dim, sizes }, { ask, demand }) => unflatten(self.layout, dim, sizes, ask, { demand }),
    samples: ['(2, 6)  1  (2, 3)', '(2, 6)  -1  (-1, 2)', '(2, 6)/(1, 2)  0  (2, 1)', '(2, 6)  1  (4, 2)  !'],
  }),
  op('Tensor.expand(self: Tensor, size: SymInt[], *, implicit: bool = False) -> Tensor', {
    view: ({ self, size }, call) => expandTo(self.layout, size, call),
    samples: ['(3, 1)  (3, 4)', '(3, 1)  (2, -1, 4)', '(3,)  (1, 3)', '(3, 2)  (3, 4)  !', '(3, 2)  (2,)  !'],
  }),
  op('Tensor.expand_as(self: Tensor, other: Tensor) -> Tensor', {
    view: ({ self, other }, call) =>
      other.layout.front ? unsure('the number of dims is not known') : expandTo(self.layout, other.layout.shape, call),
    samples: ['(3, 1)  (3, 4)', '(1,)  (2, 3)', '(2,)  (3,)  !'],
  }),
  op('broadcast_to(self: Tensor, size: SymInt[]) -> Tensor', {
    view: ({ self, size }, call) => expandTo(self.layout, size, call),
    samples: ['(3, 1)  (3, 4)', '(4,)  (3, 4)', '(2,)  (3,)  !'],
  }),
  op('as_strided(self: Tensor, size: SymInt[], stride: SymInt[], storage_offset: SymInt? = None) -> Tensor', {
    view: ({ self, size, stride, storage_offset }, { ask }) =>
      chain(
        asStrided(self.layout, size, stride, storage_offset),
        (layout) => outOfStorage(self, layout, ask) ?? layout,
      ),
    samples: [
      '(2, 6)  (2, 2)  (1, 1)',
      '(2, 6)  (3,)  (2,)  1',
      '(2,)  (0, 3)  (1, 1)  9',
      '(2, 6)  (2,)  (1, 1)  !',
      '(2, 6)  (2,)  (-1,)  !',
    ],
  }),
];

/** The storage must hold the last element that the layout touches. */
function outOfStorage({ storage, dtype }: Tensor, layout: Layout, ask: Call['ask']): Fault | null {
  const { nbytes } = storage;
  const reach = span(layout);
  if (nbytes === null || dtype === null || reach === null || layout.offset === null) return null;
  // No elements need no storage, wherever they begin.
  if (reach.constant === 0) return null;
  const needs = mul(add(layout.offset, reach), int(itemsize(dtype)));
  return always('less', nbytes, needs, ask.facts) === true
    ? raises({ is: 'out-of-storage', needs, has: nbytes })
    : null;
}

/** Who names a dim to squeeze of which nothing is known says that it has size 1. */
function withOnes(layout: Layout, dims: readonly number[], { demand }: Call): Layout {
  const ones = new Set(dims.flatMap((dim) => spokenOf(layout, dim)));
  for (const d of ones) demand(layout.shape[d] ?? ONE, ONE);
  return ones.size === 0 ? layout : { ...layout, shape: layout.shape.map((size, d) => (ones.has(d) ? ONE : size)) };
}

function spokenOf(layout: Layout, dim: number): readonly number[] {
  const d = wrapDim(layout, dim);
  if (isFault(d)) return [];
  const size = layout.shape[d];
  return size !== undefined && loneSymbol(size) !== null ? [d] : [];
}

/** Views that add, drop or cut one dim. */
export const dimViews: readonly Entry[] = [
  op('unsqueeze(self: Tensor, dim: int) -> Tensor', {
    view: ({ self, dim }) => unsqueeze(self.layout, dim),
    samples: ['(2, 3)  0', '(2, 3)  -1', '(2, 3)  2', '(2, 3)  4  !'],
  }),
  op('squeeze(self: Tensor) -> Tensor', {
    view: ({ self }, { ask }) => squeeze(self.layout, null, ask),
    samples: ['(2, 1, 3, 1)', '(1, 1)', '(2, 3)'],
  }),
  op('squeeze(self: Tensor, dim: int[1]) -> Tensor', {
    raises: ({ dim }, call) =>
      dim.length !== 1 && !since(call, 2, 6)
        ? raises({ is: 'argument', name: 'dim', got: `${dim.length} dims`, expects: 'a single dim on this torch' })
        : null,
    view: ({ self, dim }, call) => squeeze(withOnes(self.layout, dim, call), dim, call.ask),
    samples: ['(2, 1, 3)  1', '(2, 1, 3)  0', '(2, 1, 1)  (1, 2)', '(2, 1)  3  !'],
  }),
  op('select(self: Tensor, dim: int, index: SymInt) -> Tensor', {
    view: ({ self, dim, index }, { ask }) => select(self.layout, dim, index, ask),
    samples: ['(2, 3)  1  2', '(2, 3)  -1  -3', '(2, 3)  0  2  !', '()  0  0  !'],
  }),
  op('narrow(self: Tensor, dim: int, start: SymInt, length: SymInt) -> Tensor', {
    view: ({ self, dim, start, length }, { ask }) => narrow(self.layout, dim, start, length, ask),
    samples: ['(2, 5)  1  1  3', '(2, 5)  1  -2  2', '(2, 5)  1  5  0', '(2, 5)  1  3  3  !', '(2, 5)  1  0  -1  !'],
  }),
  op('diagonal(self: Tensor, offset: SymInt = 0, dim1: int = 0, dim2: int = 1) -> Tensor', {
    view: ({ self, offset, dim1, dim2 }, { ask }) => diagonal(self.layout, offset, dim1, dim2, ask),
    samples: ['(3, 4)', '(3, 4)  1', '(3, 4)  -2', '(2, 3, 4)  0  -2  -1', '(3, 4)  0  1  1  !'],
  }),
  op('linalg.diagonal(A: Tensor, *, offset: SymInt = 0, dim1: int = -2, dim2: int = -1) -> Tensor', {
    view: ({ A, offset, dim1, dim2 }, { ask }) => diagonal(A.layout, offset, dim1, dim2, ask),
    samples: ['(2, 3, 4)', '(2, 3, 4)  offset=1'],
  }),
  op('Tensor.unfold(self: Tensor, dimension: int, size: SymInt, step: SymInt) -> Tensor', {
    view: ({ self, dimension, size, step }, { ask }) => unfold(self.layout, dimension, size, step, ask),
    samples: ['(2, 5)  1  3  1', '(2, 5)  -1  2  2', '()  0  1  1', '(2, 5)  1  6  1  !', '(2, 5)  1  2  0  !'],
  }),
];

/** Views that change nothing but the tensor object, or the reading of the numbers. */
export const aliases: readonly Entry[] = [
  op('detach(self: Tensor) -> Tensor', {
    view: ({ self }) => self.layout,
    samples: ['(2, 3)', '(2, 3)/(1, 2)'],
  }),
  op('torch.view_as_real(self: Tensor) -> Tensor', {
    raises: ({ self }) =>
      self.dtype !== null && !isComplex(self.dtype)
        ? raises({ is: 'argument', name: 'self', got: self.dtype, expects: 'a complex tensor' })
        : null,
    view: ({ self }) => viewAsReal(self.layout),
    dtype: ({ self }) => self.dtype && realOf(self.dtype),
    samples: ['(2, 3):complex64', '(2, 3)/(1, 2):complex64', '(2, 3)  !'],
  }),
  op('torch.view_as_complex(self: Tensor) -> Tensor', {
    view: ({ self }, { ask, demand }) => viewAsComplex(self.layout, ask, { demand }),
    dtype: ({ self }) => self.dtype && complexOf(self.dtype),
    samples: ['(3, 2)', '(3, 3)  !'],
  }),
  op('real(self: Tensor) -> Tensor', {
    maybe: ({ self }) => part(self, 'real'),
    samples: ['(2, 3)', '(2, 3):complex64'],
  }),
  op('imag(self: Tensor) -> Tensor', {
    maybe: ({ self }) => part(self, 'imag'),
    samples: ['(2, 3):complex64', '(2, 3)  !'],
  }),
  op('conj(self: Tensor) -> Tensor', {
    maybe: ({ self }) => conjugated(self),
    samples: ['(2, 3)', '(2, 3):complex64'],
  }),
  op('resolve_conj(self: Tensor) -> Tensor', {
    also: ['resolve_neg', 'positive', 'operator.pos'],
    maybe: ({ self }) => same(self),
    samples: ['(2, 3)'],
  }),
  op('Tensor.share_memory_(self: Tensor) -> Tensor', {
    also: ['Tensor.pin_memory'],
    maybe: ({ self }) => same(self),
    samples: ['(2, 3)'],
  }),
];

export function part(self: Tensor, which: 'real' | 'imag') {
  if (self.dtype === null) return unsure('the dtype of the input is not known');
  if (isComplex(self.dtype)) return viewOf(self, complexPart(self.layout, which), realOf(self.dtype));
  return which === 'real'
    ? same(self)
    : raises({ is: 'argument', name: 'self', got: self.dtype, expects: 'a complex tensor' });
}

/** Views as attributes: `x.T`, `x.mT`. `T` of a rank other than 2 only warns. */
export const ATTRIBUTE_VIEWS: Readonly<Record<string, (layout: Layout) => Result<Layout>>> = {
  T: (layout) =>
    layout.front
      ? unsure('the rank of the input is not known')
      : permute(
          layout,
          layout.shape.map((_, d) => -1 - d),
        ),
  mT: lastTwo,
  mH: lastTwo,
  H: (layout) =>
    layout.shape.length === 0 && !layout.front ? layout : chain(rankTwo(layout), (ok) => transpose(ok, 0, 1)),
  data: (layout) => layout,
};

function rankTwo(layout: Layout): Result<Layout> {
  if (layout.front) return unsure('the rank of the input is not known');
  const { length } = layout.shape;
  return length === 2 ? layout : raises({ is: 'rank-differs', what: 'self', expected: '0 or 2', got: length });
}
