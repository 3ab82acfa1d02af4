import { add, int, ONE, product, type SymInt, ZERO } from '../../symbols/index.ts';
import { type Result, type Tensor, unsure } from '../../tensor/index.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, fresh as made, op, same } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { promotedDType } from './joins.ts';
import { accumulated } from './reductions.ts';

/** One tensor comes back as it is. */
function rows(tensors: readonly Tensor[]): Result<OpResult> {
  const [only] = tensors;
  if (only !== undefined && tensors.length === 1) return same(only);
  const sizes: SymInt[] = [];
  for (const { layout } of tensors) {
    if (layout.front) return unsure('the rank of a tensor is not known');
    sizes.push(layout.shape[0] ?? ONE);
  }
  return made(fresh([product(sizes), int(tensors.length)]), promotedDType(tensors));
}

export const grids: readonly Entry[] = [
  op('torch.cartesian_prod(*tensors: Tensor[]) -> Tensor', {
    maybe: ({ tensors }) => rows(tensors),
    samples: ['(2,)  (3,)', '(3,)/(2,)'],
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
    ndim: { x: 1 },
    shape: ({ x, N }) => {
      const size = x.layout.shape[0] ?? ONE;
      return [size, N.kind === 'int' ? N.value : size];
    },
    dtype: ({ x }) => accumulated(x.dtype),
    samples: ['(3,)', '(3,):int32'],
  }),
];
