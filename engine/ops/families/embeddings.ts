import { ONE, type SymInt } from '../../symbols/index.ts';
import { type DType, type Fault, raises, unsure } from '../../tensor/index.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, fresh as made, op } from '../op.ts';
import { tensorOrNull } from './products.ts';

/** Indices are int64 or int32. */
export function notIndices(name: string, dtype: DType | null): Fault | null {
  if (dtype === null || dtype === 'int64' || dtype === 'int32') return null;
  return raises({ is: 'argument', name, got: dtype, expects: 'int64 or int32 indices' });
}

export const embeddings: readonly Entry[] = [
  op(
    'F.embedding(input: Tensor, weight: Tensor, padding_idx: any = None, max_norm: any = None, norm_type: any = 2.0, scale_grad_by_freq: any = False, sparse: any = False) -> Tensor',
    {
      ndim: { weight: 2 },
      raises: ({ input, weight }) =>
        notIndices('input', input.dtype) ??
        (weight.layout.front || weight.layout.shape.length === 2
          ? null
          : raises({ is: 'rank-differs', what: 'weight', expected: '2', got: weight.layout.shape.length })),
      shape: ({ input, weight }, { context }) =>
        fresh([...input.layout.shape, weight.layout.shape[1] ?? context.fresh('embedding')], input.layout.front),
      dtype: ({ weight }) => weight.dtype,
      samples: ['(2, 3):int64  (5, 4)', '():int64  (5, 4)', '(2, 3)  (5, 4)  !', '(2,):int64  (5,)  !'],
    },
  ),
  op(
    'torch.embedding(weight: Tensor, indices: Tensor, padding_idx: any = -1, scale_grad_by_freq: any = False, sparse: any = False) -> Tensor',
    {
      ndim: { weight: 2 },
      raises: ({ indices }) => notIndices('indices', indices.dtype),
      shape: ({ indices, weight }, { context }) =>
        fresh([...indices.layout.shape, weight.layout.shape[1] ?? context.fresh('embedding')], indices.layout.front),
      samples: ['(5, 4)  (2, 3):int64'],
    },
  ),
  op(
    "F.embedding_bag(input: Tensor, weight: Tensor, offsets: any = None, max_norm: any = None, norm_type: any = 2, scale_grad_by_freq: any = False, mode: any = 'mean', sparse: any = False, per_sample_weights: any = None, include_last_offset: any = False, padding_idx: any = None) -> Tensor",
    {
      ndim: { weight: 2 },
      raises: ({ input }) => notIndices('input', input.dtype),
      shape: ({ input, weight, offsets }, { context }) => {
        if (input.layout.front) return unsure('the rank of the input is not known');
        const bags: SymInt = tensorOrNull(offsets)?.layout.shape[0] ?? input.layout.shape[0] ?? context.fresh('bags');
        return [bags, weight.layout.shape[1] ?? ONE];
      },
      dtype: ({ weight }) => weight.dtype,
      samples: ['(2, 3):int64  (5, 4)', '(6,):int64  (5, 4)  [0, 2]:int64'],
    },
  ),
  op('F.one_hot(self: Tensor, num_classes: any = -1) -> Tensor', {
    raises: ({ self }) =>
      self.dtype === null || self.dtype === 'int64'
        ? null
        : raises({ is: 'argument', name: 'tensor', got: self.dtype, expects: 'int64 indices' }),
    maybe: ({ self, num_classes }, { context }) => {
      const given = num_classes.kind === 'int' && num_classes.value.constant !== -1 ? num_classes.value : null;
      return made(fresh([...self.layout.shape, given ?? context.fresh('classes')], self.layout.front), 'int64');
    },
    samples: ['(2, 3):int64  5', '(2, 3)  5  !'],
  }),
];
