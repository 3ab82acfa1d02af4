import { add, int, mul, ONE, type SymInt } from '../../symbols/index.ts';
import {
  broadcastLayouts,
  chain,
  diagonal,
  elementwise,
  type Fault,
  type Layout,
  type Result,
  raises,
  type Tensor,
  unsure,
  view,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { commonDType } from '../elementwise.ts';
import { fresh as dense } from '../layouts/format.ts';
import { type Entry, op } from '../op.ts';
import { promotedDType } from './joins.ts';

/** Matrices made of vectors, and products that are none of matrices. */
export const planes: readonly Entry[] = [
  op('diag(self: Tensor, diagonal: int = 0) -> Tensor', {
    shape: ({ self, diagonal: offset }, { ask }) => {
      const { layout } = self;
      if (layout.front) return unsure('the rank of the input is not known');
      const [size = ONE] = layout.shape;
      if (layout.shape.length === 1) {
        const side = add(size, int(Math.abs(offset)));
        return [side, side];
      }
      if (layout.shape.length !== 2)
        return raises({ is: 'rank-differs', what: 'self', expected: '1 or 2', got: layout.shape.length });
      return chain(diagonal(layout, int(offset), 0, 1, ask), ({ shape }) => shape);
    },
    out: 'unchecked',
    samples: ['(3,)', '(3,)  -1', '(3, 4)/(1, 3)', '(3, 4)  1', '(2, 2, 2)  !'],
  }),
  ...(['cross', 'linalg.cross'] as const).map((name) =>
    op(`${name}(self: Tensor, other: Tensor, dim: any = None) -> Tensor`, {
      raises: ({ self, other }) =>
        !self.layout.front && !other.layout.front && self.layout.shape.length !== other.layout.shape.length
          ? raises({
              is: 'rank-differs',
              what: 'other',
              expected: `${self.layout.shape.length}`,
              got: other.layout.shape.length,
            })
          : null,
      shape: ({ self, other, dim }, { ask, demand }) =>
        notOfThree(self.layout, name === 'linalg.cross' && dim.kind === 'none' ? LAST : dim) ??
        chain(broadcastLayouts([self.layout, other.layout], ask, { demand }), ({ shape, front }) =>
          dense(shape, front),
        ),
      dtype: ({ self, other }) => commonDType([self, other]),
      out: 'apart',
      outSince: [2, 13],
      samples: ['(2, 3)/(1, 2)  (2, 3)  dim=1', '(2, 3)  (3,)  !', '(2, 3)  (2, 4)  !', '(2, 4)  (2, 4)  dim=1  !'],
    }),
  ),
  op('kron(self: Tensor, other: Tensor) -> Tensor', {
    shape: ({ self, other }, call) => kron(self, other, call),
    dtype: ({ self, other }) => promotedDType([self, other]),
    samples: [
      '()  (2, 3)',
      '(2, 3)  ():float64',
      '(2, 3)  (4, 5)',
      '(3, 2)/(1, 3)  (4, 5)  !',
      '(3, 2)/(1, 3)  (5, 4)/(1, 5)',
      '(2,)  (3, 4)',
    ],
  }),
];

/** Without a dim `linalg.cross` takes the last one, `cross` the first of size 3. */
const LAST: Value = { kind: 'int', value: int(-1) };

/** Vectors of three; without a dim the first one of that size counts. */
const notOfThree = ({ shape, front }: Layout, dim: Value): Fault | null => {
  const given = dim.kind === 'int' ? dim.value.constant : -1;
  const size = given === null || front ? undefined : shape[given < 0 ? given + shape.length : given]?.constant;
  return size === undefined || size === null || size === 3 || dim.kind === 'none'
    ? null
    : raises({ is: 'argument', name: 'dim', got: `a dim of size ${size}`, expects: 'a dim of size 3' });
};

/** The product of two views whose dims alternate, then a view that joins them: raises where the product has other strides. */
function kron({ layout: a }: Tensor, { layout: b }: Tensor, { ask, demand }: Call): Result<Layout> {
  if (a.front || b.front) return unsure('the rank of the input is not known');
  const rank = Math.max(a.shape.length, b.shape.length);
  const left = padded(a.shape, rank);
  const right = padded(b.shape, rank);
  const apart = (sizes: readonly SymInt[], first: boolean) =>
    sizes.flatMap((size) => (first ? [size, ONE] : [ONE, size]));
  return chain(view(a, apart(left, true), ask, { demand }), (wide) =>
    chain(view(b, apart(right, false), ask, { demand }), (narrow) =>
      chain(elementwise([wide, narrow], ask, { demand }), (product) =>
        view(
          product,
          left.map((size, d) => mul(size, right[d] ?? ONE)),
          ask,
          { demand },
        ),
      ),
    ),
  );
}

const padded = (sizes: readonly SymInt[], rank: number): readonly SymInt[] => [
  ...Array.from({ length: rank - sizes.length }, () => ONE),
  ...sizes,
];
