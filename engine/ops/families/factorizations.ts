import { int, maximum, minimum, mul, ONE, product, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  broadcast,
  chain,
  contiguous,
  isFault,
  type Layout,
  layoutOf,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import { type Call, since } from '../context.ts';
import { dtypeOfKind } from '../elementwise.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { type Entry, fresh as made, op } from '../op.ts';
import {
  all,
  columnMajor,
  like,
  matrix,
  notFloat,
  ofA,
  realOfA,
  solved,
  solvedLeft,
  solvedMatrix,
  square,
} from './linalg.ts';
import { accumulated } from './reductions.ts';

const INT32 = 'int32';

/** One number a matrix: what went wrong, or which column was the pivot. */
const info = ({ layout }: Tensor): Result<Layout> => {
  const of = matrix(layout);
  return isFault(of) ? of : fresh(of.batch, layout.front);
};

const pivots = ({ layout }: Tensor): Result<Layout> => {
  const of = matrix(layout);
  return isFault(of) ? of : fresh([...of.batch, minimum(of.rows, of.columns)], layout.front);
};

/** P, L and U of a matrix of `m` rows and `n` columns, row-major as `lu_unpack` makes them. */
function unpacked({ layout }: Tensor): Result<readonly Layout[]> {
  const of = matrix(layout);
  if (isFault(of)) return of;
  const { batch, rows, columns } = of;
  const inner = minimum(rows, columns);
  return all(
    fresh([...batch, rows, rows], layout.front),
    fresh([...batch, rows, inner], layout.front),
    fresh([...batch, inner, columns], layout.front),
  );
}

/** The solution is the upper part of a buffer of as many rows as the larger side of A has. */
function leastSquares(A: Layout, B: Layout, call: Call): Result<Layout> {
  const of = matrix(A);
  if (isFault(of)) return of;
  if (A.front || B.front) return unsure('the rank of an operand is not known');
  const vector = B.shape.length === A.shape.length - 1;
  const rows = maximum(of.rows, of.columns);
  const right = vector ? ONE : (B.shape.at(-1) ?? ONE);
  const shared = vector ? of.batch : broadcast([of.batch, B.shape.slice(0, -2)], call.ask, { demand: call.demand });
  if (isFault(shared)) return shared;
  const batch = contiguous([...shared, rows, right]).stride?.slice(0, -2) ?? [];
  return vector
    ? layoutOf([...shared, of.columns], [...batch, ONE])
    : layoutOf([...shared, of.columns, right], [...batch, ONE, rows]);
}

/** The first `q` singular values and vectors, from matrices that were multiplied. */
function lowRank({ A, q }: { A: Tensor; q: SymInt | null }, call: Call): Result<readonly Layout[]> {
  const of = matrix(A.layout);
  if (isFault(of)) return of;
  const { batch, rows, columns } = of;
  const rank = minimum(q ?? int(6), minimum(rows, columns));
  const { front } = A.layout;
  const left = fresh([...batch, rows, rank], front);
  return all(
    // On 1.13 the first is column-major for some sizes.
    since(call, 2, 6) ? left : { ...left, stride: null },
    fresh([...batch, rank], front),
    fresh([...batch, columns, rank], front),
  );
}

/** The dims of the matrices are moved to the end, summed over, and moved back where they are kept. */
function matrixNorm({ shape, front }: Layout, dim: readonly number[], keepdim: boolean): Result<Layout> {
  if (front) return unsure('the rank of the input is not known');
  if (shape.length < 2) return raises({ is: 'rank-differs', what: 'self', expected: '2 or more', got: shape.length });
  const gone = shape.map((_, d) => dim.includes(d) || dim.includes(d - shape.length));
  const dense = fresh(shape.filter((_, d) => !gone[d]));
  if (!keepdim) return dense;
  const steps = [...(dense.stride ?? [])];
  return layoutOf(
    shape.map((size, d) => (gone[d] ? ONE : size)),
    gone.map((lost) => (lost ? ONE : (steps.shift() ?? ONE))),
  );
}

const LU = '(2, 5, 3)';
const BATCH = '(2, 3, 3)';

export const factorizations: readonly Entry[] = [
  op('linalg.inv_ex(A: Tensor, *, check_errors: any = False) -> (inverse: Tensor, info: Tensor)', {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => all(like(A), info(A)),
    dtype: [ofA, INT32],
    samples: [BATCH, '(2, 3)  !'],
  }),
  op('linalg.cholesky_ex(A: Tensor, *, upper: any = False, check_errors: any = False) -> (L: Tensor, info: Tensor)', {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => all(like(A), info(A)),
    dtype: [ofA, INT32],
    samples: [BATCH, '(2, 3)  !'],
  }),
  op(
    'linalg.solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: any = False) -> (result: Tensor, info: Tensor)',
    {
      raises: ({ A }, call) => square(A, call),
      shape: ({ A, B, left }, call) =>
        all(left ? solved(A.layout, B.layout, call) : solvedLeft(A.layout, B.layout, call), info(A)),
      dtype: [ofA, INT32],
      samples: [`${BATCH}  (2, 3, 4)`, '(3, 3)  (2, 3, 4)', '(3, 3)  (2, 4)  !'],
    },
  ),
  op('linalg.householder_product(A: Tensor, tau: Tensor) -> Tensor', {
    also: ['orgqr'],
    raises: ({ A }) => notFloat(A),
    shape: ({ A }) => like(A),
    samples: [`${LU}  (2, 3)`, '(5, 3)/(1, 5)  (2,)', '(5,)  (1,)  !'],
  }),
  op('ormqr(A: Tensor, tau: Tensor, other: Tensor, left: any = True, transpose: any = False) -> Tensor', {
    shape: ({ other }) => like(other),
    samples: [`${LU}  (2, 3)  (2, 5, 4)`, '(5, 3)  (3,)  (5, 4)'],
  }),
  op('geqrf(A: Tensor) -> (a: Tensor, tau: Tensor)', {
    raises: ({ A }) => notFloat(A),
    shape: ({ A }) => all(like(A), pivots(A)),
    dtype: [ofA, ofA],
    samples: [LU, '(5,)  !'],
  }),
  op('linalg.ldl_factor(A: Tensor, *, hermitian: any = False) -> (LD: Tensor, pivots: Tensor)', {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => all(like(A), pivots(A)),
    dtype: [ofA, INT32],
    samples: [BATCH, '(2, 3)  !'],
  }),
  op(
    'linalg.ldl_factor_ex(A: Tensor, *, hermitian: any = False, check_errors: any = False) -> (LD: Tensor, pivots: Tensor, info: Tensor)',
    {
      raises: ({ A }, call) => square(A, call),
      shape: ({ A }) => all(like(A), pivots(A), info(A)),
      dtype: [ofA, INT32, INT32],
      samples: [BATCH],
    },
  ),
  op('linalg.ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: any = False) -> Tensor', {
    shape: ({ B }) => like(B),
    samples: [`${BATCH}  (2, 3):int32  (2, 3, 4)`],
  }),
  op('linalg.lu_factor(A: Tensor, *, pivot: any = True) -> (LU: Tensor, pivots: Tensor)', {
    raises: ({ A }) => notFloat(A),
    shape: ({ A }) => all(like(A), pivots(A)),
    dtype: [ofA, INT32],
    samples: [LU, '(3, 5)', '(3,)  !'],
  }),
  op(
    'linalg.lu_factor_ex(A: Tensor, *, pivot: any = True, check_errors: any = False) -> (LU: Tensor, pivots: Tensor, info: Tensor)',
    {
      raises: ({ A }) => notFloat(A),
      shape: ({ A }) => all(like(A), pivots(A), info(A)),
      dtype: [ofA, INT32, INT32],
      samples: [LU],
    },
  ),
  op('lu(A: Tensor, pivot: any = True, get_infos: bool = False) -> any', {
    maybe: ({ A, get_infos }) => {
      const layouts = all(like(A), pivots(A), info(A));
      if (isFault(layouts)) return layouts;
      const items = layouts.map((layout, i) => made(layout, i === 0 ? A.dtype : INT32));
      return { is: 'tuple', items: get_infos ? items : items.slice(0, 2) };
    },
    samples: [LU, `${LU}  get_infos=True`],
  }),
  op('linalg.lu(A: Tensor, *, pivot: any = True) -> (P: Tensor, L: Tensor, U: Tensor)', {
    raises: ({ A }) => notFloat(A),
    shape: ({ A }) => unpacked(A),
    dtype: [ofA, ofA, ofA],
    samples: [LU, '(3, 5)'],
  }),
  op(
    'torch.lu_unpack(A: Tensor, LU_pivots: Tensor, unpack_data: any = True, unpack_pivots: any = True) -> (P: Tensor, L: Tensor, U: Tensor)',
    {
      shape: ({ A }) => unpacked(A),
      dtype: [ofA, ofA, ofA],
      samples: [`${LU}  (2, 3):int32`],
    },
  ),
  op('lu_solve(B: Tensor, LU: Tensor, pivots: Tensor) -> Tensor', {
    shape: ({ B, LU }, call) => solvedMatrix(LU.layout, B.layout, call),
    samples: [`(2, 3, 4)  ${BATCH}  (2, 3):int32`, '(2, 3, 4)  (3, 3)  [1, 2, 3]:int32'],
  }),
  op('linalg.lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: any = False) -> Tensor', {
    shape: ({ LU, B, left }, call) => (left ? solvedMatrix : solvedLeft)(LU.layout, B.layout, call),
    dtype: ({ B }) => B.dtype,
    samples: [`${BATCH}  (2, 3):int32  (2, 3, 4)`, `${BATCH}  (2, 3):int32  (3, 4)`, `${BATCH}  (2, 3):int32  (3,)  !`],
  }),
  op(
    'linalg.lstsq(A: Tensor, B: Tensor, rcond: any = None, *, driver: str? = None) -> (solution: Tensor, residuals: Tensor, rank: Tensor, singular_values: Tensor)',
    {
      raises: ({ A }) => notFloat(A),
      maybe: ({ A, B, driver }, call) => {
        const { context } = call;
        const solution = leastSquares(A.layout, B.layout, call);
        const each = info(A);
        const values = pivots(A);
        if (isFault(solution)) return solution;
        if (isFault(each)) return each;
        if (isFault(values)) return values;
        // `gels` tells the residuals of an overdetermined system, the SVD drivers where the rank is full.
        const bySvd = driver === 'gelss' || driver === 'gelsd';
        const residuals = bySvd || driver === 'gels' ? context.fresh('residuals') : ZERO;
        return {
          is: 'tuple',
          items: [
            made(solution, A.dtype),
            made(fresh([residuals]), A.dtype),
            made(driver === 'gels' ? fresh([ZERO]) : each, 'int64'),
            made(bySvd ? values : fresh([ZERO]), realOfA({ A })),
          ],
        };
      },
      samples: [
        `${LU}  (2, 5, 4)`,
        `${LU}  (2, 5)`,
        "(5, 3)  (5, 2)  driver='gels'",
        '(2, 3, 5)  (2, 3, 4)',
        '(2, 3, 2)  (2, 3, 0)',
      ],
    },
  ),
  op(
    'triangular_solve(B: Tensor, A: Tensor, upper: any = True, transpose: any = False, unitriangular: any = False) -> (solution: Tensor, cloned_coefficient: Tensor)',
    {
      raises: ({ A }, call) => square(A, call),
      shape: ({ B, A }, call) => {
        if (B.layout.front || A.layout.front) return unsure('the rank of an operand is not known');
        const [right, left] = [matrix(B.layout), matrix(A.layout)];
        if (isFault(right)) return right;
        if (isFault(left)) return left;
        return chain(broadcast([right.batch, left.batch], call.ask, { demand: call.demand }), (batch) =>
          all(
            columnMajor([...batch, ...B.layout.shape.slice(-2)]),
            columnMajor([...batch, ...A.layout.shape.slice(-2)]),
          ),
        );
      },
      dtype: [({ B }) => B.dtype, ofA],
      samples: [`(2, 3, 4)  ${BATCH}`, '(3, 4)  (2, 3, 3)', '(2, 3, 4)  (2, 3)  !'],
    },
  ),
  op('linalg.tensorinv(A: Tensor, ind: int = 2) -> Tensor', {
    shape: ({ A, ind }, call) => {
      if (A.layout.front) return unsure('the rank of the input is not known');
      const [first, last] = [A.layout.shape.slice(0, ind), A.layout.shape.slice(ind)];
      if (ind <= 0) return raises({ is: 'argument', name: 'ind', got: `${ind}`, expects: 'a number above 0' });
      const differs = agree(product(last), product(first), 'the product of the last dims', call);
      if (differs !== null) return differs;
      // The inverse is column-major: one block after the other, each row-major in itself.
      const inner = contiguous(last).stride ?? [];
      const outer = contiguous(first).stride?.map((stride) => mul(stride, product(last))) ?? [];
      return layoutOf([...last, ...first], [...inner, ...outer]);
    },
    samples: ['(4, 6, 8, 3)  2', '(2, 2, 4)', '(2, 3, 4)  !'],
  }),
  op('linalg.tensorsolve(A: Tensor, B: Tensor, dims: any = None) -> Tensor', {
    shape: ({ A, B, dims }) =>
      A.layout.front || B.layout.front || dims.kind !== 'none'
        ? unsure('the order of the dims is not known')
        : fresh(A.layout.shape.slice(B.layout.shape.length)),
    samples: ['(2, 3, 6)  (2, 3)', '(6, 4, 2, 3, 4)  (6, 4)'],
  }),
  op('linalg.vander(x: Tensor, *, N: SymInt? = None) -> Tensor', {
    dtype: ({ x }) => accumulated(x.dtype),
    shape: ({ x: { layout }, N }) =>
      layout.front && layout.shape.length < 2 && N === null
        ? unsure('the size of the last dim is not known')
        : fresh([...layout.shape, N ?? layout.shape.at(-1) ?? ONE], layout.front),
    samples: ['(3,)', '(3,):uint8', '(2, 3)  N=5'],
  }),
  op(
    'torch.svd_lowrank(A: Tensor, q: SymInt? = 6, niter: any = 2, M: any = None) -> (U: Tensor, S: Tensor, V: Tensor)',
    {
      shape: lowRank,
      dtype: [ofA, realOfA, ofA],
      samples: ['(20, 8)', `${LU}  2`],
    },
  ),
  op(
    'torch.pca_lowrank(A: Tensor, q: SymInt? = None, center: any = True, niter: any = 2) -> (U: Tensor, S: Tensor, V: Tensor)',
    {
      shape: lowRank,
      dtype: [ofA, realOfA, ofA],
      samples: ['(5, 3)', '(5, 3)  2'],
    },
  ),
  op(
    'torch.lobpcg(A: Tensor, k: SymInt = 1, B: any = None, X: any = None, n: any = None, iK: any = None, niter: any = None, tol: any = None, largest: any = None, method: any = None, tracker: any = None, ortho_iparams: any = None, ortho_fparams: any = None, ortho_bparams: any = None) -> (eigenvalues: Tensor, eigenvectors: Tensor)',
    {
      shape: ({ A, k }) => {
        const of = matrix(A.layout);
        return isFault(of)
          ? of
          : all(fresh([...of.batch, k], A.layout.front), {
              ...fresh([...of.batch, of.rows, k], A.layout.front),
              stride: null,
            });
      },
      dtype: [realOfA, ofA],
      samples: [],
    },
  ),
  // Gone since 1.9: they only raise.
  ...(['eig', 'symeig', 'matrix_rank'] as const).map((name) =>
    op(
      `${name === 'matrix_rank' ? 'torch.matrix_rank' : name}(self: Tensor, eigenvectors: any = False, upper: any = True) -> any`,
      {
        value: (_, call) =>
          name === 'symeig' && !since(call, 2, 6)
            ? unsure('it gives other results on an older torch')
            : raises({ is: 'argument', name, got: 'a call', expects: 'the function of torch.linalg in its place' }),
        samples: ['(3, 3)  !'],
      },
    ),
  ),
  ...(['lstsq', 'solve'] as const).map((name) =>
    op(`${name}(self: Tensor, A: Tensor) -> any`, {
      value: () =>
        raises({ is: 'argument', name, got: 'a call', expects: 'the function of torch.linalg in its place' }),
      samples: ['(3, 3)  (3, 3)  !'],
    }),
  ),
  op('torch.nuclear_norm(self: Tensor, dim: int[2]? = None, keepdim: bool = False) -> Tensor', {
    // On 1.13 there was no batch of matrices unless the dims were named.
    raises: ({ self: { layout }, dim }, call) =>
      dim === null && layout.shape.length > 2 && !layout.front && !since(call, 2, 6)
        ? raises({ is: 'rank-differs', what: 'self', expected: '2', got: layout.shape.length })
        : null,
    shape: ({ self, dim, keepdim }) => matrixNorm(self.layout, dim ?? [-2, -1], keepdim),
    dtype: ({ self }) => dtypeOfKind('real', self.dtype),
    samples: ['(3, 4)', '(2, 5, 3)', '(2, 5, 3)  (1, 2)', '(2, 5, 3)  (1, 2)  True', '(3, 4):complex64', '(3,)  !'],
  }),
];
