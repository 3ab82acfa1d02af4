import {
  contiguous,
  type DType,
  isComplex,
  isFault,
  isFloat,
  isIntegralOrBool,
  movedim,
  raises,
  realOf,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Unknown } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { freshElementwise } from '../elementwise.ts';
import { emptyReduction, reduced } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';

/** The `dtype` argument of an op, null where it is not known, or the fallback where it is not given. */
export function dtypeOr(given: DType | Unknown | null, fallback: DType | null): DType | null {
  if (given === null) return fallback;
  return typeof given === 'string' ? given : null;
}

/** sum, prod and their like of integers and bools are int64. */
export const accumulated = (dtype: DType | null): DType | null =>
  dtype !== null && isIntegralOrBool(dtype) ? 'int64' : dtype;

/** exp, log and their like of integers and bools are float32. */
export const floating = (dtype: DType | null): DType | null =>
  dtype !== null && isIntegralOrBool(dtype) ? 'float32' : dtype;

const real = (dtype: DType | null): DType | null => (dtype !== null && isComplex(dtype) ? realOf(dtype) : dtype);
const truth = (dtype: DType | null): DType | null => (dtype === null || dtype === 'uint8' ? dtype : 'bool');

/** mean, var and their like take no integers. */
export function notFloating(dtype: DType | null) {
  if (dtype === null || isFloat(dtype) || isComplex(dtype)) return null;
  return raises({ is: 'argument', name: 'self', got: dtype, expects: 'a floating point or complex dtype' });
}

interface Dims {
  readonly self: Tensor;
  readonly dim: readonly number[] | null;
  readonly keepdim: boolean;
}

const overDims = ({ self, dim, keepdim }: Dims) => reduced(self.layout, dim, keepdim);
const overOne = ({ self, dim, keepdim }: { self: Tensor; dim: number | null; keepdim: boolean }) =>
  reduced(self.layout, dim === null ? null : [dim], keepdim);
const overAll = ({ self }: { self: Tensor }) => reduced(self.layout, null, false);

/** Values and indices over one dim. */
function pair({ self, dim, keepdim }: { self: Tensor; dim: number; keepdim: boolean }, call: Call) {
  const empty = emptyReduction(self.layout, [dim], call);
  if (empty !== null) return empty;
  const layout = reduced(self.layout, [dim], keepdim);
  return isFault(layout) ? layout : [layout, layout];
}

const PAIR_DTYPES = [({ self }: { self: Tensor }) => self.dtype, 'int64'] as const;

/** `at::meta::resize_reduction`: reductions do not look whether `out=` overlaps itself, but for those that write it twice. */
const totals = ['sum', 'nansum'].map((name) =>
  op(`${name}(self: Tensor, dim: int[1]? = None, keepdim: bool = False, *, dtype: ScalarType? = None) -> Tensor`, {
    shape: overDims,
    dtype: ({ self, dtype }) => dtypeOr(dtype, accumulated(self.dtype)),
    out: 'silent',
    samples: ['(2, 3, 4)', '(2, 3, 4)  (0, 2)', '(2, 3):int64  -1  True', '(2, 3)/(1, 2)  0', '(2,)  3  !'],
  }),
);

const means = ['mean', 'nanmean'].map((name) =>
  op(`${name}(self: Tensor, dim: int[1]? = None, keepdim: bool = False, *, dtype: ScalarType? = None) -> Tensor`, {
    raises: ({ self, dtype }) => (dtype === null ? notFloating(self.dtype) : null),
    shape: overDims,
    dtype: ({ self, dtype }) => dtypeOr(dtype, self.dtype),
    out: 'unchecked',
    samples: ['(2, 3, 4)', '(2, 3, 4)  -1  True', '(2, 3)/(1, 2)  0', '(2, 3):int64  !'],
  }),
);

const extremes = ['amax', 'amin'].map((name) =>
  op(`${name}(self: Tensor, dim: int[1] = [], keepdim: bool = False) -> Tensor`, {
    raises: ({ self, dim }, call) => emptyReduction(self.layout, dim.length === 0 ? null : dim, call),
    shape: overDims,
    out: 'silent',
    samples: ['(2, 3)', '(2, 3, 4)  (0, 1)', '(2, 3)  1  True', '(2, 0)  1  !'],
  }),
);

const spreads = ['var', 'std'].flatMap((name) => [
  op(`${name}(self: Tensor, dim: int[1]? = None, *, correction: any = None, keepdim: bool = False) -> Tensor`, {
    raises: ({ self }) => notFloating(self.dtype),
    shape: overDims,
    dtype: ({ self }) => real(self.dtype),
    out: 'silent',
    samples: ['(2, 3, 4)', '(2, 3, 4)  -1  keepdim=True', '(2, 3):int64  !'],
  }),
  op(`${name}(self: Tensor, dim: int[1]?, unbiased: bool = True, keepdim: bool = False) -> Tensor`, {
    raises: ({ self }) => notFloating(self.dtype),
    shape: overDims,
    dtype: ({ self }) => real(self.dtype),
    samples: ['(2, 3, 4)  1  False  True'],
  }),
  op(`${name}(self: Tensor, unbiased: bool) -> Tensor`, {
    raises: ({ self }) => notFloating(self.dtype),
    shape: overAll,
    dtype: ({ self }) => real(self.dtype),
    samples: ['(2, 3, 4)  False'],
  }),
]);

