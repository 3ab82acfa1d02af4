import { add, always, type Facts, type SymInt, ZERO } from '../symbols/index.ts';
import { type Fault, raises } from '../tensor/index.ts';
import { intValue, type Value } from '../values/value.ts';
import { call, type ModuleEntry, module, through, withInputs } from './module.ts';

/** A negative index counts from the end. */
const counted = (index: Value, size: SymInt): Value =>
  index.kind === 'int' && (index.value.constant ?? 0) < 0 ? intValue(add(size, index.value)) : index;

function outside(index: Value, size: SymInt, facts: Facts): Fault | null {
  const at = counted(index, size);
  if (at.kind !== 'int') return null;
  if (always('less', at.value, size, facts) !== false && always('less', at.value, ZERO, facts) !== true) return null;
  return raises({
    is: 'argument',
    name: 'padding_idx',
    got: `${at.value.constant ?? 'an index'}`,
    expects: 'an embedding',
  });
}

export const embeddings: readonly ModuleEntry[] = [
  module(
    'Embedding(num_embeddings: SymInt, embedding_dim: SymInt, padding_idx: any = None, max_norm: any = None, norm_type: any = 2.0, scale_grad_by_freq: any = False, sparse: any = False, _weight: any = None, _freeze: any = False, device: any = None, dtype: any = None) -> any',
    {
      raises: ({ num_embeddings, padding_idx }, { facts }) => outside(padding_idx, num_embeddings, facts),
      attributes: ({ num_embeddings, padding_idx }) => ({ padding_idx: counted(padding_idx, num_embeddings) }),
      parameters: ({ num_embeddings, embedding_dim }) => ({ weight: [num_embeddings, embedding_dim] }),
      forward: through('F.embedding', (self) => [self('weight')]),
    },
  ),
  module(
    "EmbeddingBag(num_embeddings: SymInt, embedding_dim: SymInt, max_norm: any = None, norm_type: any = 2.0, scale_grad_by_freq: any = False, mode: any = 'mean', sparse: any = False, _weight: any = None, include_last_offset: any = False, padding_idx: any = None, device: any = None, dtype: any = None) -> any",
    {
      raises: ({ num_embeddings, padding_idx }, { facts }) => outside(padding_idx, num_embeddings, facts),
      attributes: ({ num_embeddings, padding_idx }) => ({ padding_idx: counted(padding_idx, num_embeddings) }),
      parameters: ({ num_embeddings, embedding_dim }) => ({ weight: [num_embeddings, embedding_dim] }),
      forward: withInputs(
        'forward(input: Tensor, offsets: any = None, per_sample_weights: any = None) -> any',
        (self, { input, offsets }, context) =>
          call(
            'F.embedding_bag',
            [input, self('weight'), offsets],
            { include_last_offset: self('include_last_offset') },
            context,
          ),
      ),
    },
  ),
];
