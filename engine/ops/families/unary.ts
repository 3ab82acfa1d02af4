import {
  chain,
  elementwise,
  isComplex,
  isFloat,
  isIntegralOrBool,
  preserve,
  SCALAR,
  unsure,
} from '../../tensor/index.ts';
import { since } from '../context.ts';
import { negated } from '../elements.ts';
import { dtypeOfKind, freshElementwise, type Kind, writeElementwise } from '../elementwise.ts';
import { common, fresh as dense } from '../layouts/format.ts';
import { type Entry, fresh, op, same } from '../op.ts';
import { noBool, noComplex, onlyIntegral, type Rejects, refused } from '../refusals.ts';
import { possible, writeAll } from '../writing.ts';

interface Unary {
  readonly kind: Kind;
  readonly also?: readonly string[];
  /** The dtypes that PyTorch rejects. */
  readonly rejects?: Rejects;
}

const noBoolNorComplex: Rejects = (dtype) => noBool(dtype) || noComplex(dtype);

const UNARY: Readonly<Record<string, Unary>> = {
  abs: { kind: 'real', also: ['absolute', 'operator.abs'], rejects: noBool },
  neg: { kind: 'same', also: ['negative', 'operator.neg'], rejects: noBool },
  bitwise_not: { kind: 'same', also: ['operator.invert', 'operator.inv'], rejects: onlyIntegral },
  sign: { kind: 'same', rejects: noComplex },
  sgn: { kind: 'same' },
  ceil: { kind: 'same', rejects: noBoolNorComplex },
  floor: { kind: 'same', rejects: noBoolNorComplex },
  trunc: { kind: 'same', also: ['fix'], rejects: noBoolNorComplex },
  round: { kind: 'same', rejects: noBoolNorComplex },
  frac: { kind: 'same', rejects: (dtype) => !isFloat(dtype) },
  exp: { kind: 'float' },
  exp2: { kind: 'float', also: ['special.exp2'] },
  expm1: { kind: 'float', also: ['special.expm1'] },
  log: { kind: 'float' },
  log2: { kind: 'float' },
  log10: { kind: 'float' },
  log1p: { kind: 'float', also: ['special.log1p'] },
  sqrt: { kind: 'float' },
  rsqrt: { kind: 'float' },
  reciprocal: { kind: 'float' },
  sin: { kind: 'float' },
  cos: { kind: 'float' },
  tan: { kind: 'float' },
  asin: { kind: 'float', also: ['arcsin'] },
  acos: { kind: 'float', also: ['arccos'] },
  atan: { kind: 'float', also: ['arctan'] },
  sinh: { kind: 'float' },
  cosh: { kind: 'float' },
  tanh: { kind: 'float' },
  asinh: { kind: 'float', also: ['arcsinh'] },
  acosh: { kind: 'float', also: ['arccosh'] },
  atanh: { kind: 'float', also: ['arctanh'] },
  sigmoid: { kind: 'float', also: ['special.expit'] },
  erf: { kind: 'float', also: ['special.erf'], rejects: noComplex },
  erfc: { kind: 'float', also: ['special.erfc'], rejects: noComplex },
  erfinv: { kind: 'float', also: ['special.erfinv'], rejects: noComplex },
  lgamma: { kind: 'float', also: ['special.gammaln'], rejects: noComplex },
  digamma: { kind: 'float', also: ['special.digamma', 'special.psi'], rejects: noComplex },
  i0: { kind: 'float', also: ['special.i0'], rejects: noComplex },
  sinc: { kind: 'float', also: ['special.sinc'] },
  relu: { kind: 'same', rejects: noBoolNorComplex },
  logical_not: { kind: 'bool' },
};

/** Functions of every element, with their in-place twins. TensorIterator with the single operand. */
export const unary: readonly Entry[] = Object.entries(UNARY).flatMap(([name, { kind, also = [], rejects }]) => [
  op(`${name}(self: Tensor) -> Tensor`, {
    also,
    raises: ({ self }) => refused(name, self.dtype, rejects),
    maybe: ({ self }, call) =>
      freshElementwise([self], kind, call, name === 'bitwise_not' || name === 'logical_not' ? negated(self) : null),
    out: 'elementwise',
    samples:
      name === 'bitwise_not'
        ? ['(2, 3):int64', '(3, 4)/(1, 3):bool', '(2, 3)  !']
        : [
            '(2, 3)',
            '(3, 4)/(1, 3)',
            '(5, 1, 2)/(2, 12, 1)',
            ...(kind === 'real' ? ['(2, 3)/(1, 2):complex64', '(1,)/(2,):complex64'] : []),
          ],
  }),
  op(`Tensor.${name}_(self: Tensor) -> Tensor`, {
    also: also.filter((alias) => !alias.includes('.')).map((alias) => `Tensor.${alias}_`),
    raises: ({ self }) => refused(name, self.dtype, rejects),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => writeElementwise(self, {}, name === 'logical_not' ? 'same' : kind, call),
    samples: name === 'bitwise_not' ? ['(2, 3):int64'] : ['(2, 3)', '(2, 3)/(0, 1)  !'],
  }),
]);

const PREDICATES = ['isnan', 'isposinf', 'isneginf', 'signbit'] as const;

