import { add, ONE, type SymInt, same as sameInt } from '../../symbols/index.ts';
import {
  asStrided,
  chain,
  contiguous,
  contiguousStride,
  type Fault,
  isContiguous,
  isFault,
  type Layout,
  layoutOf,
  type MemoryFormat,
  type Result,
  raises,
  squeeze,
  suggestMemoryFormat,
  type Tensor,
  transpose,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { type Entry, op, same } from '../op.ts';
import type { Write } from '../outcome.ts';
import { copied } from './copies.ts';
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
    raises: ({ self }) => resizesGrad(self),
    maybe: ({ self }) => same(self),
    writes: ({ self, size, memory_format }, call) => resized(self, size, memory_format, call),
    samples: [
      '(2, 3)  (2, 4)',
      '(2, 3)/(1, 2)  (2, 3)',
      '(2, 3)/(1, 2)  (3, 2)',
      '(2, 3)  (2, -3)  !',
      '(2, 3)  (0, -1)',
      '(2, 3)  (2, 3)  memory_format=channels_last  !',
      '(2, 3)  (6,)  memory_format=preserve_format  !',
    ],
  }),
  op('resize_as_(self: Tensor, the_template: Tensor, *, memory_format: MemoryFormat? = None) -> Tensor', {
    raises: ({ self }) => resizesGrad(self),
    maybe: ({ self }) => same(self),
    writes: ({ self, the_template, memory_format }, call) => {
      if (the_template.layout.front) return unsure('the rank of the template is not known');
      const format =
        memory_format === 'preserve_format' ? suggestMemoryFormat(the_template.layout, call.ask) : memory_format;
      return format === undefined
        ? unsure('the memory format of the template is not known')
        : resized(self, the_template.layout.shape, format, call);
    },
    samples: [
      '(2, 3)  (2, 4)/(1, 2)',
      '(2, 3)/(1, 2)  (2, 3)',
      '(2, 3, 4, 5)  (1, 2, 3, 4)  memory_format=channels_last',
      '(2, 3, 4, 5)  (1, 2, 3, 4)/(24, 1, 8, 2)  memory_format=preserve_format',
    ],
  }),
  op('Tensor.set_(self: Tensor, source: Tensor) -> Tensor', {
    raises: ({ self, source }) => setsDType(self, source),
    maybe: ({ self }) => same(self),
    writes: ({ self, source }) => relaid({ ...self, storage: source.storage }, source.layout),
    samples: ['(2, 3)  (4,)', '(2, 3)  (4,):int64  !'],
  }),
  op(
    'Tensor.set_(self: Tensor, source: Tensor, storage_offset: SymInt, size: SymInt[], stride: SymInt[] = []) -> Tensor',
    {
      raises: ({ source }, { ask }) =>
        isContiguous(source.layout, ask) === false
          ? raises({ is: 'argument', name: 'source', got: 'a tensor with gaps', expects: 'a contiguous tensor' })
          : null,
      maybe: ({ self }) => same(self),
      // Counted from where the source begins.
      writes: ({ self, source, storage_offset, size, stride }) =>
        relaid(
          { ...self, storage: source.storage },
          layoutOf(
            size,
            stride.length === 0 ? contiguousStride(size) : stride,
            source.layout.offset && add(source.layout.offset, storage_offset),
          ),
        ),
      samples: ['(2, 3)  (4,)  0  (2, 2)  (1, 2)', '(2, 3)  (6,)  1  (2, 2)', '(2, 3)  (3, 2)/(1, 3)  1  (2, 2)  !'],
    },
  ),
  // A storage says nothing of its size and elements; without one, what is left is empty.
  op(
    'Tensor.set_(self: Tensor, source: any = None, storage_offset: any = 0, size: any = None, stride: any = None) -> Tensor',
    {
      maybe: ({ source }) =>
        unsure(source.kind === 'none' ? 'the tensor has another storage' : 'the storage is not followed'),
      samples: [],
    },
  ),
];

const setsDType = (self: Tensor, source: Tensor): Fault | null =>
  self.dtype !== null && source.dtype !== null && self.dtype !== source.dtype
    ? raises({ is: 'dtype-differs', what: 'source', left: self.dtype, right: source.dtype })
    : null;

/** Also under `no_grad`. */
const resizesGrad = (self: Tensor): Fault | null =>
  self.requiresGrad === true
    ? raises({
        is: 'argument',
        name: 'self',
        got: 'a tensor that requires grad',
        expects: 'one that does not: only those are resized',
      })
    : null;

/** What `resize_` makes of a tensor: nothing, if it has the sizes already, and row-major strides otherwise. */
function resized(
  self: Tensor,
  size: readonly SymInt[],
  format: MemoryFormat | null,
  call: Call,
): Result<readonly Write[]> {
  const equal = sameSizes(self.layout, size, call);
  if (equal === undefined) return unsure('the new size may be the old one');
  const negative = size.find(({ constant }) => constant !== null && constant < 0);
  // Only the number of elements is checked, which a size of 0 makes 0.
  if (negative !== undefined && !size.some(({ constant }) => constant === 0))
    return raises({ is: 'argument', name: 'size', got: `${negative.constant}`, expects: 'sizes of at least 0' });
  if (format === 'preserve_format')
    return raises({ is: 'argument', name: 'memory_format', got: format, expects: 'a format of its own' });
  if (equal && format === null) return [];
  // For the strides a negative size counts as 1.
  const packed = contiguous(size.map((length) => (length.constant !== null && length.constant < 0 ? ONE : length)));
  const wanted = format === null ? packed : copied(packed, format, call);
  if (isFault(wanted)) return wanted;
  const grown = { ...self, storage: { ...self.storage, nbytes: null } };
  return relaid(grown, layoutOf(size, wanted.stride, self.layout.offset));
}

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
