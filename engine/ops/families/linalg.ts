import { minimum, ONE, type SymInt, type Truth } from '../../symbols/index.ts';
import {
  broadcast,
  broadcastLayouts,
  chain,
  complexOf,
  type DType,
  type Fault,
  isComplex,
  isFault,
  isIntegralOrBool,
  type Layout,
  type Result,
  raises,
  realOf,
  type Tensor,
  transpose,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { fresh, unstrided } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { oneDType } from '../layouts/product.ts';
import { denseLike, reduced } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';
import { accumulated } from './reductions.ts';

/** LAPACK's results are column-major in the last two dims. */
export function columnMajor(shape: readonly SymInt[], front = false): Result<Layout> {
  const swapped = [...shape.slice(0, -2), ...shape.slice(-2).reverse()];
  return transpose(fresh(swapped, front), -2, -1);
}

export interface Matrix {
  readonly batch: readonly SymInt[];
  readonly rows: SymInt;
  readonly columns: SymInt;
}

export function matrix(layout: Layout): Result<Matrix> {
  const known = layout.front ? layout.shape.length - 1 : layout.shape.length;
  if (known < 2)
    return layout.front
      ? unsure('the rank of the matrix is not known')
      : raises({ is: 'rank-differs', what: 'A', expected: '2 or more', got: known });
  const [rows = ONE, columns = ONE] = layout.shape.slice(-2);
  return { batch: layout.shape.slice(0, -2), rows, columns };
}

export function square(self: Tensor, call: Call): Fault | null {
  const wrong = notFloat(self);
  if (wrong !== null) return wrong;
  const of = matrix(self.layout);
  if (isFault(of)) return of.fault === 'raises' ? of : null;
  return agree(of.rows, of.columns, 'the last dim of A', call);
}

export const notFloat = ({ dtype }: Tensor): Fault | null =>
  dtype !== null && isIntegralOrBool(dtype)
    ? raises({ is: 'argument', name: 'A', got: dtype, expects: 'a floating point or complex dtype' })
    : null;

export const like = ({ layout }: Tensor): Result<Layout> => {
  const of = matrix(layout);
  return isFault(of) ? of : columnMajor(layout.shape, layout.front);
};

/** Several matrices or vectors of one batch. */
export function all(...layouts: readonly Result<Layout>[]): Result<readonly Layout[]> {
  const made: Layout[] = [];
  for (const layout of layouts) {
    if (isFault(layout)) return layout;
    made.push(layout);
  }
  return made;
}

const complex = (dtype: DType | null) => (dtype === null || isComplex(dtype) ? dtype : complexOf(dtype));
const real = (dtype: DType | null) => (dtype !== null && isComplex(dtype) ? realOf(dtype) : dtype);
export const ofA = ({ A }: { A: Tensor }) => A.dtype;
export const realOfA = ({ A }: { A: Tensor }) => real(A.dtype);
const complexOfA = ({ A }: { A: Tensor }) => complex(A.dtype);

function singular(layout: Layout, full: boolean, mode: 'Vh' | 'V'): Result<readonly Layout[]> {
  const of = matrix(layout);
  if (isFault(of)) return of;
  const { batch, rows, columns } = of;
  const rank = minimum(rows, columns);
  const left = columnMajor([...batch, rows, full ? rows : rank], layout.front);
  const right = columnMajor([...batch, full ? columns : rank, columns], layout.front);
  const turned = isFault(right) || mode === 'Vh' ? right : transpose(right, -2, -1);
  return all(left, fresh([...batch, rank], layout.front), turned);
}

function orthogonal(layout: Layout, complete: boolean): Result<readonly Layout[]> {
  const of = matrix(layout);
  if (isFault(of)) return of;
  const { batch, rows, columns } = of;
  const inner = complete ? rows : minimum(rows, columns);
  return all(columnMajor([...batch, rows, inner], layout.front), columnMajor([...batch, inner, columns], layout.front));
}

function eigen(layout: Layout): Result<readonly Layout[]> {
  const of = matrix(layout);
  return isFault(of)
    ? of
    : all(fresh(layout.shape.slice(0, -1), layout.front), columnMajor(layout.shape, layout.front));
}

/** A vector, or a batch of vectors for a batch of matrices (`linalg_solve_is_vector_rhs`), on the right side. */
export function solved(A: Layout, B: Layout, call: Call): Result<Layout> {
  const of = matrix(A);
  if (isFault(of)) return of;
  if (A.front || B.front) return unsure('the rank of an operand is not known');
  const vector = isVector(A, B, call);
  if (vector === undefined) return unsure('the right side may be vectors or matrices');
  if (!vector) return solvedMatrix(A, B, call);
  const rows = B.shape.at(-1) ?? ONE;
  const differs = agree(of.columns, rows, 'the rows of B', call);
  if (differs !== null) return differs;
  const shape = [...of.batch, rows];
  if (of.batch.length === 0) return fresh(shape);
  // One column, squeezed away: the stride of the rows is 1 and the batch is dense before it, but the first batch dim
  // comes out innermost where PyTorch solves for the transposed system.
  return of.batch.length === 1 ? transpose(fresh([...shape].reverse()), 0, 1) : { ...fresh(shape), stride: null };
}

function isVector(A: Layout, B: Layout, { ask }: Call): Truth {
  if (B.shape.length === 1) return true;
  if (B.shape.length !== A.shape.length - 1) return false;
  const alike = B.shape.map((size, d) => ask.equal(size, A.shape[d] ?? ONE));
  return alike.includes(false) ? false : alike.includes(undefined) ? undefined : true;
}

/** Matrices on the right side, whose batch dims are broadcast. */
export function solvedMatrix(A: Layout, B: Layout, call: Call): Result<Layout> {
  if (A.front || B.front) return unsure('the rank of an operand is not known');
  return chain(matrix(A), ({ batch, columns }) =>
    chain(matrix(B), (right) => {
      const differs = agree(columns, right.rows, 'the rows of B', call);
      if (differs !== null) return differs;
      return chain(broadcast([batch, right.batch], call.ask, { demand: call.demand }), (shared) =>
        columnMajor([...shared, right.rows, right.columns]),
      );
    }),
  );
}

/** `left=False`: matrices that the others multiply from the right. */
export function solvedLeft(A: Layout, B: Layout, call: Call): Result<Layout> {
  if (A.front || B.front) return unsure('the rank of an operand is not known');
  return chain(matrix(A), ({ batch }) =>
    chain(matrix(B), (right) =>
      chain(broadcast([batch, right.batch], call.ask, { demand: call.demand }), (shared) =>
        unstrided([...shared, right.rows, right.columns]),
      ),
    ),
  );
}

const minor = ({ A }: { A: Tensor }): Result<Layout> => {
  const of = matrix(A.layout);
  return isFault(of) ? of : fresh(of.batch, A.layout.front);
};

const BATCH = '(2, 3, 3)';

/** Matrices of as many rows as there were columns, one after the other. */
const turnedSizes = (layout: Layout): Result<Layout> =>
  chain(matrix(layout), ({ batch, rows, columns }) => fresh([...batch, columns, rows], layout.front));

export const linalg: readonly Entry[] = [
  op('inverse(A: Tensor) -> Tensor', {
    also: ['linalg.inv'],
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => like(A),
    samples: [BATCH, '(3, 3)', '(2, 3)  !', '(3, 3):int64  !'],
  }),
  op('linalg.cholesky(A: Tensor, *, upper: any = False) -> Tensor', {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => like(A),
    samples: ['[[2, 1], [1, 2]]:float32', '(2, 3)  !'],
  }),
  op('cholesky(A: Tensor, upper: any = False) -> Tensor', {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => like(A),
    samples: ['[[2, 1], [1, 2]]:float32', '(2, 3)  !'],
  }),
  op('linalg.solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor', {
    raises: ({ A, B }, call) => oneDType('B', A.dtype, B.dtype) ?? square(A, call),
    shape: ({ A, B, left }, call) => (left ? solved(A.layout, B.layout, call) : solvedLeft(A.layout, B.layout, call)),
    samples: [
      `${BATCH}  (2, 3, 4)`,
      `${BATCH}  (2, 3)`,
      `${BATCH}  (3,)`,
      `${BATCH}  (3, 4)`,
      '(3, 3)  (2, 3, 4)',
      '(3, 3)  (3,)',
      '(3, 3)  (2, 4)  !',
    ],
  }),
  op(
    'linalg.solve_triangular(A: Tensor, B: Tensor, *, upper: any, left: any = True, unitriangular: any = False) -> Tensor',
    {
      raises: ({ A }, call) => square(A, call),
      shape: ({ A, B }, call) => {
        if (A.layout.front || B.layout.front) return unsure('the rank of an operand is not known');
        const batches = [A, B].map(({ layout }) => layout.shape.slice(0, -2));
        return chain(broadcast(batches, call.ask, { demand: call.demand }), (batch) =>
          columnMajor([...batch, ...B.layout.shape.slice(-2)]),
        );
      },
      samples: [`${BATCH}  (2, 3, 4)  upper=True`, `${BATCH}  (1, 3, 4)  upper=True`],
    },
  ),
  op('cholesky_solve(B: Tensor, L: Tensor, upper: any = False) -> Tensor', {
    shape: ({ B }) => columnMajor(B.layout.shape, B.layout.front),
    samples: [`(2, 3, 4)  ${BATCH}`],
  }),
  op('cholesky_inverse(L: Tensor, upper: any = False) -> Tensor', {
    shape: ({ L }) => like(L),
    samples: ['[[2, 0], [1, 2]]:float32', BATCH],
  }),
  op("linalg.qr(A: Tensor, mode: str = 'reduced') -> (Q: Tensor, R: Tensor)", {
    raises: ({ A }) => notFloat(A),
    shape: ({ A, mode }) => (mode === 'r' ? unsure("mode='r'") : orthogonal(A.layout, mode === 'complete')),
    dtype: [ofA, ofA],
    samples: ['(2, 5, 3)', "(5, 3)  'complete'", '(3, 5)'],
  }),
  op('qr(A: Tensor, some: bool = True) -> (Q: Tensor, R: Tensor)', {
    shape: ({ A, some }) => orthogonal(A.layout, !some),
    dtype: [ofA, ofA],
    samples: ['(5, 3)'],
  }),
  op('linalg.svd(A: Tensor, full_matrices: bool = True, *, driver: any = None) -> (U: Tensor, S: Tensor, Vh: Tensor)', {
    raises: ({ A }) => notFloat(A),
    shape: ({ A, full_matrices }) => singular(A.layout, full_matrices, 'Vh'),
    dtype: [ofA, realOfA, ofA],
    samples: ['(2, 5, 3)', '(5, 3)  False'],
  }),
  op('svd(A: Tensor, some: bool = True, compute_uv: any = True) -> (U: Tensor, S: Tensor, V: Tensor)', {
    shape: ({ A, some }) => singular(A.layout, !some, 'V'),
    dtype: [ofA, realOfA, ofA],
    samples: ['(5, 3)'],
  }),
  op("linalg.eigh(A: Tensor, UPLO: any = 'L') -> (eigenvalues: Tensor, eigenvectors: Tensor)", {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => eigen(A.layout),
    dtype: [realOfA, ofA],
    samples: [BATCH],
  }),
  op('linalg.eig(A: Tensor) -> (eigenvalues: Tensor, eigenvectors: Tensor)', {
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => eigen(A.layout),
    dtype: [complexOfA, complexOfA],
    samples: [BATCH],
  }),
  ...(['linalg.eigvals', 'linalg.eigvalsh'] as const).map((name) =>
    op(`${name}(A: Tensor) -> Tensor`, {
      raises: ({ A }, call) => square(A, call),
      shape: ({ A }) => fresh(A.layout.shape.slice(0, -1), A.layout.front),
      dtype: ({ A }) => (name === 'linalg.eigvals' ? complex(A.dtype) : real(A.dtype)),
      samples: [BATCH],
    }),
  ),
  op('linalg.svdvals(A: Tensor) -> Tensor', {
    shape: ({ A }) => {
      const of = matrix(A.layout);
      return isFault(of) ? of : fresh([...of.batch, minimum(of.rows, of.columns)], A.layout.front);
    },
    dtype: realOfA,
    samples: ['(2, 5, 3)'],
  }),
  op('det(A: Tensor) -> Tensor', {
    also: ['linalg.det'],
    raises: ({ A }, call) => square(A, call),
    shape: minor,
    samples: [BATCH, '(2, 3)  !'],
  }),
  op('logdet(A: Tensor) -> Tensor', { raises: ({ A }, call) => square(A, call), shape: minor, samples: [BATCH] }),
  op('slogdet(A: Tensor) -> (sign: Tensor, logabsdet: Tensor)', {
    also: ['linalg.slogdet'],
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => all(minor({ A }), minor({ A })),
    dtype: [ofA, realOfA],
    samples: [BATCH],
  }),
  // Two entries, as autocast casts for the one alone.
  op('pinverse(self: Tensor, rcond: any = 1e-15) -> Tensor', {
    shape: ({ self }) => turnedSizes(self.layout),
    samples: ['(2, 5, 3)', '(3,)  !'],
  }),
  op(
    'linalg.pinv(A: Tensor, rcond: any = None, hermitian: any = False, *, atol: any = None, rtol: any = None) -> Tensor',
    {
      shape: ({ A }) => turnedSizes(A.layout),
      samples: ['(2, 5, 3)', '(3, 3)  hermitian=True', '(5, 3)/(1, 5)  atol=0.1', '(3,)  !'],
    },
  ),
  op('linalg.vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor', {
    shape: ({ x, y, dim }, { ask, demand }) =>
      chain(broadcastLayouts([x.layout, y.layout], ask, { demand }), ({ shape, front }) =>
        reduced(fresh(shape, front), [dim], false),
      ),
    samples: ['(2, 3, 4)/(1, 8, 2)  (3, 4)', '(3, 4)  (3, 4)  dim=0', '(3, 4)  (3, 5)  !'],
  }),
  op('matrix_exp(A: Tensor) -> Tensor', {
    also: ['linalg.matrix_exp'],
    raises: ({ A }, call) => square(A, call),
    shape: ({ A }) => denseLike(A.layout),
    samples: [BATCH],
  }),
  op('linalg.matrix_rank(A: Tensor) -> Tensor', { shape: minor, dtype: 'int64', samples: [BATCH] }),
  op('linalg.cond(A: Tensor, p: any = None) -> Tensor', { shape: minor, dtype: realOfA, samples: [BATCH] }),
  op('trace(self: Tensor) -> Tensor', {
    ndim: { self: 2 },
    shape: ({ self }) =>
      self.layout.front || self.layout.shape.length === 2
        ? []
        : raises({ is: 'rank-differs', what: 'self', expected: '2', got: self.layout.shape.length }),
    dtype: ({ self }) => accumulated(self.dtype),
    samples: ['(3, 4)', '(3, 4):int32', '(3,)  !'],
  }),
];