export const predicates: readonly Entry[] = [
  ...PREDICATES.map((name) =>
    op(`${name}(self: Tensor) -> Tensor`, {
      maybe: ({ self }, call) => freshElementwise([self], 'bool', call),
      samples: ['(2, 3)', '(3, 4)/(1, 3)'],
    }),
  ),
  op('isinf(self: Tensor) -> Tensor', {
    // `abs(x) == inf`; isfinite is `(x == x) * (abs(x) != inf)`.
    shape: ({ self }, { ask }) =>
      self.dtype !== null && isIntegralOrBool(self.dtype)
        ? preserve(self.layout, ask)
        : chain(elementwise([self.layout], ask), (magnitude) => elementwise([magnitude, SCALAR], ask)),
    dtype: 'bool',
    samples: ['(2, 3)', '(3, 4)/(1, 3)', '(2, 3):int64'],
  }),
  op('isfinite(self: Tensor) -> Tensor', {
    shape: ({ self }, { ask }) =>
      self.dtype !== null && isIntegralOrBool(self.dtype)
        ? preserve(self.layout, ask)
        : chain(elementwise([self.layout, self.layout], ask), (number) =>
            chain(elementwise([self.layout], ask), (magnitude) =>
              chain(elementwise([magnitude, SCALAR], ask), (finite) => elementwise([number, finite], ask)),
            ),
          ),
    dtype: 'bool',
    samples: ['(2, 3)', '(3, 4)/(1, 3)', '(2, 3):int64', '(0, 1)'],
  }),
  op('isreal(self: Tensor) -> Tensor', {
    // A real tensor gives `ones_like`, a complex one `imag == 0`.
    shape: ({ self }, { ask }) => preserve(self.layout, ask),
    dtype: 'bool',
    samples: ['(2, 3)', '(3, 4)/(12, 1)'],
  }),
  op('angle(self: Tensor) -> Tensor', {
    shape: ({ self }, { ask }) => {
      const packed = dense(self.layout.shape, self.layout.front);
      if (self.dtype !== null && isComplex(self.dtype)) return packed;
      return chain(elementwise([self.layout], ask), (kept) => (self.dtype === null ? common(kept, packed) : kept));
    },
    dtype: ({ self }) => dtypeOfKind('float', dtypeOfKind('real', self.dtype)),
    samples: ['(2, 3)', '(2, 3)/(1, 2):complex64', '(2, 3):int64'],
  }),
  ...(['logit', 'special.logit'] as const).map((name) =>
    op(`${name}(self: Tensor, eps: any = None) -> Tensor`, {
      maybe: ({ self }, call) => freshElementwise([self], 'float', call),
      samples: ['(2, 3)'],
    }),
  ),
];

/** Elementwise functions that copy in `preserve_format` instead. */
export const preserving: readonly Entry[] = [
  op('conj_physical(self: Tensor) -> Tensor', {
    maybe: ({ self }, call) => {
      if (self.dtype === null) return unsure('the dtype of the input is not known');
      if (!isComplex(self.dtype)) return same(self);
      if (!since(call, 2, 13)) return freshElementwise([self], 'same', call);
      return chain(preserve(self.layout, call.ask), (layout) => fresh(layout, self.dtype));
    },
    samples: ['(2, 3)', '(5, 1, 2)/(2, 12, 1):complex64'],
  }),
  op('conj_physical_(self: Tensor) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => {
      if (self.dtype === null) return possible(writeAll(self, {}, 'elementwise', call));
      return isComplex(self.dtype) ? writeElementwise(self, {}, 'same', call) : [];
    },
    samples: ['(2, 3)', '(2, 3):complex64'],
  }),
  op('logit_(self: Tensor, eps: any = None) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => writeElementwise(self, {}, 'float', call),
    samples: ['(2, 3)', '(2, 3)/(0, 1)  !'],
  }),
  op('torch.fill(self: Tensor, value: any) -> Tensor', {
    shape: ({ self }, { ask }) => preserve(self.layout, ask),
    samples: ['(2, 3)  1.0', '(2, 6)/(12, 2)  1.0'],
  }),
  op(
    'torch.fake_quantize_per_tensor_affine(self: Tensor, scale: any, zero_point: any, quant_min: any, quant_max: any) -> Tensor',
    {
      raises: ({ self }) => refused('fake_quantize', self.dtype, (dtype) => !isFloat(dtype)),
      shape: ({ self }, { ask }) => preserve(self.layout, ask),
      samples: ['(2, 6)/(12, 2)  0.1  0  0  255', '(2,):int64  0.1  0  0  255  !'],
    },
  ),
  op(
    'torch.fake_quantize_per_channel_affine(self: Tensor, scale: any, zero_point: any, axis: any, quant_min: any, quant_max: any) -> Tensor',
    {
      shape: ({ self }, { ask }) => preserve(self.layout, ask),
      samples: ['(3, 4)/(1, 3)  (3,)  (3,):int32  0  0  255'],
    },
  ),
  op('nan_to_num(self: Tensor, nan: any = None, posinf: any = None, neginf: any = None) -> Tensor', {
    shape: ({ self }, { ask }) => preserve(self.layout, ask),
    samples: ['(2, 3)', '(2, 6)/(12, 2)'],
  }),
  op('deg2rad(self: Tensor) -> Tensor', {
    also: ['rad2deg'],
    shape: ({ self }, { ask }) => preserve(self.layout, ask),
    dtype: ({ self }) => dtypeOfKind('float', self.dtype),
    samples: ['(2, 3)', '(2, 6)/(12, 2)', '(2,):int64'],
  }),
  op('Tensor.round(self: Tensor, *, decimals: int) -> Tensor', {
    also: ['torch.round'],
    raises: ({ self }) => refused('round', self.dtype, isIntegralOrBool),
    maybe: ({ self }, call) => freshElementwise([self], 'same', call),
    samples: ['(2, 3)  decimals=1'],
  }),
];
