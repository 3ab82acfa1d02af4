import { ONE } from '../../symbols/index.ts';
import {
  type DType,
  isFault,
  type Layout,
  ndim,
  promote,
  type Result,
  type Tensor,
  unsqueeze,
  unsure,
  view,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { cat, stack } from '../layouts/concatenation.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, op } from '../op.ts';

const layouts = (tensors: readonly Tensor[]): readonly Layout[] => tensors.map(({ layout }) => layout);

/** Joins promote like tensors with dims, whatever their rank. */
export function promotedDType(tensors: readonly Tensor[]): DType | null {
  let dtype: DType | null | undefined;
  for (const tensor of tensors) {
    if (tensor.dtype === null) return null;
    dtype = dtype === undefined || dtype === null ? tensor.dtype : promote(dtype, tensor.dtype);
  }
  return dtype ?? null;
}

const joined = ({ tensors }: { readonly tensors: readonly Tensor[] }) => promotedDType(tensors);

/** `atleast_kd`: views that widen the rank as each of them says. */
function widened(layout: Layout, rank: 1 | 2 | 3, { ask }: Call): Result<Layout> {
  if (layout.front) return unsure('the rank of an input is not known');
  if (layout.shape.length === 0)
    return view(
      layout,
      Array.from({ length: rank }, () => ONE),
      ask,
    );
  if (layout.shape.length === 1 && rank === 2) return unsqueeze(layout, 0);
  if (layout.shape.length === 1 && rank === 3) {
    const row = unsqueeze(layout, 0);
    return isFault(row) ? row : unsqueeze(row, 2);
  }
  if (layout.shape.length === 2 && rank === 3) return unsqueeze(layout, 2);
  return layout;
}

function joinedAt(tensors: readonly Tensor[], rank: 1 | 2 | 3, dim: number, call: Call): Result<Layout> {
  const wide: Layout[] = [];
  for (const layout of layouts(tensors)) {
    const widening = widened(layout, rank, call);
    if (isFault(widening)) return widening;
    wide.push(widening);
  }
  return cat(wide, dim, call);
}

export const joins: readonly Entry[] = [
  op('torch.cat(tensors: Tensor[], dim: int = 0) -> Tensor', {
    also: ['torch.concat', 'torch.concatenate'],
    shape: ({ tensors, dim }, call) => cat(layouts(tensors), dim, call),
    dtype: joined,
    out: 'apart',
    samples: [
      '{(2, 3) (2, 3)}  1',
      '{(2, 3) (4, 3):float64}',
      '{(2, 3) (0,)}',
      '{(2, 3, 4, 5)/(60, 1, 15, 3) (2, 3, 4, 5)/(60, 1, 15, 3)}  1',
      '{(2, 3) (2, 4)}  !',
      '{(2, 3) (2,)}  !',
      '{(2, 3)}  2  !',
    ],
  }),
  op('torch.stack(tensors: Tensor[], dim: int = 0) -> Tensor', {
    shape: ({ tensors, dim }, call) => stack(layouts(tensors), dim, call),
    dtype: joined,
    out: 'apart',
    samples: [
      '{(2, 3) (2, 3)}',
      '{(2, 3)/(1, 2) (2, 3)}  -1',
      '{(3, 4, 5)/(1, 15, 3) (3, 4, 5)/(1, 15, 3)}  1',
      '{(2, 3) (3, 2)}  !',
    ],
  }),
  op('torch.hstack(tensors: Tensor[]) -> Tensor', {
    shape: ({ tensors }, call) => {
      const [first] = tensors;
      return joinedAt(tensors, 1, first !== undefined && ndim(first.layout) <= 1 ? 0 : 1, call);
    },
    dtype: joined,
    samples: ['{(2,) (3,)}', '{(2, 3) (2, 4)}'],
  }),
  op('torch.vstack(tensors: Tensor[]) -> Tensor', {
    also: ['torch.row_stack'],
    shape: ({ tensors }, call) => joinedAt(tensors, 2, 0, call),
    dtype: joined,
    samples: ['{(2,) (2,)}', '{(2, 3) (4, 3)}'],
  }),
  op('torch.dstack(tensors: Tensor[]) -> Tensor', {
    shape: ({ tensors }, call) => joinedAt(tensors, 3, 2, call),
    dtype: joined,
    samples: ['{(2,) (2,)}', '{(2, 3) (2, 3)}'],
  }),
  op('torch.column_stack(tensors: Tensor[]) -> Tensor', {
    shape: ({ tensors }, call) => {
      const columns: Layout[] = [];
      for (const layout of layouts(tensors)) {
        if (layout.front) return unsure('the rank of an input is not known');
        const [size = ONE] = layout.shape;
        const column = layout.shape.length > 1 ? layout : view(layout, [size, ONE], call.ask);
        columns.push(isFault(column) ? fresh([size, ONE]) : column);
      }
      return cat(columns, 1, call);
    },
    dtype: joined,
    samples: ['{(2,) (2, 3)}'],
  }),
];
