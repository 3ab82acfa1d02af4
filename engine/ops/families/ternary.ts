import {
  broadcastLayouts,
  chain,
  type DType,
  type Fault,
  isComplex,
  isFault,
  preserve,
  type Result,
  raises,
  type Tensor,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { overflows } from '../constants.ts';
import { type Call, since } from '../context.ts';
import { commonDType, doesNotBroadcast, iterated, type Operand, writeElementwise } from '../elementwise.ts';
import { fresh as dense } from '../layouts/format.ts';
import { type Entry, fresh, op, same } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { one, writeAll } from '../writing.ts';

/** Numbers as bounds keep the fast path; tensors are operands. */
function clamped(self: Tensor, bounds: readonly (Operand | null)[], call: Call): Result<OpResult> {
  const given = bounds.filter((bound) => bound !== null);
  const common = commonDType([self, ...given]);
  const refused = unheld(given, common);
  if (refused !== null) return refused;
  const operands = [self, ...given.filter((bound) => bound.kind === 'tensor')];
  return chain(iterated(operands, common, call), (layout) => fresh(layout, common));
}

/** Bounds are converted to the dtype of the result. */
const unheld = (bounds: readonly Operand[], common: DType | null): Fault | null =>
  common !== null && isComplex(common)
    ? raises({ is: 'argument', name: 'self', got: common, expects: 'numbers that have an order' })
    : (bounds.map((bound) => overflows('min', bound, common)).find((fault) => fault !== null) ?? null);

const bounded = (bounds: readonly unknown[]): Fault | null =>
  bounds.every((bound) => bound === null)
    ? raises({ is: 'argument', name: 'min', got: 'None', expects: 'a bound, or one as `max`' })
    : null;

/** Restricting values to a range, with the in-place twins. */
export const clamps: readonly Entry[] = [
  ...(['clamp', 'clip'] as const).flatMap((name) => [
    op(`${name}(self: Tensor, min: Tensor | Scalar? = None, max: Tensor | Scalar? = None) -> Tensor`, {
      raises: ({ min, max }) => bounded([min, max]),
      maybe: ({ self, min, max }, call) => clamped(self, [min, max], call),
      out: 'elementwise',
      samples: [
        '(5, 1, 2)/(2, 12, 1)  0  1',
        '(2, 3):int64  max=1.5',
        '(2, 3)  (3,)',
        '(2, 3)  !',
        '(2,):complex64  0  !',
        '(2,):float16  -1e9  !',
        '(2,):int8  300  !',
        '(2,):int8  300.5',
      ],
    }),
    op(`Tensor.${name}_(self: Tensor, min: Tensor | Scalar? = None, max: Tensor | Scalar? = None) -> Tensor`, {
      raises: ({ self, min, max }) => bounded([min, max]) ?? unheldInPlace(self, [min, max]),
      maybe: ({ self }) => same(self),
      writes: ({ self, min, max }, call) => writeElementwise(self, { min, max }, 'same', call),
      samples: ['(2, 3)  0', '(2, 3)/(0, 1)  0  !'],
    }),
  ]),
  ...(['min', 'max'] as const).flatMap((bound) => [
    op(`clamp_${bound}(self: Tensor, ${bound}: Tensor | Scalar) -> Tensor`, {
      maybe: (args, call) => clamped(args.self, [boundOf(args)], call),
      out: 'elementwise',
      samples: ['(5, 1, 2)/(2, 12, 1)  0', '(2, 3)  (3,)'],
    }),
    op(`Tensor.clamp_${bound}_(self: Tensor, ${bound}: Tensor | Scalar) -> Tensor`, {
      raises: (args) => unheldInPlace(args.self, [boundOf(args)]),
      maybe: ({ self }) => same(self),
      writes: (args, call) => writeElementwise(args.self, { bound: boundOf(args) }, 'same', call),
      samples: ['(2, 3)  0'],
    }),
  ]),
];

const unheldInPlace = (self: Tensor, bounds: readonly (Operand | null)[]): Fault | null => {
  const given = bounds.filter((bound) => bound !== null);
  return unheld(given, commonDType([self, ...given]));
};

const boundOf = (args: { readonly min?: Operand; readonly max?: Operand }): Operand | null =>
  args.min ?? args.max ?? null;

const sameDType = (self: Tensor, others: Readonly<Record<string, Operand>>): Fault | null => {
  for (const [what, other] of Object.entries(others))
    if (other.kind === 'tensor' && self.dtype !== null && other.dtype !== null && self.dtype !== other.dtype)
      return raises({ is: 'dtype-differs', what, left: self.dtype, right: other.dtype });
  return null;
};

/** Functions of three tensors, with their in-place twins. */
export const ternary: readonly Entry[] = [
  ...(['addcmul', 'addcdiv'] as const).flatMap((name) => [
    op(`${name}(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: any = 1) -> Tensor`, {
      shape: ({ self, tensor1, tensor2 }, call) =>
        iterated([self, tensor1, tensor2], commonDType([self, tensor1, tensor2]), call),
      dtype: ({ self, tensor1, tensor2 }) => commonDType([self, tensor1, tensor2]),
      out: 'elementwise',
      samples: ['(2, 3)  (2, 3)  (3,)', '(3, 4)/(1, 3)  (3, 4)  (4,)', '(2,)  (3,)  (2,)  !'],
    }),
    op(`Tensor.${name}_(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: any = 1) -> Tensor`, {
      maybe: ({ self }) => same(self),
      writes: ({ self, tensor1, tensor2 }, call) => writeElementwise(self, { tensor1, tensor2 }, 'same', call),
      samples: ['(2, 3)  (2, 3)  (3,)', '(3,)  (2, 3)  (3,)  !'],
    }),
  ]),
  op('lerp(self: Tensor, end: Tensor, weight: Tensor | Scalar) -> Tensor', {
    raises: ({ self, end, weight }) => sameDType(self, { end, weight }),
    shape: ({ self, end, weight }, call) =>
      iterated(weight.kind === 'tensor' ? [self, end, weight] : [self, end], self.dtype, call),
    out: 'elementwise',
    samples: [
      '(2, 3)  (3,)  0.5',
      '(3, 4)/(1, 3)  (3, 4)/(1, 3)  0.5',
      '(2, 3)  (3,)  (2, 3)',
      '(2,)  (2,):float64  0.5  !',
    ],
  }),
  op('Tensor.lerp_(self: Tensor, end: Tensor, weight: Tensor | Scalar) -> Tensor', {
    raises: ({ self, end, weight }) => sameDType(self, { end, weight }),
    maybe: ({ self }) => same(self),
    writes: ({ self, end, weight }, call) => writeElementwise(self, { end, weight }, 'same', call),
    samples: ['(2, 3)  (3,)  0.5'],
  }),
  op('torch.where(condition: Tensor, input: Tensor | Scalar, other: Tensor | Scalar) -> Tensor', {
    maybe: ({ condition, input, other }, call) => selected(condition, input, other, call),
    out: 'elementwise',
    samples: [
      '(3, 4):bool  (3, 4)/(1, 3)  (4,)',
      '(5, 1, 2)/(2, 12, 1):bool  (5, 1, 2)/(2, 12, 1)  0.5',
      '(2,):bool  1  0',
      '(2, 3):bool  (2, 3)  (2, 3):float64',
      '(2, 3):bool  (4,)  0  !',
      '(2, 3)  (3,)  0  !',
    ],
  }),
  op('Tensor.where(self: Tensor, condition: Tensor, other: Tensor | Scalar) -> Tensor', {
    maybe: ({ self, condition, other }, call) => selected(condition, self, other, call),
    samples: ['(3, 4)/(1, 3)  (3, 4):bool  (4,)'],
  }),
];

function selected(condition: Tensor, input: Operand, other: Operand, call: Call): Result<OpResult> {
  const refused = condition.dtype === 'uint8' ? null : notAMask(condition);
  if (refused !== null) return refused;
  const common = commonDType([input, other]);
  const values: Operand[] = [];
  for (const operand of [input, other]) {
    const value = castTo(operand, common, call);
    if (isFault(value)) return value;
    values.push(value);
  }
  return chain(iterated([condition, ...values], 'own', call), (layout) => fresh(layout, common));
}

/** The two values are cast before the iterator, which casts nothing: the condition stays bool. */
function castTo(operand: Operand, common: Tensor['dtype'], call: Call): Result<Operand> {
  if (operand.kind !== 'tensor') return operand;
  if (common === null || operand.dtype === null || operand.dtype === common) return operand;
  return chain(preserve(operand.layout, call.ask), (layout) => ({ ...operand, layout }));
}

/** Filling where a mask is true: contiguous out of place, whatever the strides of the input. */
export const maskedFills: readonly Entry[] = [
  op('masked_fill(self: Tensor, mask: Tensor, value: any) -> Tensor', {
    raises: ({ self, mask, value }, call) =>
      maskOfNumbers(mask, call) ?? notANumber(value) ?? overflows('value', value, self.dtype),
    shape: ({ self, mask }, { ask, demand }) =>
      chain(broadcastLayouts([self.layout, mask.layout], ask, { demand }), ({ shape, front }) => dense(shape, front)),
    samples: [
      '(3, 4)/(1, 3)  (3, 4):bool  0.5',
      '(3, 1)  (1, 4):bool  0',
      '(2,)  (3,):bool  0  !',
      '(2,)  (2,)  0  !',
      '(2,)  (2,):bool  (1,)  !',
    ],
  }),
  op('Tensor.masked_fill_(self: Tensor, mask: Tensor, value: any) -> Tensor', {
    raises: ({ self, mask, value }, call) =>
      maskOfNumbers(mask, call) ??
      notANumber(value) ??
      overflows('value', value, self.dtype) ??
      doesNotBroadcast(self, [mask], call),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'silent', call)),
    samples: [
      '(2,):float16  (2,):bool  -65504.0',
      '(2,):float16  (2,):bool  -1e9  !',
      '(2,):bfloat16  (2,):bool  -1e9',
      '(2,):int64  (2,):bool  -inf  !',
      '(3, 4)  (4,):bool  0',
      '(3, 4)/(0, 1)  (4,):bool  0',
      '(4,)  (3, 4):bool  0  !',
    ],
  }),
];

/** A value that is a tensor has no dims. */
const notANumber = (value: Value): Fault | null =>
  value.kind === 'tensor' && !value.layout.front && value.layout.shape.length > 0
    ? raises({ is: 'rank-differs', what: 'value', expected: '0', got: value.layout.shape.length })
    : null;

/** 1.13 filled by a mask of any dtype. */
const maskOfNumbers = (mask: Tensor, call: Call): Fault | null => (since(call, 2, 6) ? notAMask(mask) : null);

const notAMask = ({ dtype }: Tensor): Fault | null =>
  dtype !== null && dtype !== 'bool'
    ? raises({ is: 'argument', name: 'mask', got: dtype, expects: 'a bool tensor' })
    : null;
