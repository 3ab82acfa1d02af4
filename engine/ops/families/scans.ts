import { always, ONE, type SymInt } from '../../symbols/index.ts';
import {
  type DType,
  isFault,
  type Layout,
  movedim,
  preserve,
  type Result,
  raises,
  type Tensor,
  wrapDim,
} from '../../tensor/index.ts';
import type { Unknown } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { fresh, unstrided } from '../layouts/format.ts';
import { denseAlong, dimOutOfRange, reduced } from '../layouts/reduction.ts';
import { type Entry, fresh as made, op } from '../op.ts';
import { accumulated, dtypeOr } from './reductions.ts';

const INDEXED = [({ self }: { self: Tensor }) => self.dtype, 'int64'] as const;

interface Along {
  readonly self: Tensor;
  readonly dim: number;
}

const along = ({ self, dim }: Along) => denseAlong(self.layout, dim);
const summed = ({ self, dtype }: { self: Tensor; dtype: DType | Unknown | null }) =>
  dtypeOr(dtype, accumulated(self.dtype));

function both({ self, dim }: Along) {
  const layout = denseAlong(self.layout, dim);
  return isFault(layout) ? layout : [layout, layout];
}

/** Sorted values keep the layout of the input. */
function sorted({ self, dim }: Along, { ask }: Call) {
  const wrong = dimOutOfRange(self.layout, dim);
  return wrong ?? preserve(self.layout, ask);
}

function sortedPair(args: Along, call: Call) {
  const layout = sorted(args, call);
  return isFault(layout) ? layout : [layout, layout];
}

function top({ self, k, dim }: Along & { k: SymInt }, { ask }: Call) {
  const axis = wrapDim(self.layout, dim);
  if (isFault(axis)) return axis;
  const size = self.layout.shape[axis];
  if ((k.constant ?? 0) < 0 || (size !== undefined && always('less', size, k, ask.facts) === true))
    return raises({ is: 'index-out-of-range', index: k, dim: axis, size: size ?? ONE });
  const layout = fresh(
    self.layout.shape.map((length, d) => (d === axis ? k : length)),
    self.layout.front,
  );
  return [layout, layout];
}

/** Counted from 1. */
function noKth(self: Tensor, k: SymInt, dim: number) {
  const axis = wrapDim(self.layout, dim);
  if (isFault(axis)) return axis.fault === 'raises' ? axis : null;
  const size = self.layout.shape[axis] ?? ONE;
  const [at, most] = [k.constant, size.constant];
  return at !== null && (at < 1 || (most !== null && at > most))
    ? raises({ is: 'index-out-of-range', index: k, dim: axis, size })
    : null;
}

const SCAN = ['(2, 3)  1', '(2, 3)/(1, 2)  0', '(2, 3):int64  0', '(2, 3)  2  !'];

/** The slices along a dim that differ, one a row, with that dim moved back. */
function sliceTable({ shape, front }: Layout, axis: number, count: SymInt): Result<Layout> {
  if (front)
    return unstrided(
      shape.map((size, d) => (d === axis ? count : size)),
      true,
    );
  return movedim(fresh([count, ...shape.filter((_, d) => d !== axis)]), [0], [axis]);
}

export const scans: readonly Entry[] = [
  ...(['cumsum', 'cumprod'] as const).map((name) =>
    op(`${name}(self: Tensor, dim: int, *, dtype: ScalarType? = None) -> Tensor`, {
      shape: along,
      dtype: summed,
      out: 'elementwise',
      samples: SCAN,
    }),
  ),
  op('logcumsumexp(self: Tensor, dim: int) -> Tensor', { shape: along, samples: ['(2, 3)  1'] }),
  ...(['cummax', 'cummin'] as const).map((name) =>
    op(`${name}(self: Tensor, dim: int) -> (values: Tensor, indices: Tensor)`, {
      shape: both,
      dtype: INDEXED,
      samples: ['(2, 3)/(1, 2)  1'],
    }),
  ),
  op(
    'sort(self: Tensor, dim: int = -1, descending: any = False, stable: any = False) -> (values: Tensor, indices: Tensor)',
    {
      shape: sortedPair,
      dtype: INDEXED,
      out: 'elementwise',
      samples: ['(2, 3)', '(2, 3)/(1, 2)  0', '(2, 3)  2  !'],
    },
  ),
  op('argsort(self: Tensor, dim: int = -1, descending: any = False, stable: any = False) -> Tensor', {
    shape: sorted,
    dtype: 'int64',
    samples: ['(2, 3)/(1, 2)'],
  }),
  op('msort(self: Tensor) -> Tensor', {
    shape: ({ self }, { ask }) => preserve(self.layout, ask),
    samples: ['(2, 3)/(1, 2)'],
  }),
  op(
    'topk(self: Tensor, k: SymInt, dim: int = -1, largest: any = True, sorted: any = True) -> (values: Tensor, indices: Tensor)',
    {
      shape: top,
      dtype: INDEXED,
      out: 'elementwise',
      samples: ['(2, 3)  2', '(2, 3)/(1, 2)  1  0', '(2, 3)  4  !', '(2, 3)  -1  !'],
    },
  ),
  op('kthvalue(self: Tensor, k: any, dim: int = -1, keepdim: bool = False) -> (values: Tensor, indices: Tensor)', {
    raises: ({ self, k, dim }) => (k.kind === 'int' ? noKth(self, k.value, dim) : null),
    shape: ({ self, dim, keepdim }) => {
      const layout = reduced(self.layout, [dim], keepdim);
      return isFault(layout) ? layout : [layout, layout];
    },
    dtype: INDEXED,
    samples: ['(2, 3)  2', '(2, 3)  1  0  True', '(2, 3)  0  !', '(2, 3)  4  !', '()  1'],
  }),
  ...(['torch.unique', 'torch.unique_consecutive', 'Tensor.unique', 'Tensor.unique_consecutive'] as const).map((name) =>
    op(
      `${name}(self: Tensor, ${name.endsWith('unique') ? 'sorted: any = True, ' : ''}return_inverse: bool = False, return_counts: bool = False, dim: int? = None) -> any` as 'f(self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int? = None) -> any',
      {
        maybe: ({ self, return_inverse, return_counts, dim }, { context }) => {
          const count = context.fresh('unique');
          const axis = dim === null ? 0 : wrapDim(self.layout, dim);
          if (isFault(axis)) return axis;
          const layout = dim === null ? fresh([count]) : sliceTable(self.layout, axis, count);
          if (isFault(layout)) return layout;
          const values = made(layout, self.dtype);
          const inverse = made(
            dim === null ? fresh(self.layout.shape, self.layout.front) : fresh(self.layout.shape.slice(axis, axis + 1)),
            'int64',
          );
          const counts = made(fresh([count]), 'int64');
          if (!return_inverse && !return_counts) return values;
          return {
            is: 'tuple',
            items: [values, ...(return_inverse ? [inverse] : []), ...(return_counts ? [counts] : [])],
          };
        },
        samples: [
          '[1, 2, 2]:int64',
          '[[1, 2], [1, 2]]:int64  return_inverse=True  dim=0',
          '[[1, 2], [1, 2]]:int64  dim=1',
          '(2, 3)  dim=2  !',
        ],
      },
    ),
  ),
];
