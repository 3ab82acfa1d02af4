import { int, maximum, ONE, type SymInt } from '../../symbols/index.ts';
import {
  chain,
  type Fault,
  type Layout,
  layoutOf,
  type Result,
  raises,
  type Tensor,
  unbind,
  unsure,
} from '../../tensor/index.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, fresh as made, op, viewOf } from '../op.ts';
import { numberOf } from '../ranges.ts';
import { created, OPTIONS } from './factories.ts';

/** As long as the longest of them. */
function padded(sequences: readonly Tensor[], batchFirst: boolean): Result<Layout> {
  const [first] = sequences;
  if (first === undefined) return raises({ is: 'argument', name: 'sequences', got: 'none', expects: 'a tensor' });
  if (sequences.some(({ layout }) => layout.front)) return unsure('the rank of a tensor is not known');
  const length = sequences.map(({ layout }) => layout.shape[0] ?? ONE).reduce((a, b) => maximum(a, b));
  const count = int(sequences.length);
  const rest = first.layout.shape.slice(1);
  return fresh(batchFirst ? [count, length, ...rest] : [length, count, ...rest]);
}

const permuted = (size: readonly SymInt[], order: readonly number[]): Result<Layout> => {
  const wrapped = order.map((d) => (d < 0 ? d + size.length : d));
  if (new Set(wrapped).size !== size.length || wrapped.some((d) => size[d] === undefined))
    return raises({ is: 'argument', name: 'physical_layout', got: `(${order.join(', ')})`, expects: 'each dim once' });
  const dense = fresh(wrapped.map((d) => size[d] ?? ONE)).stride ?? [];
  return layoutOf(
    size,
    size.map((_, d) => dense[wrapped.indexOf(d)] ?? ONE),
  );
};

function badStep(from: number | null, to: number | null, by: number | null): Fault | null {
  if (by === 0 || (from !== null && to !== null && by !== null && (by > 0 ? to < from : to > from)))
    return raises({ is: 'argument', name: 'end', got: `${to}`, expects: 'an end beyond the start' });
  return null;
}

/** Tensors made from lists, ranges, buffers and indices. */
export const sequences: readonly Entry[] = [
  op(
    "torch.nn.utils.rnn.pad_sequence(sequences: Tensor[], batch_first: bool = False, padding_value: any = 0.0, padding_side: any = 'right') -> Tensor",
    {
      shape: ({ sequences, batch_first }) => padded(sequences, batch_first),
      samples: ['{(3, 2) (5, 2)}', '{(3, 2) (5, 2)}  True', '{(3,) (5,)}  True'],
    },
  ),
  op(`torch.range(start: Scalar, end: Scalar, step: Scalar = 1, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ start, end, step, ...options }, { context }) => {
      const [from, to, by] = [start, end, step].map(numberOf);
      const wrong = badStep(from ?? null, to ?? null, by ?? null);
      if (wrong !== null) return wrong;
      const known = typeof from === 'number' && typeof to === 'number' && typeof by === 'number';
      const length = known ? int(Math.floor((to - from) / by) + 1) : context.fresh('steps');
      return created(fresh([length]), options, 'float32');
    },
    samples: ['0  4', '1  4  0.5', '0  4  dtype=torch.int32', '4  0  !'],
  }),
  op(`torch.empty_permuted(size: SymInt[], physical_layout: int[], *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ size, physical_layout, ...options }) =>
      chain(permuted(size, physical_layout), (layout) => created(layout, options, 'float32')),
    samples: ['(2, 3, 4)  (0, 2, 1)', '(2, 3, 4)  (2, 0, 1)', '(2, 3)  (0, 0)  !'],
  }),
  op(
    'torch.frombuffer(buffer: any, *, dtype: ScalarType, count: SymInt = -1, offset: any = 0, requires_grad: any = False) -> Tensor',
    {
      shape: ({ count }, { context }) => [count.constant === -1 ? context.fresh('count') : count],
      dtype: ({ dtype }) => (typeof dtype === 'string' ? dtype : null),
      samples: [],
    },
  ),
  op(`torch.from_file(filename: any, shared: any = None, size: SymInt = 0, *, ${OPTIONS}) -> Tensor`, {
    maybe: ({ size, ...options }) => created(fresh([size]), options, 'float32'),
    samples: [],
  }),
  ...(['torch.from_dlpack', 'torch.utils.dlpack.from_dlpack'] as const).map((name) =>
    op(`${name}(ext_tensor: any, *, device: any = None, copy: any = None) -> Tensor`, {
      maybe: ({ ext_tensor, copy }) =>
        ext_tensor.kind === 'tensor' && copy.kind === 'none'
          ? viewOf(ext_tensor, ext_tensor.layout)
          : unsure('the tensor of another library is not followed'),
      samples: [],
    }),
  ),
  op('nonzero_static(self: Tensor, *, size: SymInt, fill_value: any = -1) -> Tensor', {
    shape: ({ self, size }) =>
      self.layout.front ? unsure('the rank of the input is not known') : [size, int(self.layout.shape.length)],
    dtype: 'int64',
    samples: ['(2, 3)  size=4'],
  }),
  op('torch.unravel_index(indices: Tensor, shape: SymInt[1]) -> any', {
    maybe: ({ indices, shape }, { ask }) => {
      const table = fresh([...indices.layout.shape, int(shape.length)], indices.layout.front);
      return chain(unbind(table, -1, ask), (columns) => ({
        is: 'tuple',
        items: columns.map((column) => made(column, indices.dtype)),
        whole: table,
      }));
    },
    samples: ['[1, 2]:int64  (2, 3)', '[[1, 2], [3, 4]]:int64  (2, 3)'],
  }),
];
