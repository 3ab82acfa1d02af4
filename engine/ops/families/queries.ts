import { always, type Facts, int, ONE, type SymInt } from '../../symbols/index.ts';
import {
  broadcast,
  chain,
  type Fault,
  isComplex,
  isFloat,
  isInFormat,
  isIntegral,
  itemsize,
  type Layout,
  numel,
  promote,
  type Result,
  raises,
  type Tensor,
  unsure,
  wrapDim,
} from '../../tensor/index.ts';
import { boolValue, intValue, tupleOf, unknown, type Value } from '../../values/value.ts';
import type { OpContext } from '../context.ts';
import { type Entry, op } from '../op.ts';

const UNKNOWN_RANK = 'the rank of the tensor is not known';

const count = (value: Result<number>): Result<Value> => chain(value, (known) => intValue(int(known)));

export const rankOf = (layout: Layout): Result<number> => (layout.front ? unsure(UNKNOWN_RANK) : layout.shape.length);

export const sizes = (layout: Layout): Result<Value> =>
  layout.front ? unsure(UNKNOWN_RANK) : tupleOf(layout.shape.map(intValue));

function strides({ stride, front }: Layout): Result<Value> {
  if (front) return unsure(UNKNOWN_RANK);
  return stride === null ? unsure('the strides of the tensor are not known') : tupleOf(stride.map(intValue));
}

/** Here a tensor without dims takes no dim at all, not even 0 and -1. */
const at = (values: readonly SymInt[] | null, layout: Layout, dim: number): Result<Value> =>
  layout.shape.length === 0
    ? raises({ is: 'dim-out-of-range', dim, ndim: 0 })
    : chain(wrapDim(layout, dim), (d) => {
        const value = values?.[d];
        return value === undefined ? unsure('the strides of the tensor are not known') : intValue(value);
      });

const DATA = unknown('it depends on the data');

