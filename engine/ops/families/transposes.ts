import { movedim, permute, transpose } from '../../tensor/index.ts';
import { type Entry, op } from '../op.ts';

/** Views that only reorder dims. */
export const transposes: readonly Entry[] = [
  op('transpose(self: Tensor, dim0: int, dim1: int) -> Tensor', {
    also: ['swapaxes', 'swapdims'],
    view: ({ self, dim0, dim1 }) => transpose(self.layout, dim0, dim1),
    samples: ['(2, 3, 4)  0  2', '(2, 3, 4)  dim0=0  dim1=-1', '(2,)  0  5  !'],
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
];
