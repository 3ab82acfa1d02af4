import { call, type ModuleEntry, module, through, withInputs } from './module.ts';

export const embeddings: readonly ModuleEntry[] = [
  module(
    'Embedding(num_embeddings: SymInt, embedding_dim: SymInt, padding_idx: any = None, max_norm: any = None, norm_type: any = 2.0, scale_grad_by_freq: any = False, sparse: any = False, _weight: any = None, _freeze: any = False, device: any = None, dtype: any = None) -> any',
    {
      parameters: ({ num_embeddings, embedding_dim }) => ({ weight: [num_embeddings, embedding_dim] }),
      forward: through('F.embedding', (self) => [self('weight')]),
    },
  ),
  module(
    "EmbeddingBag(num_embeddings: SymInt, embedding_dim: SymInt, max_norm: any = None, norm_type: any = 2.0, scale_grad_by_freq: any = False, mode: any = 'mean', sparse: any = False, _weight: any = None, include_last_offset: any = False, padding_idx: any = None, device: any = None, dtype: any = None) -> any",
    {
      parameters: ({ num_embeddings, embedding_dim }) => ({ weight: [num_embeddings, embedding_dim] }),
      forward: withInputs(
        'forward(input: Tensor, offsets: any = None, per_sample_weights: any = None) -> any',
        (self, { input, offsets }, context) => call('F.embedding_bag', [input, self('weight'), offsets], {}, context),
      ),
    },
  ),
];