/** Methods that answer with a Python value. */
export const queries: readonly Entry[] = [
  op('Tensor.dim(self: Tensor) -> int', {
    also: ['Tensor.ndimension'],
    value: ({ self }) => count(rankOf(self.layout)),
    samples: ['(2, 3)', '()'],
  }),
  op('numel(self: Tensor) -> int', {
    also: ['Tensor.nelement'],
    value: ({ self }) => intValue(numel(self.layout)),
    samples: ['(2, 3)', '()', '(2, 0)'],
  }),
  op('Tensor.__len__(self: Tensor) -> int', {
    value: ({ self }) =>
      self.layout.shape.length === 0
        ? raises({ is: 'rank-differs', what: 'self', expected: 'at least 1', got: 0 })
        : at(self.layout.shape, self.layout, 0),
    samples: ['(2, 3)', '()  !'],
  }),
  op('Tensor.size(self: Tensor) -> any', { value: ({ self }) => sizes(self.layout), samples: ['(2, 3)'] }),
  op('Tensor.size(self: Tensor, dim: int) -> int', {
    value: ({ self, dim }) => at(self.layout.shape, self.layout, dim),
    samples: ['(2, 3)  -1', '(2, 3)  2  !', '()  0  !'],
  }),
  op('Tensor.stride(self: Tensor) -> any', { value: ({ self }) => strides(self.layout), samples: ['(2, 3)/(1, 2)'] }),
  op('Tensor.stride(self: Tensor, dim: int) -> int', {
    value: ({ self, dim }) => at(self.layout.stride, self.layout, dim),
    samples: ['(2, 3)/(1, 2)  0', '(2, 3)  2  !', '()  -1  !'],
  }),
  op('Tensor.storage_offset(self: Tensor) -> int', {
    value: ({ self: { layout } }) =>
      layout.offset === null ? unsure('the offset is not known') : intValue(layout.offset),
    samples: ['(2, 3)'],
  }),
  op('Tensor.is_contiguous(self: Tensor, memory_format: MemoryFormat = contiguous_format) -> bool', {
    value: ({ self, memory_format }, { ask }) => {
      const answer = isInFormat(self.layout, memory_format, ask);
      return answer === undefined ? unsure('the strides do not tell') : boolValue(answer);
    },
    samples: ['(2, 3)', '(2, 3)/(1, 2)', '(2, 3, 4, 5)/(60, 1, 15, 3)  memory_format=channels_last'],
  }),
  op('Tensor.element_size(self: Tensor) -> int', {
    value: ({ self }) => count(self.dtype === null ? unsure('the dtype is not known') : itemsize(self.dtype)),
    samples: ['(2, 3)', '(2,):int64'],
  }),
  op('is_floating_point(self: Tensor) -> bool', {
    value: ({ self }) => (self.dtype === null ? unsure('the dtype is not known') : boolValue(isFloat(self.dtype))),
    samples: ['(2,)', '(2,):int64'],
  }),
  op('is_complex(self: Tensor) -> bool', {
    value: ({ self }) => (self.dtype === null ? unsure('the dtype is not known') : boolValue(isComplex(self.dtype))),
    samples: ['(2,)', '(2,):complex64'],
  }),
  op('Tensor.item(self: Tensor) -> any', {
    value: ({ self }, { context }) => itemOf(self, context),
    samples: ['[7]:int64', '[7, 8]:int64  !'],
  }),
  op('Tensor.tolist(self: Tensor) -> any', {
    value: ({ self }) =>
      self.elements !== null && self.layout.shape.length === 1
        ? tupleOf(
            self.elements.map((element) => (self.dtype === 'bool' ? boolValue(element !== 0) : intValue(int(element)))),
          )
        : DATA,
    samples: ['[1, 2]:int64'],
  }),
  op('equal(self: Tensor, other: Tensor) -> bool', { value: () => DATA, samples: ['(2,)  (2,)'] }),
  op('allclose(self: Tensor, other: Tensor, rtol: any = None, atol: any = None, equal_nan: any = None) -> bool', {
    value: () => DATA,
    samples: ['(2,)  (2,)'],
  }),
  op('Tensor.data_ptr(self: Tensor) -> int', {
    also: ['Tensor.untyped_storage', 'Tensor.storage'],
    value: () => DATA,
    samples: [],
  }),
  op('is_nonzero(self: Tensor) -> bool', {
    also: ['Tensor.__bool__', 'Tensor.__int__', 'Tensor.__float__'],
    raises: ({ self }, { ask }) => notOne(self.layout, ask.facts),
    value: () => DATA,
    samples: ['(1, 1)', '()', '(2,)  !', '(0,)  !'],
  }),
  op('torch.is_tensor(obj: any) -> bool', {
    value: ({ obj }) => (obj.kind === 'unknown' ? obj : boolValue(obj.kind === 'tensor')),
    samples: ['(2,)', '1'],
  }),
  op('torch.promote_types(type1: ScalarType, type2: ScalarType) -> any', {
    value: ({ type1, type2 }) => {
      const dtype = typeof type1 === 'string' && typeof type2 === 'string' ? promote(type1, type2) : null;
      return dtype === null ? unknown('a dtype is not known') : { kind: 'dtype', value: dtype };
    },
    samples: ['torch.int64  torch.float16'],
  }),
  op('torch.broadcast_shapes(a: SymInt[], b: SymInt[] = [], c: SymInt[] = []) -> any', {
    value: ({ a, b, c }, { ask, demand }) =>
      chain(broadcast([a, b, c], ask, { demand }), (shape) => tupleOf(shape.map(intValue))),
    samples: ['(2, 1)  (3,)', '(2,)  (3,)  !'],
  }),
];

/** "Boolean value of Tensor with more than one value is ambiguous", and so with none. */
function notOne(layout: Layout, facts: Facts): Fault | null {
  const count = numel(layout);
  return !layout.front && always('equal', count, ONE, facts) === false
    ? raises({
        is: 'argument',
        name: 'self',
        got: `${count.constant ?? 'a tensor of several'} elements`,
        expects: 'one element',
      })
    : null;
}

/** The number in a tensor of one element. */
function itemOf(self: Tensor, context: OpContext): Result<Value> {
  const [element] = self.elements ?? [];
  const count = numel(self.layout).constant;
  if (count !== null && count !== 1)
    return raises({ is: 'argument', name: 'self', got: `${count} elements`, expects: 'one element' });
  if (self.dtype === null) return DATA;
  if (self.dtype === 'bool') return element === undefined ? DATA : boolValue(element !== 0);
  if (isIntegral(self.dtype)) return intValue(element === undefined ? context.fresh('item') : int(element));
  return isFloat(self.dtype) ? { kind: 'float', value: null } : { kind: 'complex' };
}
