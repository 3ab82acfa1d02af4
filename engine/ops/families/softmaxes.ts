import { type DType, isFloat, raises, type Tensor } from '../../tensor/index.ts';
import type { Unknown } from '../../values/value.ts';
import { denseAlong, dimOutOfRange } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';
import { dtypeOr } from './reductions.ts';

interface Along {
  readonly self: Tensor;
  readonly dim: number;
}

const along = ({ self, dim }: Along) => denseAlong(self.layout, dim);
const typed = ({ self, dtype }: { self: Tensor; dtype: DType | Unknown | null }) => dtypeOr(dtype, self.dtype);

/** The softmax kernels know no integers. */
function integers({ self, dim, dtype }: Along & { dtype: DType | Unknown | null }) {
  const wrong = dimOutOfRange(self.layout, dim);
  const none = self.layout.shape.some(({ constant }) => constant === 0);
  if (wrong !== null || none || dtype !== null || self.dtype === null || isFloat(self.dtype)) return wrong;
  return raises({ is: 'argument', name: 'self', got: self.dtype, expects: 'a floating point dtype' });
}

const softmax = ['softmax', 'log_softmax'].map((name) =>
  op(`${name}(self: Tensor, dim: int, dtype: ScalarType? = None) -> Tensor`, {
    also: [`special.${name}`],
    raises: integers,
    shape: along,
    dtype: typed,
    out: 'unchecked',
    samples: [
      '(2, 3)  -1',
      '(2, 3, 4)/(1, 2, 6)  1',
      '(2, 3):int64  0  torch.float32',
      '(2, 3):int64  0  !',
      '(2,)  1  !',
    ],
  }),
);

/** `dim` left out is chosen from the rank, which leaves the layout as it is. */
const functional = ['softmax', 'log_softmax', 'softmin'].map((name) =>
  op(`F.${name}(self: Tensor, dim: int? = None, _stacklevel: any = 3, dtype: ScalarType? = None) -> Tensor`, {
    raises: ({ self, dim, dtype }) => integers({ self, dim: dim ?? -1, dtype }),
    shape: ({ self, dim }) => denseAlong(self.layout, dim ?? -1),
    dtype: typed,
    samples: ['(2, 3)  -1', '(2, 3, 4)/(1, 2, 6)  dim=1', '(2, 3)  2  !'],
  }),
);

export const softmaxes: readonly Entry[] = [
  ...softmax,
  ...functional,
  op('F.gumbel_softmax(self: Tensor, tau: any = 1, hard: any = False, eps: any = 0.0, dim: int = -1) -> Tensor', {
    shape: along,
    samples: ['(2, 3)', '(2, 3)/(1, 2)  dim=0'],
  }),
];
