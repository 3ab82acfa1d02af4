import {
  chain,
  isComplex,
  type Layout,
  movedim,
  permute,
  type Result,
  raises,
  type Tensor,
  transpose,
  unsure,
} from '../../tensor/index.ts';
import { type Entry, either, op, same, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';

/** Views that only reorder dims. */
export const transposes: readonly Entry[] = [
  op('transpose(self: Tensor, dim0: int, dim1: int) -> Tensor', {
    also: ['swapaxes', 'swapdims'],
    view: ({ self, dim0, dim1 }) => transpose(self.layout, dim0, dim1),
    samples: ['(2, 3, 4)  0  2', '(2, 3, 4)  dim0=0  dim1=-1', '()  0  -1', '(2,)  0  5  !'],
  }),
  op('permute(self: Tensor, dims: int[]) -> Tensor', {
    ndim: ({ dims }) => ({ self: dims.length }),
    view: ({ self, dims }) => permute(self.layout, dims),
    samples: ['(2, 3, 4)  (2, 0, 1)', '(2, 3, 4)  (0, -1, 1)', '(2, 3)  (0, 0)  !', '(2, 3)  (0, 1, 2)  !'],
  }),
  op('movedim(self: Tensor, source: int[1], destination: int[1]) -> Tensor', {
    also: ['moveaxis'],
    view: ({ self, source, destination }) => movedim(self.layout, source, destination),
    samples: ['(2, 3, 4)  0  2', '(2, 3, 4)  (0, 1)  (1, 0)', '(2, 3)  0  4  !'],
  }),
  op('t(self: Tensor) -> Tensor', {
    view: ({ self }) => matrixTranspose(self.layout),
    samples: ['(2, 3)', '(3,)', '()', '(2, 3, 4)  !'],
  }),
  op('adjoint(self: Tensor) -> Tensor', {
    // Without dims it is the tensor itself.
    maybe: ({ self }) =>
      !self.layout.front && self.layout.shape.length === 0
        ? conjugated(self)
        : chain(transpose(self.layout, -2, -1), (layout) => viewOf(self, layout)),
    samples: ['(2, 3, 4)', '(2, 3)', '()', '(3,)  !'],
  }),
];

/** `mT`, `mH` and `adjoint`; a tensor without dims is let through. */
export const lastTwo = (layout: Layout): Result<Layout> =>
  !layout.front && layout.shape.length === 0 ? layout : transpose(layout, -2, -1);

/** `t()` of a vector is the vector. */
export function matrixTranspose(layout: Layout): Result<Layout> {
  if (layout.front) return unsure('the rank of the input is not known');
  const { length } = layout.shape;
  if (length > 2) return raises({ is: 'rank-differs', what: 'self', expected: 'at most 2', got: length });
  return length === 2 ? transpose(layout, 0, 1) : layout;
}

/** A view of complex numbers; real ones are what they are. */
export const conjugated = (self: Tensor): OpResult =>
  self.dtype === null ? either(self, self.layout) : isComplex(self.dtype) ? viewOf(self, self.layout) : same(self);
