import { ONE, type SymInt } from '../../symbols/index.ts';
import { type DType, type Layout, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { fresh, unstrided } from '../layouts/format.ts';
import { matrixProduct } from '../layouts/product.ts';
import { type Entry, op } from '../op.ts';

interface Groups {
  readonly mat_a: Tensor;
  readonly mat_b: Tensor;
  readonly offs: Tensor | null;
}

/** Groups stand in a dim of their own, or one after another in rows that `offs` ends. Rows are padded to 16 bytes. */
function grouped({ mat_a, mat_b, offs }: Groups): Result<Layout> {
  const [a, b] = [mat_a.layout, mat_b.layout];
  if (a.front || b.front) return unsure('the rank of an operand is not known');
  const [rows, columns] = [a.shape.at(-2) ?? ONE, b.shape.at(-1) ?? ONE];
  const shape: SymInt[] = [];
  if (a.shape.length === 3 && b.shape.length === 3) shape.push(a.shape[0] ?? ONE);
  if (a.shape.length === 2 && b.shape.length === 2) shape.push(offs?.layout.shape[0] ?? ONE);
  return unstrided([...shape, rows, columns]);
}

function scaled(left: Layout, right: Layout, call: Call): Result<Layout> {
  const product = matrixProduct(left, right, 0, call);
  return 'shape' in product ? fresh(product.shape) : product;
}

const given = (dtype: DType | { readonly kind: 'unknown' } | null, otherwise: DType | null): DType | null =>
  dtype === null ? otherwise : typeof dtype === 'string' ? dtype : null;

/** Matrix products of several groups at once, and of low precision with scales. */
export const groupedProducts: readonly Entry[] = [
  ...(['F.grouped_mm', 'torch._grouped_mm'] as const).map((name) =>
    op(
      `${name}(mat_a: Tensor, mat_b: Tensor, offs: Tensor? = None, bias: any = None, out_dtype: ScalarType? = None) -> Tensor`,
      { shape: grouped, dtype: ({ mat_a, out_dtype }) => given(out_dtype, mat_a.dtype), samples: [] },
    ),
  ),
  op(
    'torch._scaled_mm(mat_a: Tensor, mat_b: Tensor, scale_a: any, scale_b: any, bias: any = None, scale_result: any = None, out_dtype: ScalarType? = None, use_fast_accum: any = False) -> Tensor',
    {
      shape: ({ mat_a, mat_b }, call) => scaled(mat_a.layout, mat_b.layout, call),
      dtype: ({ mat_a, out_dtype }) => given(out_dtype, mat_a.dtype),
      samples: [],
    },
  ),
  op(
    'F.scaled_mm(mat_a: Tensor, mat_b: Tensor, scale_a: any, scale_recipe_a: any, scale_b: any, scale_recipe_b: any, swizzle_a: any = None, swizzle_b: any = None, bias: any = None, output_dtype: ScalarType? = torch.bfloat16, contraction_dim: any = None, use_fast_accum: any = False) -> Tensor',
    {
      shape: ({ mat_a, mat_b }, call) => scaled(mat_a.layout, mat_b.layout, call),
      dtype: ({ mat_a, output_dtype }) => given(output_dtype, mat_a.dtype),
      samples: [],
    },
  ),
];
