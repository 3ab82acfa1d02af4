import type { Truth } from '../../symbols/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { attention } from '../layouts/attention.ts';
import { oneDType } from '../layouts/product.ts';
import { type Entry, op } from '../op.ts';
import { truthOf } from './dropouts.ts';

/** Whether a mask is given that requires grad; bool masks never do. */
function maskRequiresGrad(mask: Value, { context }: Call): Truth {
  if (mask.kind === 'none' || context.grad === false) return false;
  if (mask.kind !== 'tensor') return undefined;
  if (mask.dtype === 'bool') return false;
  return mask.requiresGrad ?? undefined;
}

export const attentions: readonly Entry[] = [
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
