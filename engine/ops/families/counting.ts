import type { SymInt } from '../../symbols/index.ts';
import { contiguous, raises, unsure } from '../../tensor/index.ts';
import { fresh as dense } from '../layouts/format.ts';
import { isEmpty } from '../layouts/inquiry.ts';
import { type Entry, op } from '../op.ts';

/** Counting, drawing and membership: contiguous, some of a size that the data decides. */
export const counting: readonly Entry[] = [
  op('multinomial(self: Tensor, num_samples: SymInt, replacement: any = False, *, generator: any = None) -> Tensor', {
    shape: ({ self: { layout }, num_samples, replacement }) => {
      const { length } = layout.shape;
      if (layout.front && length < 2) return unsure('the rank of the input is not known');
      if (!layout.front && length !== 1 && length !== 2)
        return raises({ is: 'rank-differs', what: 'self', expected: '1 or 2', got: length });
      const size = layout.shape[length - 1]?.constant ?? null;
      const drawn = num_samples.constant;
      if (size !== null && drawn !== null && drawn > size && replacement.kind === 'bool' && !replacement.value)
        return raises({
          is: 'argument',
          name: 'num_samples',
          got: `${drawn}`,
          expects: `at most ${size} without replacement`,
        });
      return dense([...layout.shape.slice(0, -1), num_samples], layout.front);
    },
    dtype: 'int64',
    out: 'silent',
    samples: ['(2, 3)  2', '(3,)  2', '(2, 2, 2)  1  !', '(3,)  4  !', '(3,)  4  True'],
  }),
  op('bincount(self: Tensor, weights: Tensor? = None, minlength: any = 0) -> Tensor', {
    shape: (_, { context }) => contiguous([context.fresh('bins')]),
    // Nothing is counted as integers, whatever it weighs.
    dtype: ({ self, weights }, call) =>
      weights === null || self.layout.shape.some((size) => isEmpty(size, call))
        ? 'int64'
        : weights.dtype === 'float32'
          ? 'float32'
          : weights.dtype && 'float64',
    samples: ['[0, 2]:int64', '[0, 2]:int64  (2,)'],
  }),
  op('histc(self: Tensor, bins: SymInt = 100, min: any = 0, max: any = 0) -> Tensor', {
    shape: ({ bins }): readonly SymInt[] => [bins],
    out: 'unchecked',
    samples: ['(2, 3)  5'],
  }),
  op('torch.isin(elements: Tensor, test_elements: any, *, assume_unique: any = False, invert: any = False) -> Tensor', {
    shape: ({ elements: { layout } }) => dense(layout.shape, layout.front),
    dtype: 'bool',
    samples: ['(2, 3)/(1, 2)  (4,)', '(5, 1, 2)/(2, 12, 1)  (4,)'],
  }),
];