/** The spread of complex numbers is real, their mean is not. */
const SPREAD_DTYPES = [({ self }: { self: Tensor }) => real(self.dtype), ({ self }: { self: Tensor }) => self.dtype];

const spreadMeans = ['var_mean', 'std_mean'].flatMap((name) => [
  op(`torch.${name}(self: Tensor, dim: int[1]? = None, *, correction: any = None, keepdim: bool = False) -> Tensor[]`, {
    raises: ({ self }) => notFloating(self.dtype),
    shape: (args) => twice(overDims(args)),
    dtype: SPREAD_DTYPES,
    samples: ['(2, 3, 4)', '(2, 3, 4)  -1  keepdim=True', '(2, 3):complex64', '(2, 3):int64  !'],
  }),
  op(`torch.${name}(self: Tensor, dim: int[1]?, unbiased: bool = True, keepdim: bool = False) -> Tensor[]`, {
    raises: ({ self }) => notFloating(self.dtype),
    shape: (args) => twice(overDims(args)),
    dtype: SPREAD_DTYPES,
    samples: ['(2, 3, 4)  1  False  True'],
  }),
  op(`torch.${name}(self: Tensor, unbiased: bool) -> Tensor[]`, {
    raises: ({ self }) => notFloating(self.dtype),
    shape: (args) => twice(overAll(args)),
    dtype: SPREAD_DTYPES,
    samples: ['(2, 3, 4)  False'],
  }),
]);

function twice<T>(layout: T) {
  return isFault(layout) ? layout : [layout as Exclude<T, { fault: string }>, layout as Exclude<T, { fault: string }>];
}

const truths = ['any', 'all'].map((name) =>
  op(`${name}(self: Tensor, dim: int[1]? = None, keepdim: bool = False) -> Tensor`, {
    shape: overDims,
    dtype: ({ self }) => truth(self.dtype),
    out: 'silent',
    samples: ['(2, 3):bool', '(2, 3, 4)  1', '(2, 3):uint8  0  True'],
  }),
);

const positions = ['argmax', 'argmin'].map((name) =>
  op(`${name}(self: Tensor, dim: int? = None, keepdim: bool = False) -> Tensor`, {
    raises: ({ self, dim }, call) => emptyReduction(self.layout, dim === null ? null : [dim], call),
    shape: overOne,
    dtype: 'int64',
    out: 'silent',
    samples: ['(2, 3)', '(2, 3, 4)  -1', '(2, 3)  0  True', '(0, 3)  0  !'],
  }),
);

const maxima = ['max', 'min'].flatMap((name) => [
  op(`${name}(self: Tensor) -> Tensor`, {
    raises: ({ self }, call) => emptyReduction(self.layout, null, call),
    shape: overAll,
    samples: ['(2, 3)', '(0,)  !'],
  }),
  op(`${name}(self: Tensor, dim: int, keepdim: bool = False) -> (values: Tensor, indices: Tensor)`, {
    shape: pair,
    dtype: PAIR_DTYPES,
    samples: ['(2, 3)  1', '(2, 3, 4)/(1, 2, 6)  0  True', '(2, 3)  2  !'],
  }),
  op(`${name}(self: Tensor, other: Tensor) -> Tensor`, {
    maybe: ({ self, other }, call) => freshElementwise([self, other], 'same', call),
    samples: ['(2, 3)  (3,)', '(2, 3)/(1, 2)  (2, 3)/(1, 2)', '(2, 3):int64  (2, 3)'],
  }),
]);

const middles = ['median', 'nanmedian', 'mode'].flatMap((name) => [
  ...(name === 'mode' ? [] : [op(`${name}(self: Tensor) -> Tensor`, { shape: overAll, samples: ['(2, 3)'] })]),
  op(
    `${name}(self: Tensor, dim: int${name === 'mode' ? ' = -1' : ''}, keepdim: bool = False) -> (values: Tensor, indices: Tensor)`,
    {
      shape: pair,
      dtype: PAIR_DTYPES,
      samples: ['(2, 3)  1', '(2, 3, 4)  0  True'],
    },
  ),
]);

