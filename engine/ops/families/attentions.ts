import { ONE, type Truth } from '../../symbols/index.ts';
import { unsure } from '../../tensor/index.ts';
import { NONE, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { attention } from '../layouts/attention.ts';
import { fresh as dense } from '../layouts/format.ts';
import { oneDType } from '../layouts/product.ts';
import { type Entry, fresh, op } from '../op.ts';
import { truthOf } from './dropouts.ts';

/** Whether a mask is given that requires grad; bool masks never do. */
function maskRequiresGrad(mask: Value, { context }: Call): Truth {
  if (mask.kind === 'none' || context.grad === false) return false;
  if (mask.kind !== 'tensor') return undefined;
  if (mask.dtype === 'bool') return false;
  return mask.requiresGrad ?? undefined;
}

/** `attn_output.view(tgt_len, bsz, attn_output.size(1))` of a projection, as wide as its weight makes it, and the mean over the heads of what was attended to. */
const multiHead = op(
  'F.multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: any, num_heads: SymInt, in_proj_weight: any, in_proj_bias: any, bias_k: any, bias_v: any, add_zero_attn: any, dropout_p: any, out_proj_weight: any, out_proj_bias: any, training: any = True, key_padding_mask: any = None, need_weights: bool = True, attn_mask: any = None, use_separate_proj_weight: any = False, q_proj_weight: any = None, k_proj_weight: any = None, v_proj_weight: any = None, static_k: any = None, static_v: any = None, average_attn_weights: bool = True, is_causal: any = False) -> any',
  {
    maybe: (
      { query, key, num_heads, bias_k, add_zero_attn, need_weights, average_attn_weights, out_proj_weight },
      { context },
    ) => {
      const { shape, front } = query.layout;
      if (front || key.layout.front) return unsure('the rank of an operand is not known');
      const rows = out_proj_weight.kind === 'tensor' ? out_proj_weight.layout : null;
      const width = rows && !rows.front ? (rows.shape[0] ?? ONE) : context.fresh('features');
      const output = fresh(dense([...shape.slice(0, -1), width]), query.dtype);
      if (!need_weights) return { is: 'tuple', items: [output, { is: 'value', value: NONE }] };
      const [length = ONE] = shape;
      const extended = bias_k.kind !== 'none' || truthOf(add_zero_attn) !== false;
      const source = extended ? null : (key.layout.shape[0] ?? ONE);
      if (source === null) return unsure('how many keys there are is not known');
      const batch = shape.slice(1, -1);
      const heads = average_attn_weights ? [] : [num_heads];
      return { is: 'tuple', items: [output, fresh(dense([...batch, ...heads, length, source]), query.dtype)] };
    },
    samples: [
      '(5, 2, 8)  (7, 2, 8)  (7, 2, 8)  8  2  (24, 8)  (24,)  None  None  False  0.0  (8, 8)  (8,)',
      '(5, 8)  (7, 8)  (7, 8)  8  2  (24, 8)  (24,)  None  None  False  0.0  (8, 8)  (8,)  average_attn_weights=False',
      '(5, 2, 8)  (7, 2, 8)  (7, 2, 8)  8  2  (24, 8)  (24,)  None  None  False  0.0  (8, 8)  (8,)  need_weights=False',
      '(5, 2, 8)  (7, 2, 8)  (7, 2, 8)  8  2  (24, 8)  (24,)  None  None  False  0.0  (6, 8)  (6,)  need_weights=False',
    ],
  },
);

export const attentions: readonly Entry[] = [
  multiHead,
  op(
    'F.scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: any = None, dropout_p: any = 0.0, is_causal: any = False, scale: any = None, enable_gqa: any = False) -> Tensor',
    {
      raises: ({ query, key, value }) =>
        oneDType('key', query.dtype, key.dtype) ?? oneDType('value', query.dtype, value.dtype),
      shape: ({ query, key, value, attn_mask, dropout_p, enable_gqa }, call) =>
        attention(call, {
          query: query.layout,
          key: key.layout,
          value: value.layout,
          drops: truthOf(dropout_p),
          maskGrad: maskRequiresGrad(attn_mask, call),
          grouped: truthOf(enable_gqa) === true,
          cpu: query.device === null || query.device.startsWith('cpu'),
        }),
      samples: [
        '(2, 4, 5, 8)  (2, 4, 6, 8)  (2, 4, 6, 8)',
        '(2, 4, 5, 8)/(160, 8, 32, 1)  (2, 4, 6, 8)  (2, 4, 6, 8)',
        '(2, 4, 5, 8)/(160, 8, 32, 1)  (2, 4, 6, 8)  (2, 4, 6, 9)',
        '(2, 5, 8)/(8, 16, 1)  (2, 6, 8)  (2, 6, 8)',
        '(2, 4, 5, 8)  (2, 4, 6, 7)  (2, 4, 6, 8)  !',
      ],
    },
  ),
];
