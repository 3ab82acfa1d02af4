import { add, int, type SymInt } from '../../symbols/index.ts';
import { type Layout, numel, type Result, raises, unsure } from '../../tensor/index.ts';
import { fresh } from '../layouts/format.ts';
import { type Entry, op } from '../op.ts';

/** A square of zeros around a diagonal, in two new dims. */
function embedded(layout: Layout, offset: number, dim1: number, dim2: number): Result<Layout> {
  if (layout.front) return unsure('the rank of the input is not known');
  const rank = layout.shape.length + 1;
  const [first, second] = [dim1, dim2].map((dim) => (dim < 0 ? dim + rank : dim));
  const wrong = [first, second].find((dim) => dim === undefined || dim < 0 || dim >= rank);
  if (wrong !== undefined || first === undefined || second === undefined)
    return raises({ is: 'dim-out-of-range', dim: wrong ?? dim1, ndim: rank });
  if (first === second)
    return raises({ is: 'argument', name: 'dim2', got: `${dim2}`, expects: 'another dim than dim1' });
  const side = add(layout.shape.at(-1) ?? int(1), int(Math.abs(offset)));
  const shape: SymInt[] = [];
  const rest = layout.shape.slice(0, -1);
  let next = 0;
  for (let d = 0; d < rank; d++) shape.push(d === first || d === second ? side : (rest[next++] ?? side));
  return fresh(shape);
}

export const diagonals: readonly Entry[] = [
  op('diag_embed(self: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor', {
    shape: ({ self, offset, dim1, dim2 }) => embedded(self.layout, offset, dim1, dim2),
    samples: ['(2, 3)', '(2, 3)  1', '(2, 3)  0  0  2', '(2, 3)  -1  1  0', '(2, 3)  0  0  0  !', '(2, 3)  0  3  0  !'],
  }),
  op('diagflat(self: Tensor, offset: int = 0) -> Tensor', {
    shape: ({ self, offset }) => {
      const side = add(numel(self.layout), int(Math.abs(offset)));
      return [side, side];
    },
    samples: ['(3, 4)/(1, 3)', '(3,)  1'],
  }),
];
