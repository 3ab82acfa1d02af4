import { floorDiv, int, mul, ONE, sub } from '../../symbols/index.ts';
import {
  broadcastLayouts,
  type Fault,
  isFault,
  isFloat,
  type Layout,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { commonDType, dtypeOfKind } from '../elementwise.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { reduced } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';
import { floated } from './pair-losses.ts';

/** Distances over one dim, contiguous. */
export function distance(a: Layout, b: Layout, dim: number, keepdim: boolean, call: Call): Result<Layout> {
  const shape = broadcastLayouts([a, b], call.ask, { demand: call.demand });
  return isFault(shape) ? shape : reduced(fresh(shape.shape, shape.front), [dim], keepdim);
}

/** A distance between complex numbers is real. */
export const length = (...tensors: readonly Tensor[]) => dtypeOfKind('real', floated(...tensors));

/** A dot product over the lengths of both. */
export const similarity = (x1: Tensor, x2: Tensor) =>
  commonDType([x1, x2].map((x) => ({ ...x, dtype: dtypeOfKind('float', x.dtype) })));

/** Sets of vectors of floating numbers. */
const lineless = ({ layout, dtype }: Tensor, what: string): Fault | null => {
  if (!layout.front && layout.shape.length < 2)
    return raises({ is: 'rank-differs', what, expected: '2 or more', got: layout.shape.length });
  return dtype === null || isFloat(dtype)
    ? null
    : raises({ is: 'argument', name: what, got: dtype, expects: 'a floating dtype' });
};

export const distances: readonly Entry[] = [
  op('F.cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: any = 1e-8) -> Tensor', {
    also: ['torch.cosine_similarity'],
    shape: ({ x1, x2, dim }, call) => distance(x1.layout, x2.layout, dim, false, call),
    dtype: ({ x1, x2 }) => commonDType([x1, x2]),
    samples: ['(2, 3)  (2, 3)', '(2, 3):int64  (2, 3):float16', '(2, 3, 4)  (2, 3, 4)  -1'],
  }),
  op('F.pairwise_distance(x1: Tensor, x2: Tensor, p: any = 2.0, eps: any = 1e-6, keepdim: bool = False) -> Tensor', {
    also: ['torch.pairwise_distance'],
    shape: ({ x1, x2, keepdim }, call) => distance(x1.layout, x2.layout, -1, keepdim, call),
    dtype: ({ x1, x2 }) => length(x1, x2),
    samples: ['(2, 3)  (2, 3)', '(2, 3):complex64  (2, 3):float64', '(2, 3)  (2, 3)  keepdim=True'],
  }),
  op('torch.cdist(x1: Tensor, x2: Tensor, p: any = 2.0, compute_mode: any = None) -> Tensor', {
    raises: ({ x1, x2 }) => lineless(x1, 'x1') ?? lineless(x2, 'x2'),
    shape: ({ x1, x2 }, call) => {
      const differs = agree(x1.layout.shape.at(-1) ?? ONE, x2.layout.shape.at(-1) ?? ONE, 'the last dim of x2', call);
      if (differs !== null) return differs;
      if (x1.layout.front && x1.layout.shape.length > 2 && !x2.layout.front && x2.layout.shape.length === 2)
        return fresh([...x1.layout.shape.slice(0, -1), x2.layout.shape.at(-2) ?? ONE], true);
      if (x1.layout.front || x2.layout.front) return unsure('the rank of the input is not known');
      const batch = broadcastLayouts(
        [fresh(x1.layout.shape.slice(0, -2)), fresh(x2.layout.shape.slice(0, -2))],
        call.ask,
        { demand: call.demand },
      );
      if (isFault(batch)) return batch;
      return [...batch.shape, ...x1.layout.shape.slice(-2, -1), ...x2.layout.shape.slice(-2, -1)];
    },
    samples: [
      '(2, 3)  (4, 3)',
      '(5, 2, 3)  (5, 4, 3)',
      '(2, 3)  (4, 2)  !',
      '(3,)  (4, 3)  !',
      '(2, 3):int64  (4, 3)  !',
    ],
  }),
  op('torch.pdist(self: Tensor, p: any = 2.0) -> Tensor', {
    also: ['F.pdist'],
    ndim: { self: 2 },
    shape: ({ self }) => {
      const [rows = ONE] = self.layout.shape;
      return [floorDiv(mul(rows, sub(rows, ONE)), int(2))];
    },
    samples: ['(4, 3)'],
  }),
];
