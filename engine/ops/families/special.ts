import { isComplex, isFloat } from '../../tensor/index.ts';
import { dtypeOfKind, freshElementwise, writeElementwise } from '../elementwise.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, op, same } from '../op.ts';
import { noBool, noComplex, type Rejects, refused } from '../refusals.ts';

const noHalf: Rejects = (dtype) => isComplex(dtype) || (isFloat(dtype) && dtype !== 'float32' && dtype !== 'float64');

/** Functions of one tensor, and the dtypes that they reject. */
const UNARY: Readonly<Record<string, Rejects>> = {
  entr: noComplex,
  i0e: noComplex,
  i1: noComplex,
  i1e: noComplex,
  ndtr: noComplex,
  erfcx: noHalf,
  log_ndtr: noHalf,
  ndtri: noHalf,
  airy_ai: noHalf,
  bessel_j0: noHalf,
  bessel_j1: noHalf,
  bessel_y0: noHalf,
  bessel_y1: noHalf,
  modified_bessel_i0: noHalf,
  modified_bessel_i1: noHalf,
  modified_bessel_k0: noHalf,
  modified_bessel_k1: noHalf,
  scaled_modified_bessel_k0: noHalf,
  scaled_modified_bessel_k1: noHalf,
  spherical_bessel_j0: noHalf,
};

/** Functions of two tensors or numbers. */
const BINARY = [
  'zeta',
  'xlog1py',
  'chebyshev_polynomial_t',
  'chebyshev_polynomial_u',
  'chebyshev_polynomial_v',
  'chebyshev_polynomial_w',
  'hermite_polynomial_h',
  'hermite_polynomial_he',
  'laguerre_polynomial_l',
  'legendre_polynomial_p',
  'shifted_chebyshev_polynomial_t',
  'shifted_chebyshev_polynomial_u',
  'shifted_chebyshev_polynomial_v',
  'shifted_chebyshev_polynomial_w',
] as const;

/** `torch.special`: elementwise, integers computed in floating point. */
export const special: readonly Entry[] = [
  ...Object.entries(UNARY).map(([name, rejects]) =>
    op(`special.${name}(self: Tensor) -> Tensor`, {
      raises: ({ self }) => refused(name, self.dtype, rejects),
      maybe: ({ self }, call) => freshElementwise([self], 'float', call),
      out: 'elementwise',
      samples: ['(2, 3)', '(5, 1, 2)/(2, 12, 1)', '(2,):int64', '(2,):complex64  !'],
    }),
  ),
  ...BINARY.map((name) =>
    op(`special.${name}(self: Tensor | Scalar, other: Tensor | Scalar) -> Tensor`, {
      maybe: ({ self, other }, call) => freshElementwise([self, other], 'float', call),
      out: 'elementwise',
      samples: ['(2, 3)  (3,)', '(5, 1, 2)/(2, 12, 1)  2', '2  (5, 1, 2)/(2, 12, 1)', '(2, 3)  (4,)  !'],
    }),
  ),
  op('special.round(self: Tensor, *, decimals: any = 0) -> Tensor', {
    raises: ({ self }) => refused('round', self.dtype, (dtype) => noBool(dtype) || noComplex(dtype)),
    maybe: ({ self }, call) => freshElementwise([self], 'same', call),
    out: 'elementwise',
    samples: ['(5, 1, 2)/(2, 12, 1)', '(2,):bool  !'],
  }),
  op('mvlgamma(self: Tensor, p: any) -> Tensor', {
    also: ['special.multigammaln'],
    // A sum over the last dim of `lgamma` of `self.unsqueeze(-1) + arange`.
    raises: ({ self }) => refused('mvlgamma', self.dtype, noComplex),
    shape: ({ self }) => denseLike(self.layout),
    dtype: ({ self }) => dtypeOfKind('float', self.dtype),
    samples: ['(2, 3)  1', '(3, 4)/(1, 3)  1', '(2,):complex64  1  !'],
  }),
  op('Tensor.mvlgamma_(self: Tensor, p: any) -> Tensor', {
    raises: ({ self }) => refused('mvlgamma', self.dtype, (dtype) => !isFloat(dtype)),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => writeElementwise(self, {}, 'float', call),
    samples: ['(2, 3)  1', '(2, 3)/(0, 1)  1  !', '(2,):int64  1  !'],
  }),
];
