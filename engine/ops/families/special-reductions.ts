import { ONE } from '../../symbols/index.ts';
import { raises, transpose, unsure } from '../../tensor/index.ts';
import { fresh } from '../layouts/format.ts';
import { reduced } from '../layouts/reduction.ts';
import { type Entry, fresh as made, op, same } from '../op.ts';
import { accumulated } from './reductions.ts';

/** Reductions to what is left rather than over dims: to segments, to one dim, to a size. */
export const specialReductions: readonly Entry[] = [
  op(
    'torch.segment_reduce(data: Tensor, reduce: any, *, lengths: any = None, indices: any = None, offsets: any = None, axis: any = 0, unsafe: any = False, initial: any = None) -> Tensor',
    {
      shape: ({ data, lengths }, { context }) => {
        if (data.layout.front) return unsure('the rank of the data is not known');
        const count = lengths.kind === 'tensor' && !lengths.layout.front ? lengths.layout.shape[0] : undefined;
        return [count ?? context.fresh('segments'), ...data.layout.shape.slice(1)];
      },
      samples: ["(6, 2)  'sum'  lengths=[2, 4]:int64"],
    },
  ),
  op('torch.norm_except_dim(v: Tensor, pow: any = 2, dim: int = 0) -> Tensor', {
    shape: ({ v, dim }) => {
      if (v.layout.front) return unsure('the rank of the input is not known');
      if (dim === -1) return [];
      const size = v.layout.shape[dim];
      if (size === undefined) return raises({ is: 'dim-out-of-range', dim, ndim: v.layout.shape.length });
      const ones = v.layout.shape.map(() => ONE);
      if (dim === ones.length - 1) return [...ones.slice(1), size];
      return transpose(fresh([size, ...ones.slice(1)]), 0, dim);
    },
    samples: ['(2, 3, 4)', '(2, 3, 4)  2  1', '(2, 3, 4)  2  2', '(2, 3, 4)  2  -1'],
  }),
  op('Tensor.sum_to_size(self: Tensor, size: SymInt[]) -> Tensor', {
    maybe: ({ self, size }, { ask }) => {
      const { shape, front } = self.layout;
      if (front) return unsure('the rank of the input is not known');
      const answers = size.map((length, d) => {
        const own = shape[d - size.length + shape.length];
        return own === undefined ? false : own.key === length.key ? true : ask.equal(own, length);
      });
      if (size.length === shape.length && answers.every((answer) => answer === true)) return same(self);
      return answers.includes(undefined)
        ? unsure('whether anything is summed is not known')
        : made(fresh(size), accumulated(self.dtype));
    },
    samples: ['(3, 4)/(1, 3)  (1, 4)', '(3, 4)/(1, 3)  (3, 4)', '(3, 4)  (4,)', '(3, 4):int32  (1, 4)'],
  }),
  op('hash_tensor(self: Tensor, dim: int[1] = [], *, keepdim: bool = False, mode: any = 0) -> Tensor', {
    shape: ({ self, dim, keepdim }) => reduced(self.layout, dim, keepdim),
    dtype: 'uint64',
    samples: ['(2, 3)', '(2, 3)  1', '(2, 3)  1  keepdim=True'],
  }),
];
