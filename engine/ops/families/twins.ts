import {
  chain,
  type Fault,
  isFault,
  isIntegralOrBool,
  type Layout,
  type Result,
  raises,
  unsure,
  wrapDim,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { dtypeOfKind, freshElementwise, writeElementwise } from '../elementwise.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { matmul, matrixProduct, ofRank } from '../layouts/product.ts';
import { type Entry, op, same } from '../op.ts';
import { cannotCast, one, possible, writeAll } from '../writing.ts';

const PRODUCTS = {
  addmm_: ['(2, 4)  (2, 3)  (3, 4)', '(4,)  (2, 3)  (3, 4)  !', '(2, 4)/(0, 1)  (2, 3)  (3, 4)  !'],
  baddbmm_: ['(2, 2, 4)  (2, 2, 3)  (2, 3, 4)', '(2, 2, 4)/(0, 0, 1)  (2, 2, 3)  (2, 3, 4)'],
  addbmm_: ['(2, 4)  (5, 2, 3)  (5, 3, 4)'],
  addmv_: ['(2,)  (2, 3)  (3,)', '(2,)/(0,)  (2, 3)  (3,)'],
  addr_: ['(2, 3)  (2,)  (3,)', '(1, 3)  (2,)  (3,)  !'],
};

type Product = keyof typeof PRODUCTS;

function productOf(name: Product, left: Layout, right: Layout, call: Call): Result<Layout> {
  switch (name) {
    case 'addmm_':
      return matrixProduct(left, right, 0, call);
    case 'baddbmm_':
      return matrixProduct(left, right, 1, call);
    case 'addbmm_':
      return chain(matrixProduct(left, right, 1, call), ({ shape, front }) => fresh(shape.slice(1), front));
    case 'addmv_':
      return ofRank(left, 2, 'mat') ?? ofRank(right, 1, 'vec') ?? matmul(left, right, call);
    case 'addr_':
      return ofRank(left, 1, 'vec1') ?? ofRank(right, 1, 'vec2') ?? fresh([...left.shape, ...right.shape]);
  }
}

/** The target has the sizes of the product; only `addbmm_` resizes one that has not. */
function notOfProduct(name: Product, self: Layout, left: Layout, right: Layout, call: Call): Fault | null {
  if (self.front || left.front || right.front) return null;
  const product = productOf(name, left, right, call);
  if (isFault(product)) return product;
  const differs =
    ofRank(self, product.shape.length, 'self') ??
    product.shape
      .map((size, d) => agree(self.shape[d] ?? size, size, `dim ${d} of self`, call))
      .find((wrong) => wrong) ??
    null;
  return differs !== null && name === 'addbmm_' ? unsure('it may be resized') : differs;
}

/** In-place twins of ops that are not elementwise: the target must not overlap itself, and inputs may overlap it. */
export const twins: readonly Entry[] = [
  ...(['cumsum_', 'cumprod_'] as const).map((name) =>
    op(`Tensor.${name}(self: Tensor, dim: int, *, dtype: any = None) -> Tensor`, {
      maybe: ({ self, dim }) => chain(wrapDim(self.layout, dim), () => same(self)),
      writes: ({ self }, call) => one(writeAll(self, {}, 'unchecked', call)),
      samples: ['(2, 3)  1', '(2, 3)/(0, 1)  0  !', '(2, 3)  2  !'],
    }),
  ),
  ...(['addmm_', 'baddbmm_', 'addbmm_', 'addmv_', 'addr_'] as const).map((name) =>
    op(`Tensor.${name}(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: any = 1, alpha: any = 1) -> Tensor`, {
      raises: ({ self, batch1, batch2 }, call) => notOfProduct(name, self.layout, batch1.layout, batch2.layout, call),
      maybe: ({ self }) => same(self),
      // Small batches, and vectors, are multiplied by loops that look at no overlap.
      writes: ({ self }, call) =>
        one(writeAll(self, {}, name === 'baddbmm_' || name === 'addmv_' ? 'silent' : 'unchecked', call)),
      samples: PRODUCTS[name],
    }),
  ),
  op('nan_to_num_(self: Tensor, nan: any = None, posinf: any = None, neginf: any = None) -> Tensor', {
    maybe: ({ self }) => same(self),
    // Integers are numbers already, and nothing is looked at.
    writes: ({ self }, call) => {
      if (self.dtype === null) return possible(writeAll(self, {}, 'elementwise', call));
      return isIntegralOrBool(self.dtype) ? [] : writeElementwise(self, {}, 'same', call);
    },
    samples: ['(2, 3)', '(2, 3)/(0, 1)  !', '(2, 3)/(0, 1):int64'],
  }),
  op('Tensor.deg2rad_(self: Tensor) -> Tensor', {
    also: ['Tensor.rad2deg_'],
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => writeElementwise(self, {}, 'float', call),
    samples: ['(2, 3)', '(2, 3):int64  !'],
  }),
  op('Tensor.float_power_(self: Tensor, exponent: Tensor | Scalar) -> Tensor', {
    raises: ({ self }) =>
      self.dtype === null || self.dtype === 'float64' || self.dtype === 'complex128'
        ? null
        : raises({ is: 'dtype-differs', what: 'self', left: self.dtype, right: 'float64' }),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => one(writeAll(self, {}, 'unchecked', call)),
    samples: ['(2, 3):float64  2', '(2, 3)  2  !'],
  }),
  op('torch.polygamma(n: int, self: Tensor) -> Tensor', {
    also: ['special.polygamma'],
    maybe: ({ self }, call) => freshElementwise([self], 'float', call),
    samples: ['1  (5, 1, 2)/(2, 12, 1)'],
  }),
  op('Tensor.polygamma(self: Tensor, n: int) -> Tensor', {
    maybe: ({ self }, call) => freshElementwise([self], 'float', call),
    samples: ['(2, 3)  1'],
  }),
  op('Tensor.polygamma_(self: Tensor, n: int) -> Tensor', {
    raises: ({ self }) => cannotCast(dtypeOfKind('float', self.dtype), self.dtype),
    maybe: ({ self }) => same(self),
    writes: ({ self }, call) => writeElementwise(self, {}, 'float', call),
    samples: ['(2, 3)  1', '(2, 3)/(0, 1)  1  !'],
  }),
];
