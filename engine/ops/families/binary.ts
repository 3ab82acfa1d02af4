import { chain, contiguous, elementwise, type Fault, isIntegralOrBool, raises, SCALAR } from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { binaryElements } from '../elements.ts';
import {
  commonDType,
  dtypeOfKind,
  freshElementwise,
  iterated,
  type Kind,
  type Operand,
  writeElementwise,
} from '../elementwise.ts';
import { type Entry, fresh, op, same } from '../op.ts';
import { noBool, onlyIntegral, type Rejects, refused } from '../refusals.ts';

interface Binary {
  readonly kind: Kind;
  readonly also?: readonly string[];
  /** Without a number as second operand, or without an in-place twin. */
  readonly tensorsOnly?: true;
  readonly functional?: true;
  readonly rejects?: Rejects;
}

const BINARY: Readonly<Record<string, Binary>> = {
  mul: { kind: 'same', also: ['multiply', 'operator.mul', 'operator.imul'] },
  true_divide: { kind: 'float', also: ['operator.truediv'] },
  floor_divide: { kind: 'same', also: ['operator.floordiv'] },
  remainder: { kind: 'same', also: ['operator.mod'], rejects: noBool },
  fmod: { kind: 'same', rejects: noBool },
  atan2: { kind: 'float', also: ['arctan2'], tensorsOnly: true },
  copysign: { kind: 'float' },
  hypot: { kind: 'same', tensorsOnly: true, rejects: isIntegralOrBool },
  nextafter: { kind: 'same', tensorsOnly: true, rejects: isIntegralOrBool },
  xlogy: { kind: 'float', also: ['special.xlogy'] },
  bitwise_and: { kind: 'same', also: ['Tensor.__and__', 'operator.and_'], rejects: onlyIntegral },
  bitwise_or: { kind: 'same', also: ['Tensor.__or__', 'operator.or_'], rejects: onlyIntegral },
  bitwise_xor: { kind: 'same', also: ['Tensor.__xor__', 'operator.xor'], rejects: onlyIntegral },
  bitwise_left_shift: { kind: 'same', also: ['Tensor.__lshift__', 'operator.lshift'], rejects: onlyIntegral },
  bitwise_right_shift: { kind: 'same', also: ['Tensor.__rshift__', 'operator.rshift'], rejects: onlyIntegral },
  gcd: { kind: 'same', tensorsOnly: true, rejects: onlyIntegral },
  lcm: { kind: 'same', tensorsOnly: true, rejects: onlyIntegral },
  eq: { kind: 'bool', also: ['operator.eq'] },
  ne: { kind: 'bool', also: ['not_equal', 'operator.ne'] },
  lt: { kind: 'bool', also: ['less', 'operator.lt'] },
  le: { kind: 'bool', also: ['less_equal', 'operator.le'] },
  gt: { kind: 'bool', also: ['greater', 'operator.gt'] },
  ge: { kind: 'bool', also: ['greater_equal', 'operator.ge'] },
  logical_and: { kind: 'bool', tensorsOnly: true },
  logical_or: { kind: 'bool', tensorsOnly: true },
  logical_xor: { kind: 'bool', tensorsOnly: true },
  maximum: { kind: 'same', tensorsOnly: true, functional: true },
  minimum: { kind: 'same', tensorsOnly: true, functional: true },
  fmax: { kind: 'same', tensorsOnly: true, functional: true },
  fmin: { kind: 'same', tensorsOnly: true, functional: true },
  logaddexp: { kind: 'float', tensorsOnly: true, functional: true },
  logaddexp2: { kind: 'float', tensorsOnly: true, functional: true },
  heaviside: { kind: 'same', tensorsOnly: true },
  igamma: { kind: 'float', also: ['special.gammainc'], tensorsOnly: true },
  igammac: { kind: 'float', also: ['special.gammaincc'], tensorsOnly: true },
};

const TENSORS = ['(2, 3)  (3,)', '(3, 4)/(1, 3)  (3, 4)/(1, 3)', '(3, 4)/(1, 3)  (3, 4)', '(2, 3)  (4,)  !'];
const NUMBERS = [
  ...TENSORS,
  '(2, 3)/(1, 0):int64  (2, 3)/(1, 2):int32',
  '(5, 1, 2)/(2, 12, 1)  2',
  '(2, 3):int64  2',
  '(2, 3):int64  (2, 3)/(1, 2):int32',
  '(2,):uint16  (2,):int32  !',
];
const INTEGERS = ['(2, 3):int64  (3,):int64', '(5, 1, 2)/(2, 12, 1):int64  2', '(2, 3)  (3,)  !'];

