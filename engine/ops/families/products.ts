import { ONE, type SymInt } from '../../symbols/index.ts';
import {
  broadcast,
  elementwise,
  expand,
  type Fault,
  isFault,
  type Layout,
  type Result,
  raises,
  type Tensor,
  unsqueeze,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { commonDType } from '../elementwise.ts';
import { einsum } from '../layouts/einsum.ts';
import { fresh as dense, unstrided } from '../layouts/format.ts';
import { agree, isEmpty } from '../layouts/inquiry.ts';
import { linear, matmul, matrixProduct, ofRank, oneDType } from '../layouts/product.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, fresh, op, viewOf } from '../op.ts';
import { like } from './linalg.ts';

/** An optional tensor that may also not be known, in which case it is taken to fit. */
export const tensorOrNull = (value: Value): Tensor | null => (value.kind === 'tensor' ? value : null);

/** `beta * input + product`: the input must broadcast to the product. */
function added(input: Tensor, product: Result<Layout>, call: Call): Result<Layout> {
  if (isFault(product) || input.layout.front || product.front) return product;
  const shape = broadcast([input.layout.shape, product.shape], call.ask, { demand: call.demand });
  if (isFault(shape)) return shape;
  if (shape.length > product.shape.length)
    return raises({
      is: 'rank-differs',
      what: 'input',
      expected: `at most ${product.shape.length}`,
      got: input.layout.shape.length,
    });
  return product;
}

function dotProduct(a: Layout, b: Layout, call: Call): Result<readonly SymInt[]> {
  const wrong = ofRank(a, 1, 'self') ?? ofRank(b, 1, 'tensor');
  if (wrong !== null) return wrong;
  return agree(a.shape[0] ?? ONE, b.shape[0] ?? ONE, 'dim 0 of tensor', call) ?? [];
}

function matrixVector(matrix: Layout, vector: Layout, call: Call): Result<Layout> {
  const wrong = ofRank(matrix, 2, 'self') ?? ofRank(vector, 1, 'vec');
  return wrong ?? matmul(matrix, vector, call);
}

/** `tensordot` is a matmul of reshaped operands: contiguous, the free dims of `a` before those of `b`. */
function tensordot(a: Layout, b: Layout, dims: readonly (readonly number[])[] | number, call: Call): Result<Layout> {
  if (a.front || b.front) return unsure('the rank of an operand of tensordot is not known');
  const ndim = a.shape.length;
  const count = typeof dims === 'number' ? dims : 0;
  const left = typeof dims === 'number' ? Array.from({ length: count }, (_, i) => ndim - count + i) : (dims[0] ?? []);
  const right = typeof dims === 'number' ? Array.from({ length: count }, (_, i) => i) : (dims[1] ?? []);
  if (left.length !== right.length)
    return raises({
      is: 'argument',
      name: 'dims',
      got: `${left.length} and ${right.length}`,
      expects: 'as many of both',
    });
  const wrap = (dim: number, layout: Layout) => (dim < 0 ? dim + layout.shape.length : dim);
  const l = left.map((dim) => wrap(dim, a));
  const r = right.map((dim) => wrap(dim, b));
  for (const [i, dim] of l.entries()) {
    const [size, other] = [a.shape[dim] ?? ONE, b.shape[r[i] ?? 0] ?? ONE];
    // A dim of size 1 on either side is summed over, whatever the other has.
    if (size.constant === 1 || other.constant === 1) continue;
    const differs = agree(size, other, `dim ${r[i]} of other`, call);
    if (differs !== null) return differs;
  }
  return dense([...a.shape.filter((_, d) => !l.includes(d)), ...b.shape.filter((_, d) => !r.includes(d))]);
}

function dimsOf(value: Value): readonly (readonly number[])[] | number | Fault {
  if (value.kind === 'int' && value.value.constant !== null) return value.value.constant;
  const lists: number[][] = [];
  if (value.kind !== 'tuple') return unsure('`dims` is not known');
  for (const part of value.items) {
    const items = part.kind === 'tuple' ? part.items : [part];
    const list: number[] = [];
    for (const item of items) {
      if (item.kind !== 'int' || item.value.constant === null) return unsure('`dims` is not known');
      list.push(item.value.constant);
    }
    lists.push(list);
  }
  return lists;
}

export const products: readonly Entry[] = [
  op('matmul(self: Tensor, other: Tensor) -> Tensor', {
    also: ['linalg.matmul', 'operator.matmul', 'Tensor.__matmul__'],
    // Without elements some of the kernels look at no dtype.
    raises: ({ self, other }, call) => {
      const differs = oneDType('other', self.dtype, other.dtype);
      const none = [...self.layout.shape, ...other.layout.shape].some((size) => isEmpty(size, call));
      if (differs === null || !none) return differs;
      const product = matmul(self.layout, other.layout, call);
      return isFault(product) ? product : unsure('nothing is multiplied');
    },
    shape: ({ self, other }, call) => matmul(self.layout, other.layout, call),
    out: 'unchecked',
    samples: [
      '(2, 3)  (3, 4)',
      '(2, 3, 4)  (4, 5)',
      '(2, 1, 3, 4)  (5, 4, 6)',
      '(3,)  (3,)',
      '(3,)  (2, 3, 4)',
      '(2, 3, 4)  (4,)',
      '(2, 3)  (2, 3)  !',
      '(2, 3)  (3, 4):float64  !',
    ],
  }),
  op('mm(self: Tensor, mat2: Tensor) -> Tensor', {
    ndim: { self: 2, mat2: 2 },
    raises: ({ self, mat2 }) => oneDType('mat2', self.dtype, mat2.dtype),
    shape: ({ self, mat2 }, call) => matrixProduct(self.layout, mat2.layout, 0, call),
    out: 'unchecked',
    samples: ['(2, 3)/(1, 2)  (3, 4)', '(2, 3)  (2, 3)  !', '(2, 3, 4)  (4, 5)  !'],
  }),
  op('bmm(self: Tensor, mat2: Tensor) -> Tensor', {
    ndim: { self: 3, mat2: 3 },
    // Without elements nothing is multiplied, and no dtype is looked at.
    raises: ({ self, mat2 }, call) =>
      [...self.layout.shape, ...mat2.layout.shape].some((size) => isEmpty(size, call))
        ? null
        : oneDType('mat2', self.dtype, mat2.dtype),
    shape: ({ self, mat2 }, call) => matrixProduct(self.layout, mat2.layout, 1, call),
    dtype: ({ mat2 }) => mat2.dtype,
    out: 'silent',
    samples: [
      '(2, 3, 4)  (2, 4, 5)',
      '(0, 3, 4):float64  (0, 4, 5)',
      '(2, 3, 4):float64  (2, 4, 5)  !',
      '(2, 3, 4)  (3, 4, 5)  !',
      '(2, 3, 4)  (2, 3, 4)  !',
    ],
  }),
  op('addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: any = 1, alpha: any = 1) -> Tensor', {
    ndim: { mat1: 2, mat2: 2 },
    raises: ({ mat1, mat2 }) => oneDType('mat2', mat1.dtype, mat2.dtype),
    shape: ({ self, mat1, mat2 }, call) => added(self, matrixProduct(mat1.layout, mat2.layout, 0, call), call),
    out: 'unchecked',
    samples: ['(4,)  (2, 3)  (3, 4)', '(2, 1)  (2, 3)  (3, 4)', '(5,)  (2, 3)  (3, 4)  !'],
  }),
  op('baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: any = 1, alpha: any = 1) -> Tensor', {
    ndim: { batch1: 3, batch2: 3 },
    raises: ({ batch1, batch2 }) => oneDType('batch2', batch1.dtype, batch2.dtype),
    shape: ({ self, batch1, batch2 }, call) => added(self, matrixProduct(batch1.layout, batch2.layout, 1, call), call),
    out: 'unchecked',
    samples: ['(2, 3, 5)  (2, 3, 4)  (2, 4, 5)', '(5,)  (2, 3, 4)  (2, 4, 5)'],
  }),
  op('addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: any = 1, alpha: any = 1) -> Tensor', {
    ndim: { batch1: 3, batch2: 3 },
    shape: ({ batch1, batch2 }, call) => {
      const product = matrixProduct(batch1.layout, batch2.layout, 1, call);
      return isFault(product) ? product : dense(product.shape.slice(1));
    },
    samples: ['(3, 5)  (2, 3, 4)  (2, 4, 5)'],
  }),
  op('mv(self: Tensor, vec: Tensor) -> Tensor', {
    ndim: { self: 2, vec: 1 },
    raises: ({ self, vec }) => oneDType('vec', self.dtype, vec.dtype),
    shape: ({ self, vec }, call) => matrixVector(self.layout, vec.layout, call),
    samples: ['(2, 3)  (3,)', '(2, 3)  (2,)  !'],
  }),
  op('addmv(self: Tensor, mat: Tensor, vec: Tensor, *, beta: any = 1, alpha: any = 1) -> Tensor', {
    ndim: { mat: 2, vec: 1 },
    shape: ({ mat, vec }, call) => matrixVector(mat.layout, vec.layout, call),
    samples: ['(2,)  (2, 3)  (3,)'],
  }),
  op('dot(self: Tensor, tensor: Tensor) -> Tensor', {
    also: ['vdot'],
    ndim: { self: 1, tensor: 1 },
    raises: ({ self, tensor }) => oneDType('tensor', self.dtype, tensor.dtype),
    shape: ({ self, tensor }, call) => dotProduct(self.layout, tensor.layout, call),
    samples: ['(3,)  (3,)', '(3,)  (4,)  !', '(2, 3)  (3,)  !'],
  }),
  op('outer(self: Tensor, vec2: Tensor) -> Tensor', {
    also: ['ger'],
    ndim: { self: 1, vec2: 1 },
    shape: ({ self, vec2 }) =>
      ofRank(self.layout, 1, 'self') ?? ofRank(vec2.layout, 1, 'vec2') ?? [...self.layout.shape, ...vec2.layout.shape],
    dtype: ({ self, vec2 }) => commonDType([self, vec2]),
    samples: ['(2,)  (3,)', '(2,):int64  (3,)', '(2, 3)  (3,)  !'],
  }),
  op('addr(self: Tensor, vec1: Tensor, vec2: Tensor, *, beta: any = 1, alpha: any = 1) -> Tensor', {
    shape: ({ self, vec1, vec2 }, { ask, demand }) => {
      const column = unsqueeze(vec1.layout, 1);
      const wide = expand(self.layout, [...vec1.layout.shape, ...vec2.layout.shape], ask, { demand });
      if (isFault(column)) return column;
      return isFault(wide) ? wide : elementwise([wide, column, vec2.layout], ask, { demand });
    },
    dtype: ({ self, vec1, vec2 }) => commonDType([self, vec1, vec2]),
    samples: ['(2, 3)  (2,)  (3,)', '(2, 3)  (2,)  (3,):float64'],
  }),
  op('inner(self: Tensor, other: Tensor) -> Tensor', {
    shape: ({ self, other }, call) =>
      self.layout.shape.length === 0 || other.layout.shape.length === 0
        ? [...self.layout.shape, ...other.layout.shape]
        : tensordot(self.layout, other.layout, [[-1], [-1]], call),
    samples: ['(3,)  (3,)', '(2, 3)  (4, 3)', '(2, 3)  (4,)  !'],
  }),
  op('torch.tensordot(a: Tensor, b: Tensor, dims: any = 2) -> Tensor', {
    shape: ({ a, b, dims }, call) => {
      const over = dimsOf(dims);
      return isFault(over) ? over : tensordot(a.layout, b.layout, over, call);
    },
    samples: [
      '(2, 3, 4)  (3, 4, 5)',
      '(2, 3)  (3, 4)  1',
      '(2, 3, 4)  (4, 2)  [[0, 2], [1, 0]]',
      '(2, 3)  (4, 5)  1  !',
      '(2, 3)  (1, 5)  1',
    ],
  }),
  op('torch.einsum(equation: str, *operands: Tensor[]) -> Tensor', {
    maybe: ({ equation, operands }, call) => {
      const [first] = operands;
      const made = einsum(
        equation,
        operands.map((operand) => operand.layout),
        call,
      );
      if (isFault(made)) return made;
      if (first === undefined) return unsure('einsum has no operands');
      // A sum over a dim of both is a bmm, which takes one dtype; all else multiplies, which promotes.
      return made.view ? viewOf(first, made.layout) : fresh(made.layout, commonDType(operands));
    },
    samples: [
      "'ij->ji'  {(2, 3)}",
      "'ii->i'  {(3, 3)}",
      "'ij->i'  {(2, 3)}",
      "'ij,jk->ik'  {(2, 3) (3, 4)}",
      "'bik,ji->bjk'  {(2, 4, 5) (3, 4)}",
      "'bthd,bshd->bhts'  {(2, 5, 4, 3) (2, 6, 4, 3)}",
      "'...d,de->...e'  {(2, 3, 4) (4, 5)}",
      "'i,j'  {(2,) (3,)}",
      "'i,j'  {(2,):float16 (3,)}",
      "'ij,jk'  {(2, 3) (4, 5)}  !",
    ],
  }),
  op('F.linear(input: Tensor, weight: Tensor, bias: any = None) -> Tensor', {
    ndim: { weight: 2 },
    raises: ({ input, weight, bias }) =>
      oneDType('weight', input.dtype, weight.dtype) ?? oneDType('bias', input.dtype, tensorOrNull(bias)?.dtype),
    shape: ({ input, weight, bias }, call) =>
      linear(input.layout, weight.layout, tensorOrNull(bias)?.layout ?? null, call),
    samples: [
      '(2, 3)  (4, 3)',
      '(2, 5, 3)/(1, 2, 10)  (4, 3)',
      '(3,)  (4, 3)',
      '(2, 3)  (4, 3)  (4,)',
      '(2, 3)  (3, 4)  !',
      '(2, 3):float64  (4, 3)  !',
    ],
  }),
  op('F.bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: any = None) -> Tensor', {
    ndim: { weight: 3 },
    shape: ({ input1, input2, weight }, call) => {
      const [out = ONE, first = ONE, second = ONE] = weight.layout.shape;
      const differs =
        agree(input1.layout.shape.at(-1) ?? ONE, first, 'the last dim of input1', call) ??
        agree(input2.layout.shape.at(-1) ?? ONE, second, 'the last dim of input2', call);
      return differs ?? dense([...input1.layout.shape.slice(0, -1), out], input1.layout.front);
    },
    samples: ['(2, 3)  (2, 4)  (5, 3, 4)', '(2, 3)  (2, 4)  (5, 4, 3)  !'],
  }),
  op('matrix_power(self: Tensor, n: any) -> Tensor', {
    also: ['linalg.matrix_power'],
    // The inverse is column-major, and is its own first power.
    shape: ({ self, n }) => {
      const power = n.kind === 'int' ? n.value.constant : null;
      if (power === -1) return like(self);
      return power === null ? unstrided(self.layout.shape, self.layout.front) : denseLike(self.layout);
    },
    samples: ['(3, 3)  2', '(3, 3)/(1, 3)  1'],
  }),
  op('torch.chain_matmul(*matrices: Tensor[]) -> Tensor', {
    shape: ({ matrices }, call) => {
      let product: Result<Layout> = matrices[0]?.layout ?? unsure('no matrices are given');
      for (const matrix of matrices.slice(1)) {
        if (isFault(product)) return product;
        product = matrixProduct(product, matrix.layout, 0, call);
      }
      return product;
    },
    samples: ['(2, 3)  (3, 4)  (4, 5)'],
  }),
  op('linalg.multi_dot(tensors: Tensor[]) -> Tensor', {
    shape: ({ tensors }, call) => {
      let product: Result<Layout> = tensors[0]?.layout ?? unsure('no matrices are given');
      for (const matrix of tensors.slice(1)) {
        if (isFault(product)) return product;
        product = matmul(product, matrix.layout, call);
      }
      return product;
    },
    samples: ['{(2, 3) (3, 4) (4, 5)}'],
  }),
];
