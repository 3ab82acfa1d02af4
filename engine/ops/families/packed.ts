import { add, int, maximum, ONE, type SymInt } from '../../symbols/index.ts';
import { type Fault, isFault, type Layout, raises, type Tensor, transpose, unsure } from '../../tensor/index.ts';
import { NONE, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { fresh as dense, unstrided } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { type Entry, fresh, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { truthOf } from './dropouts.ts';

/** `PackedSequence`: the steps of all sequences that are that long, one step after the other. */
const FIELDS = ['data', 'batch_sizes', 'sorted_indices', 'unsorted_indices'] as const;

interface Packed {
  readonly data: Layout;
  readonly dtype: Tensor['dtype'];
  /** How many sequences there are, and how long the longest is. */
  readonly batch: SymInt;
  readonly length: SymInt;
  /** Sequences that came sorted need no indices. */
  readonly sorted: Value;
}

export function packed({ data, dtype, batch, length, sorted }: Packed): OpResult {
  const came = truthOf(sorted);
  const indices: OpResult =
    came === true
      ? { is: 'value', value: NONE }
      : came === false
        ? fresh(dense([batch]), 'int64')
        : { is: 'value', value: { kind: 'unknown', reason: 'whether the sequences come sorted is not known' } };
  const items = [fresh(data, dtype), fresh(dense([length]), 'int64'), indices, indices];
  return { is: 'tuple', items, fields: FIELDS };
}

export interface PackedSequence {
  readonly data: Tensor;
  readonly batchSizes: Tensor;
  readonly sorted: Value;
  readonly indices: Value;
}

/** What a packed sequence holds; null for anything else. */
export function unpacked(value: Value): PackedSequence | null {
  if (value.kind !== 'tuple' || value.items.length !== FIELDS.length) return null;
  const [data, batchSizes, sorted, indices] = value.items;
  if (data?.kind !== 'tensor' || batchSizes?.kind !== 'tensor' || !sorted || !indices) return null;
  return { data, batchSizes, sorted, indices };
}

/** The same steps of the same sequences with the features of `output`. */
export function repacked({ data, batchSizes, sorted, indices }: PackedSequence, output: Layout): OpResult {
  const steps = [...data.layout.shape.slice(0, 1), ...output.shape.slice(-1)];
  const kept = [batchSizes, sorted, indices].map(
    (value): OpResult => (value.kind === 'tensor' ? { is: 'same', of: value } : { is: 'value', value }),
  );
  return { is: 'tuple', items: [fresh(dense(steps), data.dtype), ...kept], fields: FIELDS };
}

/** The number of sequences stands in their indices, where there are any. */
export const sequenceCount = (indices: Value, { context }: Call): SymInt =>
  (indices.kind === 'tensor' ? indices.layout.shape[0] : undefined) ?? context.fresh('batch');

function lengthsAgree(lengths: Value, batch: SymInt, call: Call): Fault | null {
  if (lengths.kind !== 'tensor' || lengths.layout.front) return null;
  const got = lengths.layout.shape.length;
  if (got !== 1) return raises({ is: 'rank-differs', what: 'lengths', expected: '1', got });
  return agree(lengths.layout.shape[0] ?? ONE, batch, 'dim 0 of lengths', call);
}

/** Padded again, the time comes first in memory, unless the sequences are put back in order. */
function padded(value: Value, batchFirst: Value, total: Value, call: Call): OpResult | Fault {
  const sequence = unpacked(value);
  const first = truthOf(batchFirst);
  if (sequence === null || first === undefined) return unsure('the packed sequence is not known');
  const { data, batchSizes, indices } = sequence;
  const batch = sequenceCount(indices, call);
  const length = total.kind === 'int' ? total.value : (batchSizes.layout.shape[0] ?? call.context.fresh('length'));
  const rest = data.layout.shape.slice(1);
  const [timeFirst, batchFirstLayout] = [dense([length, batch, ...rest]), dense([batch, length, ...rest])];
  const swapped = indices.kind === 'none' ? transpose(timeFirst, 0, 1) : batchFirstLayout;
  if (isFault(swapped)) return swapped;
  const known = indices.kind === 'none' || indices.kind === 'tensor';
  const layout = !first ? timeFirst : known ? swapped : unstrided(swapped.shape);
  return { is: 'tuple', items: [fresh(layout, data.dtype), fresh(dense([batch]), 'int64')] };
}

export const packs: readonly Entry[] = [
  op(
    'torch.nn.utils.rnn.pack_padded_sequence(input: Tensor, lengths: any, batch_first: any = False, enforce_sorted: any = True) -> any',
    {
      maybe: ({ input, lengths, batch_first, enforce_sorted }, call) => {
        const { shape, front } = input.layout;
        const first = truthOf(batch_first);
        if (front || first === undefined) return unsure('the rank of the input is not known');
        if (shape.length < 2)
          return raises({ is: 'rank-differs', what: 'input', expected: '2 or more', got: shape.length });
        const batch = shape[first ? 0 : 1] ?? ONE;
        const differs = lengthsAgree(lengths, batch, call);
        if (differs !== null) return differs;
        const data = dense([call.context.fresh('steps'), ...shape.slice(2)]);
        return packed({
          data,
          dtype: input.dtype,
          batch,
          length: call.context.fresh('length'),
          sorted: enforce_sorted,
        });
      },
      samples: [
        '(5, 3, 4)  [5, 3, 2]:int64',
        '(3, 5, 4)  [2, 5, 3]:int64  True  False',
        '(5, 3, 4)  [5, 3]:int64  !',
        '(5, 3, 4)  [[5, 3, 2]]:int64  !',
      ],
    },
  ),
  op('torch.nn.utils.rnn.pack_sequence(sequences: Tensor[], enforce_sorted: any = True) -> any', {
    maybe: ({ sequences, enforce_sorted }) => {
      const [first] = sequences;
      if (first === undefined || sequences.some(({ layout }) => layout.front || layout.shape.length === 0))
        return unsure('the rank of a sequence is not known');
      const lengths = sequences.map(({ layout }) => layout.shape[0] ?? ONE);
      const data = dense([add(...lengths), ...first.layout.shape.slice(1)]);
      const length = lengths.reduce((a, b) => maximum(a, b));
      return packed({ data, dtype: first.dtype, batch: int(sequences.length), length, sorted: enforce_sorted });
    },
    samples: ['{(3, 2) (2, 2)}', '{(2, 2) (3, 2)}  False'],
  }),
  op(
    'torch.nn.utils.rnn.pad_packed_sequence(sequence: any, batch_first: any = False, padding_value: any = 0.0, total_length: any = None) -> any',
    {
      maybe: ({ sequence, batch_first, total_length }, call) => padded(sequence, batch_first, total_length, call),
      samples: [],
    },
  ),
];
