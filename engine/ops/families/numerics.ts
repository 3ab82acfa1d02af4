import { add, int, type SymInt, sub, ZERO } from '../../symbols/index.ts';
import {
  chain,
  type DType,
  elementwise,
  type Fault,
  isFault,
  isFloat,
  isIntegralOrBool,
  type Layout,
  preserve,
  type Result,
  raises,
  type Tensor,
  unsure,
  wrapDim,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { dtypeOfKind } from '../elementwise.ts';
import { fresh } from '../layouts/format.ts';
import { isEmpty } from '../layouts/inquiry.ts';
import { denseLike, dimOutOfRange, reduced } from '../layouts/reduction.ts';
import { type Entry, fresh as made, op, same } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { one, writeAll } from '../writing.ts';
import { length } from './distances.ts';
import { lessThanMatrix } from './rearrangements.ts';

const floating = ({ self }: { self: Tensor }): DType | null => dtypeOfKind('float', self.dtype);

const onlyFloat = (name: string, dtype: DType | null): Fault | null =>
  dtype !== null && !isFloat(dtype)
    ? raises({ is: 'argument', name: 'self', got: dtype, expects: `a dtype that ${name} has` })
    : null;

/** One row and one column for every variable; a number for a lone one. */
function covariance({ layout }: Tensor, { ask }: Call): Result<Layout> {
  if (layout.front) return unsure('the rank of the input is not known');
  const [rows] = layout.shape;
  if (layout.shape.length > 2)
    return raises({ is: 'rank-differs', what: 'self', expected: '2 or less', got: layout.shape.length });
  return layout.shape.length < 2 || rows === undefined || ask.isOne(rows) === true ? fresh([]) : fresh([rows, rows]);
}

const oneLess = (size: SymInt): SymInt => (size.constant === 0 ? size : sub(size, int(1)));

/** One less along `dim`: a sum of neighbours. */
function neighbours(layout: Layout, dim: number, { ask }: Call): Result<Layout> {
  const axis = wrapDim(layout, dim);
  if (isFault(axis)) return axis;
  const along = layout.shape[axis];
  if (along?.constant === null) ask.leaveOut({ relation: 'equal', left: along, right: ZERO });
  return fresh(
    layout.shape.map((size, d) => (d === axis ? oneLess(size) : size)),
    layout.front,
  );
}

const beside = (x: Value): DType | null | undefined => (x.kind === 'tensor' ? x.dtype : undefined);

/** The norms of what lies along `dim`, so that there must be other dims; a norm is of floats. */
const notRenormed = ({ layout, dtype }: Tensor, dim: number): Fault | null =>
  dtype !== null && isIntegralOrBool(dtype)
    ? raises({ is: 'argument', name: 'self', got: dtype, expects: 'a floating point or complex dtype' })
    : (lessThanMatrix(layout) ?? dimOutOfRange(layout, dim));

/** `bins` is a number of bins, or their edges. */
function histogram(self: Tensor, bins: Value): Result<readonly [SymInt, SymInt]> {
  const wrong = onlyFloat('histogram', self.dtype);
  if (wrong !== null) return wrong;
  if (bins.kind === 'int') return [bins.value, add(bins.value, int(1))];
  const [edges] = bins.kind === 'tensor' ? bins.layout.shape : [];
  return edges === undefined ? unsure('the number of bins is not known') : [sub(edges, int(1)), edges];
}

/** Covariance, integration, differences, histograms: mathematics on whole tensors, contiguous. */
export const numerics: readonly Entry[] = [
  op('cov(self: Tensor, *, correction: any = 1, fweights: any = None, aweights: any = None) -> Tensor', {
    shape: ({ self }, call) => covariance(self, call),
    dtype: floating,
    samples: ['(3, 4)/(1, 3)', '(4,)', '(1, 4)', '(2, 3):int64', '(2, 3, 4)  !'],
  }),
  op('corrcoef(self: Tensor) -> Tensor', {
    shape: ({ self }, call) => covariance(self, call),
    dtype: floating,
    samples: ['(3, 4)/(1, 3)', '(4,)', '(2, 3, 4)  !'],
  }),
  op('torch.trapezoid(y: Tensor, x: any = None, *, dx: any = 1, dim: int = -1) -> Tensor', {
    also: ['torch.trapz'],
    shape: ({ y, dim }) => reduced(y.layout, [dim], false),
    // Along a dim without elements there are zeros of the same dtype.
    dtype: ({ y, x, dim }, call) => {
      if (!y.layout.front && isEmpty(y.layout.shape.at(dim) ?? int(1), call)) return y.dtype;
      return beside(x) === undefined ? dtypeOfKind('float', y.dtype) : null;
    },
    samples: ['(2, 3, 4)/(1, 8, 2)', '(2, 0):int64', '(2, 3)  dim=0', '(2, 3):int64', '(2, 3)  dim=2  !'],
  }),
  op('torch.cumulative_trapezoid(y: Tensor, x: any = None, *, dx: any = 1, dim: int = -1) -> Tensor', {
    shape: ({ y, dim }, call) => neighbours(y.layout, dim, call),
    dtype: ({ y, x }) => (beside(x) === undefined ? dtypeOfKind('float', y.dtype) : null),
    samples: ['(2, 3, 4)/(1, 8, 2)', '(2, 0)', '(2, 3)  dim=0', '(2, 3)  dim=2  !'],
  }),
  op('torch.gradient(self: Tensor, *, spacing: any = 1, dim: int[1]? = None, edge_order: any = 1) -> any', {
    maybe: ({ self, dim }): Result<OpResult> => {
      const { layout, dtype } = self;
      if (layout.front && dim === null) return unsure('the rank of the input is not known');
      const dims = dim ?? layout.shape.map((_, d) => d);
      const items: OpResult[] = [];
      for (const each of dims) {
        const axis = wrapDim(layout, each);
        if (isFault(axis)) return axis;
        items.push(made(denseLike(layout), dtypeOfKind('float', dtype)));
      }
      return { is: 'list', items };
    },
    samples: ['(3, 4)/(1, 3)', '(2, 3, 4)  dim=1', '(3, 4)  dim=2  !'],
  }),
  op(
    'histogram(self: Tensor, bins: any, *, range: any = None, weight: any = None, density: any = False) -> (hist: Tensor, bin_edges: Tensor)',
    {
      shape: ({ self, bins }) => chain(histogram(self, bins), ([hist, edges]) => [fresh([hist]), fresh([edges])]),
      dtype: [({ self }) => self.dtype, ({ self }) => self.dtype],
      samples: ['(3, 4)  5', '(3,):int64  5  !'],
    },
  ),
  op(
    'torch.histogramdd(self: Tensor, bins: SymInt[], range: any = None, weight: any = None, density: any = False) -> any',
    {
      maybe: ({ self, bins }) => ({
        is: 'tuple',
        items: [
          made(fresh(bins), self.dtype),
          { is: 'tuple', items: bins.map((size) => made(fresh([add(size, int(1))]), self.dtype)) },
        ],
      }),
      samples: ['(6, 2)  [3, 4]'],
    },
  ),
  op('dist(self: Tensor, other: Tensor, p: any = 2) -> Tensor', {
    shape: () => fresh([]),
    dtype: ({ self, other }) => length(self, other),
    samples: ['(2, 3)  (2, 3)', '(2, 3):complex64  (2, 3):float64'],
  }),
  op('renorm(self: Tensor, p: any, dim: int, maxnorm: any) -> Tensor', {
    raises: ({ self, dim }) => notRenormed(self, dim),
    shape: ({ self }) => denseLike(self.layout),
    samples: ['(3, 4)/(1, 3)  2  0  1.0', '(3, 4)  2  2  1.0  !', '(3, 4):int64  2  0  1.0  !', '(4,)  2  0  1.0  !'],
  }),
  op('Tensor.renorm_(self: Tensor, p: any, dim: int, maxnorm: any) -> Tensor', {
    raises: ({ self, dim }) => notRenormed(self, dim),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'unchecked', call)),
    samples: ['(2, 3)  2  0  1.0', '(2, 3)/(0, 1)  2  0  1.0  !', '(2, 3)  2  2  1.0  !', '(3,)  2  0  1.0  !'],
  }),
  op('frexp(self: Tensor) -> (mantissa: Tensor, exponent: Tensor)', {
    maybe: ({ self }, call) => {
      const wrong = onlyFloat('frexp', self.dtype);
      if (wrong !== null) return wrong;
      return chain(preserve(self.layout, call.ask), (layout) => ({
        is: 'tuple',
        items: [made(layout, self.dtype), made(layout, 'int32')],
        fields: ['mantissa', 'exponent'],
      }));
    },
    samples: ['(2, 3)', '(5, 1, 2)/(2, 12, 1)', '(2,):int64  !'],
  }),
  op('torch.binomial(count: Tensor, prob: Tensor, generator: any = None) -> Tensor', {
    raises: ({ count }) => onlyFloat('binomial', count.dtype),
    // The result, made for `count`, is resized where `prob` is larger.
    shape: ({ count, prob }, { ask, demand }) =>
      elementwise([denseLike(count.layout), count.layout, prob.layout], ask, { demand }),
    samples: ['(3, 4)  (3, 4)', '(3, 4)/(1, 3)  (3, 4)', '(3, 1)  (1, 4)', '(1,)  (2, 3)/(1, 2)'],
  }),
  op('torch.nn.utils.parameters_to_vector(parameters: Tensor[]) -> Tensor', {
    shape: (_, { context }) => [context.fresh('numel')],
    samples: [],
  }),
];