/** Functions of two tensors, or of a tensor and a number, with their in-place twins. */
export const binary: readonly Entry[] = Object.entries(BINARY).flatMap(([name, spec]) => [
  spec.tensorsOnly
    ? op(`${name}(self: Tensor, other: Tensor) -> Tensor`, {
        also: spec.also ?? [],
        raises: ({ self, other }) => refused(name, commonDType([self, other]), spec.rejects),
        maybe: ({ self, other }, call) => pair(name, spec.kind, self, other, call),
        out: 'elementwise',
        samples: spec.rejects === onlyIntegral ? ['(2, 3):int64  (3,):int64', '(2, 3)  (3,)  !'] : TENSORS,
      })
    : op(`${name}(self: Tensor, other: Tensor | Scalar) -> Tensor`, {
        also: spec.also ?? [],
        raises: ({ self, other }) => refused(name, commonDType([self, other]), spec.rejects),
        maybe: ({ self, other }, call) => pair(name, spec.kind, self, other, call),
        out: 'elementwise',
        samples: spec.rejects === onlyIntegral ? INTEGERS : NUMBERS,
      }),
  ...(spec.functional
    ? []
    : [
        op(`Tensor.${name}_(self: Tensor, other: Tensor | Scalar) -> Tensor`, {
          also: (spec.also ?? []).filter((alias) => !alias.includes('.')).map((alias) => `Tensor.${alias}_`),
          raises: ({ self, other }) => refused(name, commonDType([self, other]), spec.rejects),
          maybe: ({ self }) => same(self),
          writes: ({ self, other }, call) => writeElementwise(self, { other }, spec.kind, call),
          samples:
            spec.rejects === onlyIntegral
              ? ['(2, 3):int64  (3,):int64']
              : ['(2, 3)  (3,)', '(3,)  (2, 3)  !', '(2, 3)/(0, 1)  (2, 3)  !'],
        }),
      ]),
]);

const pair = (name: string, kind: Kind, self: Operand, other: Operand, call: Call) =>
  freshElementwise([self, other], kind, call, binaryElements(name, self, other));

/** `sub_check`: booleans take no part in a subtraction, on neither side. */
const noBoolSub = (self: Operand, other: Operand): Fault | null =>
  [self, other].some((operand) => (operand.kind === 'tensor' ? operand.dtype : operand.kind) === 'bool')
    ? raises({ is: 'argument', name: 'other', got: 'bool', expects: 'a number: booleans are not subtracted' })
    : null;

