import { int } from '../../symbols/index.ts';
import {
  canCast,
  contiguousStride,
  type Fault,
  isComplex,
  type Layout,
  type Result,
  raises,
  unsure,
} from '../../tensor/index.ts';
import { boolValue, intValue, tupleOf, unknown, type Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { commonDType } from '../elementwise.ts';
import { type Entry, op, same } from '../op.ts';
import { converted } from './copies.ts';
import { rankOf } from './queries.ts';

const DTYPE = unsure('a dtype is not known');

const truth = (known: boolean | null): Result<Value> => (known === null ? DTYPE : boolValue(known));

const UNSIGNED = new Set(['uint8', 'uint16', 'uint32', 'uint64', 'bool']);

/** What is true of every tensor that the engine follows: dense, on one device, no view with a lazy sign. */
const CONSTANTS: Readonly<Record<string, boolean>> = {
  is_neg: false,
  is_distributed: false,
};

const ELSEWHERE = ['Tensor.is_pinned', 'Tensor.is_shared', 'is_inference', 'Tensor.is_set_to'] as const;

function orderOf({ shape, stride, front }: Layout): Result<Value> {
  if (front || stride === null) return unsure('the strides are not known');
  const dense = contiguousStride(shape).every((step, d) => step.key === stride[d]?.key);
  return dense ? tupleOf(shape.map((_, d) => intValue(int(d)))) : unknown('the order of the strides is not followed');
}

/** Dense tensors answer for how many of their dims are sparse since 2.x. */
const notSparse = (call: Call): Fault | null =>
  since(call, 2, 6) ? null : raises({ is: 'argument', name: 'self', got: 'a dense tensor', expects: 'a sparse one' });

/** Questions about a tensor or dtypes that have an answer in Python. */
export const traits: readonly Entry[] = [
  ...Object.entries(CONSTANTS).map(([name, answer]) =>
    op(`${name}(self: Tensor) -> bool`, { value: () => boolValue(answer), samples: ['(2, 3)'] }),
  ),
  op('is_conj(self: Tensor) -> bool', {
    value: ({ self }) =>
      self.dtype !== null && !isComplex(self.dtype)
        ? boolValue(false)
        : unsure('whether it is conjugated is not known'),
    samples: ['(2, 3)'],
  }),
  op('is_signed(self: Tensor) -> bool', {
    value: ({ self }) => truth(self.dtype === null ? null : !UNSIGNED.has(self.dtype)),
    samples: ['(2, 3)', '(2,):uint8', '(2,):bool'],
  }),
  ...ELSEWHERE.map((name) =>
    op(`${name}(self: Tensor, other: any = None) -> bool`, {
      value: () => unknown('it is not known whether it holds'),
      samples: name === 'Tensor.is_set_to' ? ['(2, 3)  (2, 3)'] : ['(2, 3)'],
    }),
  ),
  op('is_same_size(self: Tensor, other: Tensor) -> bool', {
    value: ({ self, other }) => {
      const [a, b] = [self.layout, other.layout];
      if (a.front || b.front) return unsure('the rank of a tensor is not known');
      if (a.shape.length !== b.shape.length) return boolValue(false);
      if (a.shape.every((size, d) => size.key === b.shape[d]?.key)) return boolValue(true);
      const apart = a.shape.some((size, d) => {
        const other = b.shape[d]?.constant ?? null;
        return size.constant !== null && other !== null && size.constant !== other;
      });
      return apart ? boolValue(false) : unknown('it is not known whether it holds');
    },
    samples: ['(2, 3)  (2, 3)', '(2, 3)  (3, 2)', '(2,)  (2, 1)'],
  }),
  op('torch.can_cast(from_: ScalarType, to: ScalarType) -> bool', {
    value: ({ from_, to }) => truth(typeof from_ === 'string' && typeof to === 'string' ? canCast(from_, to) : null),
    samples: ['torch.float32  torch.int64', 'torch.int64  torch.float32'],
  }),
  op('torch.result_type(tensor1: Tensor | Scalar, tensor2: Tensor | Scalar) -> any', {
    value: ({ tensor1, tensor2 }) => {
      const dtype = commonDType([tensor1, tensor2]);
      return dtype === null ? DTYPE : { kind: 'dtype', value: dtype };
    },
    samples: ['(2,)  (2,):float64', '(2,):int64  2.0', '(2,)  2'],
  }),
  op('get_device(self: Tensor) -> int', {
    value: ({ self }) => (self.device === 'cpu' ? intValue(int(-1)) : unknown('the number of the device is not known')),
    samples: ['(2, 3)'],
  }),
  op('Tensor.dense_dim(self: Tensor) -> int', {
    raises: (_, call) => notSparse(call),
    value: ({ self }) => {
      const rank = rankOf(self.layout);
      return typeof rank === 'number' ? intValue(int(rank)) : rank;
    },
    samples: ['(2, 3)'],
  }),
  op('Tensor.sparse_dim(self: Tensor) -> int', {
    raises: (_, call) => notSparse(call),
    value: () => intValue(int(0)),
    samples: ['(2, 3)'],
  }),
  op('Tensor.dim_order(self: Tensor, *, ambiguity_check: any = False) -> any', {
    value: ({ self }) => orderOf(self.layout),
    samples: ['(2, 3)', '(3, 4)/(1, 3)'],
  }),
  op('Tensor.storage_type(self: Tensor) -> any', {
    also: ['Tensor.const_data_ptr'],
    value: () => unknown('what holds the numbers is not followed'),
    samples: [],
  }),
  op('Tensor.record_stream(self: Tensor, stream: any) -> any', { value: () => ({ kind: 'none' }), samples: [] }),
  op('Tensor.as_subclass(self: Tensor, cls: any) -> Tensor', { view: ({ self }) => self.layout, samples: [] }),
  op('Tensor.to_dense(self: Tensor, dtype: any = None, *, masked_grad: any = None) -> Tensor', {
    maybe: ({ self }) => same(self),
    samples: ['(2, 3)'],
  }),
  op('dequantize(self: Tensor) -> Tensor', {
    maybe: ({ self }, call) => converted(self, { dtype: 'float32', device: null, copy: false, format: null }, call),
    samples: ['(2, 3)/(1, 2)', '(2, 3)/(1, 2):int32'],
  }),
  op('Tensor.new(self: Tensor) -> Tensor', { shape: () => [int(0)], samples: ['(2, 3)'] }),
  op('Tensor.new(self: Tensor, first: SymInt, second: SymInt? = None, third: SymInt? = None) -> Tensor', {
    shape: ({ first, second, third }) => [first, second, third].filter((size) => size !== null),
    samples: ['(2, 3)  4  5'],
  }),
  op('Tensor.new(self: Tensor, data: any) -> Tensor', {
    maybe: () => unsure('what it is made of is not followed'),
    samples: [],
  }),
];