const quantiles = ['quantile', 'nanquantile'].map((name) =>
  op(
    `${name}(self: Tensor, q: Tensor | any, dim: int? = None, keepdim: bool = False, *, interpolation: any = None) -> Tensor`,
    {
      raises: ({ self }) =>
        self.dtype === null || self.dtype === 'float32' || self.dtype === 'float64'
          ? null
          : raises({ is: 'argument', name: 'input', got: self.dtype, expects: 'float32 or float64' }),
      shape: ({ self, q, dim, keepdim }) => {
        const over = overOne({ self, dim, keepdim });
        if (isFault(over) || q.kind !== 'tensor' || q.layout.shape.length === 0) return over;
        if (over.front) return unsure('the rank of the result is not known');
        return movedim(contiguous([...over.shape, ...q.layout.shape]), [-1], [0]);
      },
      samples: ['(2, 3)  0.5', '(2, 3)  0.5  1', '(2, 3)  0.5  1  True', '(2,):float16  0.5  !'],
    },
  ),
);

export const reductions: readonly Entry[] = [
  ...totals,
  ...means,
  ...extremes,
  ...spreads,
  ...spreadMeans,
  ...truths,
  ...positions,
  ...maxima,
  ...middles,
  ...quantiles,
  op('prod(self: Tensor, *, dtype: ScalarType? = None) -> Tensor', {
    shape: overAll,
    dtype: ({ self, dtype }) => dtypeOr(dtype, accumulated(self.dtype)),
    samples: ['(2, 3)'],
  }),
  op('prod(self: Tensor, dim: int, keepdim: bool = False, *, dtype: ScalarType? = None) -> Tensor', {
    shape: overOne,
    dtype: ({ self, dtype }) => dtypeOr(dtype, accumulated(self.dtype)),
    out: 'silent',
    samples: ['(2, 3)  1', '(2, 3):bool  0  True'],
  }),
  op('logsumexp(self: Tensor, dim: int[1], keepdim: bool = False) -> Tensor', {
    also: ['special.logsumexp'],
    shape: overDims,
    dtype: ({ self }) => floating(self.dtype),
    samples: ['(2, 3)  1', '(2, 3):int64  0  True'],
  }),
  op('count_nonzero(self: Tensor, dim: int[1]? = None) -> Tensor', {
    shape: ({ self, dim }) => reduced(self.layout, dim, false),
    dtype: 'int64',
    samples: ['(2, 3)', '(2, 3)  0'],
  }),
  op('aminmax(self: Tensor, *, dim: int? = None, keepdim: bool = False) -> (min: Tensor, max: Tensor)', {
    shape: (args) => twice(overOne(args)),
    samples: ['(2, 3)', '(2, 3)  dim=0'],
  }),
  op(
    "norm(self: Tensor, p: any = 'fro', dim: int[1]? = None, keepdim: bool = False, dtype: ScalarType? = None) -> Tensor",
    {
      raises: ({ self, dtype }) => (dtype === null ? notFloating(self.dtype) : null),
      shape: overDims,
      dtype: ({ self, dtype }) => dtypeOr(dtype, real(self.dtype)),
      samples: ['(2, 3)', '(2, 3, 4)  2  -1', '(2, 3)/(1, 2)  2  dim=0  keepdim=True', '(2, 3):int64  !'],
    },
  ),
  op(
    'linalg.vector_norm(x: Tensor, ord: any = 2, dim: int[1]? = None, keepdim: bool = False, *, dtype: ScalarType? = None) -> Tensor',
    {
      shape: ({ x, dim, keepdim }) => reduced(x.layout, dim, keepdim),
      dtype: ({ x, dtype }) => dtypeOr(dtype, real(x.dtype)),
      samples: ['(2, 3)', '(2, 3, 4)  2  -1  True'],
    },
  ),
  op('torch.frobenius_norm(self: Tensor, dim: int[1], keepdim: bool = False) -> Tensor', {
    shape: overDims,
    dtype: ({ self }) => real(floating(self.dtype)),
    samples: ['(2, 5, 3)  (1, 2)', '(3, 4)  (1,)  True', '(3, 4)  (2,)  !'],
  }),
  op(
    'linalg.norm(A: Tensor, ord: any = None, dim: int[1]? = None, keepdim: bool = False, *, dtype: ScalarType? = None) -> Tensor',
    {
      shape: ({ A, dim, keepdim }) => reduced(A.layout, dim, keepdim),
      dtype: ({ A, dtype }) => dtypeOr(dtype, real(A.dtype)),
      samples: ['(2, 3)', '(2, 3, 4)  dim=-1', '(2, 3)  dim=1  keepdim=True'],
    },
  ),
  op(
    'linalg.matrix_norm(A: Tensor, ord: any = None, dim: int[2]? = None, keepdim: bool = False, *, dtype: ScalarType? = None) -> Tensor',
    {
      shape: ({ A, dim, keepdim }) => reduced(A.layout, dim ?? [-2, -1], keepdim),
      dtype: ({ A, dtype }) => dtypeOr(dtype, real(A.dtype)),
      samples: ['(2, 3, 4)', '(2, 3)  keepdim=True'],
    },
  ),
];
