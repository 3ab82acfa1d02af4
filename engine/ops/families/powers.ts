import { int } from '../../symbols/index.ts';
import { chain, type Fault, isComplex, isIntegralOrBool, preserve, raises, type Tensor } from '../../tensor/index.ts';
import { since } from '../context.ts';
import { commonDType, freshElementwise, iterated, type Operand, writeElementwise } from '../elementwise.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, fresh, op, same } from '../op.ts';

/** Powers treat a number as no operand: `x ** 2` keeps TensorIterator on its fast path, and `pow(2, x)` is contiguous. */
export const powers: readonly Entry[] = [
  op('pow(self: Tensor, exponent: Tensor | Scalar) -> Tensor', {
    also: ['operator.pow'],
    raises: ({ self, exponent }) => negativeExponent(self, exponent),
    maybe: ({ self, exponent }, call) => {
      const common = commonDType([self, exponent]);
      const operands = exponent.kind === 'tensor' ? [self, exponent] : [self];
      return chain(iterated(operands, common, call), (layout) => fresh(layout, common));
    },
    out: 'elementwise',
    samples: [
      '(5, 1, 2)/(2, 12, 1)  2',
      '(2, 3)  2.5',
      '(2, 3):int64  2',
      '(2,):int64  0.5',
      '(2,):int64  -1  !',
      '(2, 3)  (3,)',
    ],
  }),
  op('torch.pow(self: Scalar, exponent: Tensor) -> Tensor', {
    maybe: ({ self, exponent }) => fresh(denseLike(exponent.layout), commonDType([self, exponent])),
    samples: ['2  (3, 4)/(1, 3)', '2  (5, 1, 2)/(2, 12, 1)', '2.5  (2,):int64'],
  }),
  op('Tensor.__rpow__(self: Tensor, other: Scalar) -> Tensor', {
    // `2 ** x` is `pow(2, x)`; on 1.13 it was `torch.tensor(2) ** x`, with a 0-dim operand.
    maybe: ({ self, other }, call) =>
      since(call, 2, 6)
        ? fresh(denseLike(self.layout), commonDType([other, self]))
        : freshElementwise([other, self], 'same', call),
    samples: ['(3, 4)/(1, 3)  2', '(5, 1, 2)/(2, 12, 1)  2', '(2,):int64  2.5'],
  }),
  op('Tensor.pow_(self: Tensor, exponent: Tensor | Scalar) -> Tensor', {
    raises: ({ self, exponent }) => negativeExponent(self, exponent),
    maybe: ({ self }) => same(self),
    writes: ({ self, exponent }, call) => writeElementwise(self, { exponent }, 'same', call),
    samples: ['(2, 3)  2', '(2,):int64  0.5  !'],
  }),
  op('square(self: Tensor) -> Tensor', {
    // `pow(x, 2)`, in which a bool meets a number.
    shape: ({ self }, call) => iterated([self], squared(self), call),
    dtype: ({ self }) => squared(self),
    samples: ['(2, 3)', '(5, 1, 2)/(2, 12, 1)', '(2,):int64', '(2,):bool'],
  }),
  op('Tensor.square_(self: Tensor) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => writeElementwise(self, {}, 'same', call),
    samples: ['(2, 3)'],
  }),
  op('float_power(self: Tensor, exponent: Tensor | Scalar) -> Tensor', {
    // Both are cast to float64 first.
    shape: ({ self, exponent }, call) =>
      chain(preserve(self.layout, call.ask), (base) =>
        iterated([{ ...self, layout: base }, ...(exponent.kind === 'tensor' ? [exponent] : [])], 'own', call),
      ),
    dtype: ({ self, exponent }) => {
      const common = commonDType([self, exponent]);
      return common && (isComplex(common) ? 'complex128' : 'float64');
    },
    samples: ['(2, 3)  2', '(2, 3)/(1, 2)  (3,)', '(2, 3):complex64  2', '(2,):int64  2j'],
  }),
];

const squared = (self: Tensor) => commonDType([self, { kind: 'int', value: int(2) }]);

/** "Integers to negative integer powers are not allowed." */
function negativeExponent(self: Operand, exponent: Operand): Fault | null {
  if (exponent.kind !== 'int' || self.kind !== 'tensor' || self.dtype === null || !isIntegralOrBool(self.dtype))
    return null;
  const { constant } = exponent.value;
  return constant !== null && constant < 0
    ? raises({ is: 'argument', name: 'exponent', got: `${constant}`, expects: 'at least 0 for an integer tensor' })
    : null;
}
