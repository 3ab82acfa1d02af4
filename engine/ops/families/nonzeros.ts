import { int, ONE, type SymInt, ZERO } from '../../symbols/index.ts';
import { broadcastLayouts, chain, contiguous, layoutOf, type Result, type Tensor } from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { type Entry, fresh, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { rankOf } from './queries.ts';

const counted = ({ elements }: Tensor, call: Call): SymInt =>
  elements === null ? call.context.fresh('nonzero') : int(elements.filter((element) => element !== 0).length);

/** Where a tensor is true: column-major, a row per place. How many there are depends on the data. */
export const nonzeros: readonly Entry[] = [
  op('nonzero(self: Tensor, *, as_tuple: bool = False) -> any', {
    maybe: ({ self, as_tuple }, call) => (as_tuple ? places(self, call) : table(self, call)),
    out: 'apart',
    samples: ['[1, 0, 1]:int64', '[1, 0, 1]:int64  as_tuple=True'],
  }),
  op('argwhere(self: Tensor) -> Tensor', {
    maybe: ({ self }, call) => table(self, call),
    samples: ['[1, 0, 1]:int64'],
  }),
  op('torch.where(condition: Tensor) -> Tensor[]', {
    maybe: ({ condition }, call) => places(condition, call),
    samples: ['[1, 0, 1]:int64'],
  }),
  op('masked_select(self: Tensor, mask: Tensor) -> Tensor', {
    shape: ({ self, mask }, call) =>
      chain(broadcastLayouts([self.layout, mask.layout], call.ask, { demand: call.demand }), () =>
        contiguous([call.context.fresh('selected')]),
      ),
    out: 'apart',
    samples: [],
  }),
];

function table(self: Tensor, call: Call): Result<OpResult> {
  return chain(rankOf(self.layout), (rank) => {
    const length = counted(self, call);
    return fresh(layoutOf([length, int(rank)], [ONE, length]), 'int64');
  });
}

/** The columns of the table, which are views of one buffer: `nonzero().unbind(1)`. A 0-dim tensor counts as one of dim 1. */
function places(self: Tensor, call: Call): Result<OpResult> {
  return chain(rankOf(self.layout), (rank) => {
    const length = counted(self, call);
    const items = Array.from({ length: Math.max(rank, 1) }, () => fresh(layoutOf([length], [ONE], ZERO), 'int64'));
    return { is: 'tuple', items } satisfies OpResult;
  });
}