/** Addition, subtraction and division, which take more arguments. */
export const arithmetic: readonly Entry[] = [
  op('add(self: Tensor, other: Tensor | Scalar, *, alpha: any = 1) -> Tensor', {
    also: ['operator.add', 'operator.iadd'],
    maybe: ({ self, other }, call) => pair('add', 'same', self, other, call),
    out: 'elementwise',
    samples: NUMBERS,
  }),
  op('Tensor.add_(self: Tensor, other: Tensor | Scalar, *, alpha: any = 1) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, other }, call) => writeElementwise(self, { other }, 'same', call),
    samples: ['(2, 3)  (3,)', '(3,)  (2, 3)  !', '(2, 3)/(0, 1)  1  !', '(2, 3):int64  1.5  !'],
  }),
  ...(['sub', 'subtract'] as const).flatMap((name) => [
    op(`${name}(self: Tensor, other: Tensor | Scalar, *, alpha: any = 1) -> Tensor`, {
      also: name === 'sub' ? ['operator.sub'] : [],
      raises: ({ self, other }) => noBoolSub(self, other),
      maybe: ({ self, other }, call) => pair('sub', 'same', self, other, call),
      out: 'elementwise',
      samples: [...NUMBERS, '(2,):bool  (2,):bool  !', '(2,):bool  1  !', '(2,)  True  !', '(2,)  (2,):bool  !'],
    }),
    op(`Tensor.${name}_(self: Tensor, other: Tensor | Scalar, *, alpha: any = 1) -> Tensor`, {
      raises: ({ self, other }) => noBoolSub(self, other),
      maybe: ({ self }) => same(self),
      writes: ({ self, other }, call) => writeElementwise(self, { other }, 'same', call),
      samples: ['(2, 3)  (3,)', '(3,)  (2, 3)  !'],
    }),
  ]),
  op('torch.rsub(self: Tensor, other: Tensor | Scalar, *, alpha: any = 1) -> Tensor', {
    also: ['Tensor.__rsub__'],
    raises: ({ self, other }) => noBoolSub(self, other),
    maybe: ({ self, other }, call) => freshElementwise([other, self], 'same', call),
    samples: ['(5, 1, 2)/(2, 12, 1)  1', '(2, 3)  (3,)'],
  }),
  ...(['div', 'divide'] as const).flatMap((name) => [
    op(`${name}(self: Tensor, other: Tensor | Scalar, *, rounding_mode: str? = None) -> Tensor`, {
      maybe: ({ self, other, rounding_mode }, call) =>
        pair(
          rounding_mode === 'floor' ? 'floor_divide' : 'div',
          rounding_mode === null ? 'float' : 'same',
          self,
          other,
          call,
        ),
      out: 'elementwise',
      samples: [...NUMBERS, "(2,):int64  2  rounding_mode='floor'"],
    }),
    op(`Tensor.${name}_(self: Tensor, other: Tensor | Scalar, *, rounding_mode: str? = None) -> Tensor`, {
      maybe: ({ self }) => same(self),
      writes: ({ self, other, rounding_mode }, call) =>
        writeElementwise(self, { other }, rounding_mode === null ? 'float' : 'same', call),
      samples: ['(2, 3)  (3,)', '(2, 3):int64  2  !', "(2,):int64  2  rounding_mode='trunc'"],
    }),
  ]),
  op('Tensor.__rtruediv__(self: Tensor, other: Tensor | Scalar) -> Tensor', {
    also: ['Tensor.__rdiv__'],
    // `self.reciprocal() * other`
    maybe: ({ self, other }, call) =>
      chain(elementwise([self.layout], call.ask), (inverse) =>
        chain(
          elementwise([inverse, other.kind === 'tensor' ? other.layout : SCALAR], call.ask, { demand: call.demand }),
          (layout) => fresh(layout, dtypeOfKind('float', commonDType([self, other]))),
        ),
      ),
    samples: ['(5, 1, 2)/(2, 12, 1)  1', '(2, 3):int64  2'],
  }),
  op('Tensor.__rfloordiv__(self: Tensor, other: Tensor | Scalar) -> Tensor', {
    also: ['Tensor.__rmod__'],
    maybe: ({ self, other }, call) => freshElementwise([other, self], 'same', call),
    samples: ['(5, 1, 2)/(2, 12, 1)  2'],
  }),
  op('ldexp(self: Tensor, other: Tensor) -> Tensor', {
    // `self * 2.0 ** other`, and a power of a number is contiguous.
    shape: ({ self, other }, { ask, demand }) =>
      elementwise([self.layout, contiguous(other.layout.shape)], ask, { demand }),
    dtype: ({ self, other }) => dtypeOfKind('float', commonDType([self, other])),
    samples: ['(2, 3)  (3,)', '(5, 1, 2)/(2, 12, 1)  ()', '(2, 3)  (3,):float64'],
  }),
  op('ldexp_(self: Tensor, other: Tensor) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, other }, call) => writeElementwise(self, { other }, 'float', call),
    samples: ['(2, 3)  (3,)', '(3,)  (2, 3)  !'],
  }),
  op('isclose(self: Tensor, other: Tensor, rtol: any = 0, atol: any = 0, equal_nan: any = False) -> Tensor', {
    maybe: ({ self, other }, call) => freshElementwise([self, other], 'bool', call),
    samples: ['(2, 3)  (3,)', '(3, 4)/(1, 3)  (3, 4)/(1, 3)'],
  }),
  op('torch.complex(real: Tensor, imag: Tensor) -> Tensor', {
    also: ['torch.polar'],
    shape: ({ real, imag }, call) => iterated([real, imag], real.dtype, call),
    dtype: ({ real }) =>
      real.dtype === 'float64' ? 'complex128' : real.dtype === 'float16' ? 'complex32' : real.dtype && 'complex64',
    samples: ['(2, 3)  (3,)', '(2,):float64  (2,):float64', '(2,):int64  (2,):int64  !'],
    raises: ({ real }) =>
      real.dtype !== null && isIntegralOrBool(real.dtype)
        ? raises({ is: 'argument', name: 'real', got: real.dtype, expects: 'a floating dtype' })
        : null,
  }),
];
