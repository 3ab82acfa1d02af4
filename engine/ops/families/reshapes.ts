import { int, type SymInt } from '../../symbols/index.ts';
import {
  chain,
  flatten,
  isContiguous,
  type Layout,
  type Result,
  reshape,
  type Tensor,
  view,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { commonPacked, fresh as dense } from '../layouts/format.ts';
import { type Entry, either, fresh, op, same, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { keepsFront, sizesAs } from './views.ts';

/** Ops that view where they can and copy where they must. */
export const reshapes: readonly Entry[] = [
  op('reshape(self: Tensor, shape: SymInt[]) -> Tensor', {
    maybe: ({ self, shape }, call) => reshaped(self, shape, call),
    samples: [
      '(2, 3, 4)  (6, 4)',
      '(3, 4)/(1, 3)  (12,)',
      '(3, 4)/(1, 3)  (-1, 2)',
      '(2, 3)  (4, 2)  !',
      '(0, 3)  (-1, 0)  !',
    ],
  }),
  op('Tensor.reshape_as(self: Tensor, other: Tensor) -> Tensor', {
    maybe: ({ self, other }, call) => chain(sizesAs(self.layout, other.layout), (size) => reshaped(self, size, call)),
    samples: ['(2, 3)  (3, 2)', '(3, 4)/(1, 3)  (12,)', '(2, 3)  (5,)  !'],
  }),
  op('flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor', {
    maybe: ({ self, start_dim, end_dim }, { ask }) =>
      chain(flatten(self.layout, start_dim, end_dim, ask), ({ layout, how }) => made(self, layout, how)),
    samples: ['(2, 3, 4)', '(2, 3, 4)  1', '(3, 4)/(1, 3)', '(3, 4)/(1, 3)  1  1', '()', '(2, 3)  1  0  !'],
  }),
  op('ravel(self: Tensor) -> Tensor', {
    // `contiguous()`, then `view(-1)`: it copies where `flatten` does not.
    maybe: ({ self }, call) => {
      const already = isContiguous(self.layout, call.ask);
      const packed = already === true ? self.layout : dense(self.layout.shape, self.layout.front);
      return chain(view(packed, [int(-1)], call.ask), (layout) =>
        already === undefined
          ? either(self, commonPacked(self.layout, layout, call.ask))
          : made(self, layout, already ? 'view' : 'copy'),
      );
    },
    samples: ['(2, 3)', '(3, 4)/(1, 3)', '(3,)/(4,)', '()'],
  }),
];

export function reshaped(self: Tensor, size: readonly SymInt[], { ask, demand }: Call): Result<OpResult> {
  return chain(
    reshape(self.layout, size, ask, { demand, front: keepsFront(self.layout, size) }),
    ({ layout, copies }) => made(self, layout, copies === undefined ? 'either' : copies ? 'copy' : 'view'),
  );
}

export function made(self: Tensor, layout: Layout, how: 'same' | 'view' | 'copy' | 'either'): OpResult {
  switch (how) {
    case 'same':
      return same(self);
    case 'view':
      return viewOf(self, layout);
    case 'copy':
      return fresh(layout, self.dtype);
    case 'either':
      return either(self, layout);
  }
}
