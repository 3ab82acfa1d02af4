import { add, int, ONE, product, type SymInt, ZERO } from '../../symbols/index.ts';
import { type Layout, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, op } from '../op.ts';
import { promotedDType } from './joins.ts';

function rows(tensors: readonly Tensor[]): Result<Layout> {
  const sizes: SymInt[] = [];
  for (const { layout } of tensors) {
    if (layout.front) return unsure('the rank of a tensor is not known');
    sizes.push(layout.shape[0] ?? ONE);
  }
  return tensors.length === 1 ? fresh(sizes) : fresh([product(sizes), int(tensors.length)]);
}

export const grids: readonly Entry[] = [
  op('torch.cartesian_prod(*tensors: Tensor[]) -> Tensor', {
    shape: ({ tensors }) => rows(tensors),
    dtype: ({ tensors }) => promotedDType(tensors),
    samples: ['(2,)  (3,)'],
  }),
  op('torch.block_diag(*tensors: Tensor[]) -> Tensor', {
    shape: ({ tensors }) => {
      let [height, width]: [SymInt, SymInt] = [ZERO, ZERO];
      for (const { layout } of tensors) {
        if (layout.front) return unsure('the rank of a tensor is not known');
        const [rowsOf = ONE, columns = ONE] = layout.shape.length === 1 ? [ONE, layout.shape[0]] : layout.shape;
        height = add(height, rowsOf);
        width = add(width, columns);
      }
      return [height, width];
    },
    dtype: ({ tensors }) => promotedDType(tensors),
    samples: ['(2, 3)  (4, 1)'],
  }),
  op('torch.combinations(input: Tensor, r: int = 2, with_replacement: any = False) -> Tensor', {
    shape: ({ r }, { context }) => [context.fresh('combinations'), int(r)],
    samples: [],
  }),
  op('torch.vander(x: Tensor, N: any = None, increasing: any = False) -> Tensor', {
    shape: ({ x, N }) => {
      const size = x.layout.shape[0] ?? ONE;
      return [size, N.kind === 'int' ? N.value : size];
    },
    samples: ['(3,)'],
  }),
];
