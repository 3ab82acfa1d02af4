import { ONE, sub } from '../../symbols/index.ts';
import { type DType, type Fault, type Layout, raises, unsure } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { outOfRange } from '../indexing/conditions.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, fresh as made, op, same } from '../op.ts';
import { one, writeAll } from '../writing.ts';
import { truthOf } from './dropouts.ts';
import { tensorOrNull } from './products.ts';

/** Indices are int64 or int32. */
export function notIndices(name: string, dtype: DType | null): Fault | null {
  if (dtype === null || dtype === 'int64' || dtype === 'int32') return null;
  return raises({ is: 'argument', name, got: dtype, expects: 'int64 or int32 indices' });
}

/** Rows of indices are bags by themselves, a line of them needs offsets. */
function notBags(input: Layout, offsets: Value): Fault | null {
  if (input.front || offsets.kind === 'unknown') return null;
  if (input.shape.length !== (offsets.kind === 'none' ? 2 : 1))
    return raises({
      is: 'rank-differs',
      what: 'input',
      expected: offsets.kind === 'none' ? '2, or 1 with offsets' : '1 with offsets',
      got: input.shape.length,
    });
  return null;
}

export const embeddings: readonly Entry[] = [
  op(
    'F.embedding(input: Tensor, weight: Tensor, padding_idx: any = None, max_norm: any = None, norm_type: any = 2.0, scale_grad_by_freq: any = False, sparse: any = False) -> Tensor',
    {
      ndim: { weight: 2 },
      raises: ({ input, weight }) =>
        notIndices('input', input.dtype) ??
        outOfRange(input, weight.layout.front ? undefined : weight.layout.shape[0], 0) ??
        (weight.layout.front || weight.layout.shape.length === 2
          ? null
          : raises({ is: 'rank-differs', what: 'weight', expected: '2', got: weight.layout.shape.length })),
      shape: ({ input, weight }, { context }) =>
        fresh([...input.layout.shape, weight.layout.shape[1] ?? context.fresh('embedding')], input.layout.front),
      dtype: ({ weight }) => weight.dtype,
      samples: [
        '(2, 3):int64  (5, 4)',
        '():int64  (5, 4)',
        '(2, 3)  (5, 4)  !',
        '(2,):int64  (5,)  !',
        '[0, 5]:int64  (5, 4)  !',
        '[-1]:int64  (5, 4)  !',
      ],
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
      raises: ({ input, offsets }) => notIndices('input', input.dtype) ?? notBags(input.layout, offsets),
      shape: ({ input, weight, offsets, include_last_offset }, { context }) => {
        if (input.layout.front) return unsure('the rank of the input is not known');
        const starts = tensorOrNull(offsets)?.layout.shape[0];
        const last = starts === undefined ? false : truthOf(include_last_offset);
        const bags = last === undefined ? undefined : (starts ?? input.layout.shape[0]);
        if (bags === undefined) return [context.fresh('bags'), weight.layout.shape[1] ?? ONE];
        return [last ? sub(bags, ONE) : bags, weight.layout.shape[1] ?? ONE];
      },
      dtype: ({ weight }) => weight.dtype,
      samples: [
        '(2, 3):int64  (5, 4)',
        '(6,):int64  (5, 4)  [0, 2]:int64',
        '(6,):int64  (5, 4)  [0, 2, 6]:int64  include_last_offset=True',
        '(6,):int64  (5, 4)  !',
        '(2, 3):int64  (5, 4)  [0, 2]:int64  !',
        '(2, 3, 4):int64  (5, 4)  !',
      ],
    },
  ),
  op('torch.embedding_renorm_(self: Tensor, indices: Tensor, max_norm: any, norm_type: any) -> Tensor', {
    raises: ({ indices }) => notIndices('indices', indices.dtype),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: ['(5, 3)  [1]:int64  1.0  2.0', '(5, 3)  (2,)  1.0  2.0  !'],
  }),
  op('F.one_hot(self: Tensor, num_classes: any = -1) -> Tensor', {
    raises: ({ self, num_classes }) =>
      (self.dtype === null || self.dtype === 'int64'
        ? null
        : raises({ is: 'argument', name: 'tensor', got: self.dtype, expects: 'int64 indices' })) ??
      outOfRange(
        self,
        num_classes.kind === 'int' && num_classes.value.constant !== -1 ? num_classes.value : undefined,
        -1,
      ) ??
      (self.elements?.some((element) => element < 0)
        ? raises({ is: 'argument', name: 'tensor', got: 'a class below 0', expects: 'classes from 0 on' })
        : null),
    maybe: ({ self, num_classes }, { context }) => {
      const given = num_classes.kind === 'int' && num_classes.value.constant !== -1 ? num_classes.value : null;
      return made(fresh([...self.layout.shape, given ?? context.fresh('classes')], self.layout.front), 'int64');
    },
    samples: ['(2, 3):int64  5', '(2, 3)  5  !', '[0, 3]:int64  3  !', '[0, 3]:int64  4', '[-1]:int64  !'],
  }),
];
