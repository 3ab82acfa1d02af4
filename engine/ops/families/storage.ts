import { same as sameInt } from '../../symbols/index.ts';
import {
  asStrided,
  chain,
  contiguousStride,
  isFault,
  type Layout,
  layoutOf,
  type Result,
  squeeze,
  strideFor,
  type Tensor,
  transpose,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { type Entry, op, same } from '../op.ts';
import type { Write } from '../outcome.ts';
import { matrixTranspose } from './transposes.ts';

/** In-place ops that change the layout of the tensor and write no element. */
export const metadataWrites: readonly Entry[] = [
  op('Tensor.t_(self: Tensor) -> Tensor', {
    maybe: ({ self }) => chain(matrixTranspose(self.layout), () => same(self)),
    writes: ({ self }) => relaid(self, matrixTranspose(self.layout)),
    samples: ['(2, 3)', '(2, 3, 4)  !'],
  }),
  op('Tensor.transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor', {
    also: ['Tensor.swapaxes_', 'Tensor.swapdims_'],
    maybe: ({ self }) => same(self),
    writes: ({ self, dim0, dim1 }) => relaid(self, transpose(self.layout, dim0, dim1)),
    samples: ['(2, 3, 4)  0  2', '(2, 3)  0  2  !'],
  }),
  op('Tensor.unsqueeze_(self: Tensor, dim: int) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, dim }) => relaid(self, unsqueeze(self.layout, dim)),
    samples: ['(2, 3)  1', '(2, 3)  5  !'],
  }),
  op('Tensor.squeeze_(self: Tensor) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self }, { ask }) => relaid(self, squeeze(self.layout, null, ask)),
    samples: ['(2, 1)'],
  }),
  op('Tensor.squeeze_(self: Tensor, dim: int[1]) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, dim }, { ask }) => relaid(self, squeeze(self.layout, dim, ask)),
    samples: ['(2, 1, 1)  1', '(2, 1)  4  !'],
  }),
  op('as_strided_(self: Tensor, size: SymInt[], stride: SymInt[], storage_offset: SymInt? = None) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, size, stride, storage_offset }) =>
      relaid(self, asStrided(self.layout, size, stride, storage_offset)),
    samples: ['(2, 6)  (2, 2)  (1, 1)', '(2, 6)  (2,)  (1, 1)  !'],
  }),
  op('Tensor.resize_(self: Tensor, size: SymInt[], *, memory_format: MemoryFormat? = None) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, size, memory_format }, call) => {
      const equal = sameSizes(self.layout, size, call);
      if (equal === undefined) return unsure('the new size may be the old one');
      if (equal) return [];
      const stride = memory_format === null ? contiguousStride(size) : strideFor(size, memory_format);
      return relaid(
        { ...self, storage: { ...self.storage, nbytes: null } },
        layoutOf(size, stride, self.layout.offset),
      );
    },
    samples: ['(2, 3)  (2, 4)', '(2, 3)/(1, 2)  (2, 3)', '(2, 3)/(1, 2)  (3, 2)'],
  }),
  op('Tensor.set_(self: Tensor, source: Tensor) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, source }) => relaid({ ...self, storage: source.storage }, source.layout),
    samples: ['(2, 3)  (4,)'],
  }),
  op('Tensor.detach_(self: Tensor) -> Tensor', { maybe: ({ self }) => same(self), samples: ['(2, 3)'] }),
];

/** The tensor object stays and its layout becomes another one. */
function relaid(self: Tensor, layout: Result<Layout>): Result<readonly Write[]> {
  if (isFault(layout)) return layout;
  return [{ target: self, becomes: { layout, storage: self.storage }, region: layout, overlap: 'none' }];
}

function sameSizes(layout: Layout, size: readonly Layout['shape'][number][], { ask }: Call): boolean | undefined {
  if (layout.front) return undefined;
  if (layout.shape.length !== size.length) return false;
  const answers = size.map((length, d) => {
    const old = layout.shape[d] ?? length;
    return sameInt(length, old) ? true : ask.equal(length, old);
  });
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}
