import { type Fault, isFault, numel, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import { tupleOf, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { type Address, address } from '../indexing/address.ts';
import { notOf, ofOneDType, outOfRange } from '../indexing/conditions.ts';
import { readKey } from '../indexing/keys.ts';
import { putIndexed } from '../indexing/put.ts';
import { agree } from '../layouts/inquiry.ts';
import { type Entry, op, same } from '../op.ts';
import { one, writeAll } from '../writing.ts';
import { copied } from './copies.ts';

const SAMPLES = ['(3, 4)  {[0, 2]:int64}  (2, 4)', '(3, 4)  {[0, 2]:int64}  (5,)  !'];

/** Writing through index tensors. */
export const puts: readonly Entry[] = [
  op('Tensor.index_put_(self: Tensor, indices: any, values: any, accumulate: any = False) -> Tensor', {
    maybe: ({ self }) => same(self),
    writes: ({ self, indices, values }, call) => {
      const found = addressOf(self, indices, call);
      if (isFault(found)) return found;
      return found.indices === null
        ? unsure('no index tensor is known')
        : putIndexed(self, found.layout, found.indices, values, call);
    },
    samples: SAMPLES,
  }),
  op('index_put(self: Tensor, indices: any, values: any, accumulate: any = False) -> Tensor', {
    raises: ({ self, indices }, call) => {
      const found = addressOf(self, indices, call);
      return isFault(found) ? found : null;
    },
    shape: ({ self }, call) => copied(self.layout, null, call),
    samples: ['(3, 4)/(1, 3)  {[0, 2]:int64}  (2, 4)', '(1, 4)  {[0, 2]:int64}  (2, 4)  !'],
  }),
  op('Tensor.put_(self: Tensor, index: Tensor, source: Tensor, accumulate: any = False) -> Tensor', {
    raises: ({ self, index, source }, call) => misput(self, index, source, call),
    maybe: ({ self }) => same(self),
    writes: ({ self, index, source }, call) => one(writeAll(self, { index, source }, 'apart', call)),
    samples: [
      '(3, 4)  [0, 5]:int64  (2,)',
      '(3, 4)/(0, 1)  [0]:int64  (1,)  !',
      '(3, 4)  [0, 5]:int64  (1,)  !',
      '(3, 4)  [12]:int64  (1,)  !',
    ],
  }),
  op('put(self: Tensor, index: Tensor, source: Tensor, accumulate: any = False) -> Tensor', {
    raises: ({ self, index, source }, call) => misput(self, index, source, call),
    shape: ({ self }, call) => copied(self.layout, null, call),
    samples: ['(3, 4)/(1, 3)  [0, 5]:int64  (2,)'],
  }),
];

const addressOf = (self: Tensor, indices: Value, call: Call): Result<Address> => {
  const parts = readKey(indices.kind === 'tensor' ? tupleOf([indices]) : indices, call);
  return isFault(parts) ? parts : address(self.layout, parts, call);
};

/** As many elements as indices, which count through the whole tensor. */
function misput(self: Tensor, index: Tensor, source: Tensor, call: Call): Fault | null {
  const wrong =
    notOf(index, ['int64'], 'index') ??
    ofOneDType(self, source, 'source') ??
    outOfRange(index, numel(self.layout), 0, 'size');
  if (wrong !== null || index.layout.front || source.layout.front) return wrong;
  return agree(numel(source.layout), numel(index.layout), 'the number of elements of source', call);
}
