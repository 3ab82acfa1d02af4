import { performing } from '../ops/call.ts';
import type { Call, OpContext } from '../ops/context.ts';
import { truthOf } from '../ops/families/dropouts.ts';
import { fresh as dense, unstrided } from '../ops/layouts/format.ts';
import { agree } from '../ops/layouts/inquiry.ts';
import { fresh } from '../ops/op.ts';
import type { OpResult } from '../ops/outcome.ts';
import { add, always, type Facts, int, mod, mul, ONE, type SymInt, type Truth, ZERO } from '../symbols/index.ts';
import {
  type Fault,
  isFault,
  isFloat,
  type Layout,
  type Result,
  raises,
  type Tensor,
  transpose,
  unsure,
} from '../tensor/index.ts';
import { boolValue, intValue, NONE, type Value } from '../values/value.ts';
import { given, quotient, trains } from './arguments.ts';
import { type ModuleEntry, module, type Self, withInputs } from './module.ts';

const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);

/** True where all are, false where one is not. */
export const allOf = (conditions: readonly Truth[]): Truth =>
  conditions.includes(false) ? false : conditions.includes(undefined) ? undefined : true;

/** A mask of floats keeps the fused kernel away. */
function floatMask(mask: Value): Truth {
  if (mask.kind === 'none') return false;
  return mask.kind === 'tensor' && mask.dtype !== null ? isFloat(mask.dtype) : undefined;
}

/** Whether autograd will need the attention: grad mode is on and an input or weight requires grad. */
export function recordsGrad(tensors: readonly Value[], { grad }: OpContext): Truth {
  if (grad === false) return false;
  const required = tensors.map((tensor) => (tensor.kind === 'tensor' ? (tensor.requiresGrad ?? undefined) : false));
  if (required.includes(true)) return grad;
  return required.includes(undefined) ? undefined : false;
}

interface Inputs {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly key_padding_mask: Value;
  readonly need_weights: Value;
  readonly attn_mask: Value;
  readonly average_attn_weights: Value;
}

/** `why_not_fast_path` of `MultiheadAttention.forward` (torch/nn/modules/activation.py, 2.13): no reason is left. */
function takesFastPath(self: Self, inputs: Inputs, context: OpContext): Truth {
  const { query, key, value } = inputs;
  const heads = self('num_heads');
  const even = heads.kind === 'int' ? always('equal', mod(heads.value, int(2)), ZERO, context.facts) : undefined;
  return allOf([
    query.id === key.id && key.id === value.id,
    not(truthOf(trains(self('training'), context))),
    even,
    self('in_proj_weight').kind === 'tensor' && self('in_proj_bias').kind === 'tensor',
    self('bias_k').kind === 'none' && self('bias_v').kind === 'none',
    not(truthOf(self('add_zero_attn'))),
    not(floatMask(inputs.attn_mask)),
    not(floatMask(inputs.key_padding_mask)),
    not(recordsGrad([query, self('in_proj_weight'), self('in_proj_bias')], context)),
  ]);
}

/** With batch_first the result is a transposed view of (time, batch, features), but contiguous on the fast path. */
function attended(self: Self, inputs: Inputs, call: Call): Result<OpResult> {
  const { query, key, value } = inputs;
  const embed = self('embed_dim');
  const batchFirst = truthOf(self('batch_first'));
  if (embed.kind !== 'int' || batchFirst === undefined)
    return unsure('how the MultiheadAttention was made is not known');
  if (query.layout.front) return unsure('the rank of the query is not known');
  const { shape } = query.layout;
  if (shape.length !== 2 && shape.length !== 3)
    return raises({ is: 'rank-differs', what: 'query', expected: '2 or 3', got: shape.length });
  const differs =
    agree(shape.at(-1) ?? ONE, embed.value, `dim ${shape.length - 1} of query`, call) ??
    keysAgree(self, query.layout, key.layout, value.layout, batchFirst, call);
  if (differs !== null) return differs;
  const batched = shape.length === 3;
  const [first = ONE, second = ONE] = shape;
  const length = batched && batchFirst ? second : first;
  const batch = !batched ? [] : [batchFirst ? first : second];
  const source = key.layout.front
    ? call.context.fresh('length')
    : (key.layout.shape[batched && batchFirst ? 1 : 0] ?? ONE);
  const wrong = masksAgree(self, inputs, batch, [length, source], call);
  if (wrong !== null) return wrong;
  const fast = batched && batchFirst ? takesFastPath(self, inputs, call.context) : true;
  const output = outputLayout(
    [...batch, length, embed.value],
    batched && !batchFirst ? [length, ...batch, embed.value] : null,
    fast,
  );
  if (isFault(output)) return output;
  const needs = truthOf(inputs.need_weights);
  const attends = add(source, extraKeys(self, call));
  const weights = weightsLayout(self, inputs, batch, [length, attends]);
  const seen: OpResult =
    needs === false
      ? { is: 'value', value: NONE }
      : needs === undefined || weights === null
        ? { is: 'value', value: { kind: 'unknown', reason: 'whether the weights are needed is not known' } }
        : fresh(weights, query.dtype);
  return { is: 'tuple', items: [fresh(output, query.dtype), seen] };
}

/** `add_bias_kv` and `add_zero_attn` put one key each behind those that are given. */
function extraKeys(self: Self, { context }: Call): SymInt {
  const flags = [truthOf(self('add_bias_kv')), truthOf(self('add_zero_attn'))];
  return flags.includes(undefined) ? context.fresh('keys') : int(flags.filter((flag) => flag === true).length);
}

/** Key and value come in the rank of the query, are equally many, and belong to the same batch. */
function keysAgree(self: Self, query: Layout, key: Layout, value: Layout, batchFirst: boolean, call: Call) {
  const ndim = query.shape.length;
  for (const [layout, what, width] of [
    [key, 'key', self('kdim')],
    [value, 'value', self('vdim')],
  ] as const) {
    if (layout.front) continue;
    if (layout.shape.length !== ndim)
      return raises({ is: 'rank-differs', what, expected: `${ndim}`, got: layout.shape.length });
    const batch = batchFirst ? 0 : 1;
    const differs =
      (width.kind === 'int'
        ? agree(layout.shape.at(-1) ?? ONE, width.value, `dim ${ndim - 1} of ${what}`, call)
        : null) ??
      (ndim === 3
        ? agree(layout.shape[batch] ?? ONE, query.shape[batch] ?? ONE, `dim ${batch} of ${what}`, call)
        : null);
    if (differs !== null) return differs;
  }
  if (key.front || value.front) return null;
  const along = ndim === 3 && batchFirst ? 1 : 0;
  return agree(value.shape[along] ?? ONE, key.shape[along] ?? ONE, `dim ${along} of value`, call);
}

/** An attention mask is (queries, keys), for each head and sample where it has a third dim; a padding mask is (batch, keys). */
function masksAgree(
  self: Self,
  { attn_mask, key_padding_mask }: Inputs,
  batch: readonly SymInt[],
  [queries, keys]: readonly [SymInt, SymInt],
  call: Call,
): Fault | null {
  const heads = self('num_heads');
  const each = heads.kind === 'int' ? mul(heads.value, batch[0] ?? ONE) : null;
  const ndim = attn_mask.kind === 'tensor' ? attn_mask.layout.shape.length : 2;
  const shape = ndim === 3 && each !== null ? [each, queries, keys] : [queries, keys];
  return (
    maskAgrees(attn_mask, 'attn_mask', shape, call) ??
    maskAgrees(key_padding_mask, 'key_padding_mask', [...batch, keys], call)
  );
}

function maskAgrees(mask: Value, what: string, shape: readonly SymInt[], call: Call): Fault | null {
  if (mask.kind !== 'tensor' || mask.layout.front) return null;
  const got = mask.layout.shape.length;
  if (got !== shape.length) return raises({ is: 'rank-differs', what, expected: `${shape.length}`, got });
  for (const [d, size] of mask.layout.shape.entries()) {
    const differs = agree(size, shape[d] ?? ONE, `dim ${d} of ${what}`, call);
    if (differs !== null) return differs;
  }
  return null;
}

function outputLayout(shape: readonly SymInt[], timeFirst: readonly SymInt[] | null, fast: Truth): Result<Layout> {
  if (timeFirst !== null) return dense(timeFirst);
  if (fast === true) return dense(shape);
  if (fast === undefined) return unstrided(shape);
  const [batch = ONE, length = ONE, features = ONE] = shape;
  return transpose(dense([length, batch, features]), 0, 1);
}

function weightsLayout(self: Self, inputs: Inputs, batch: readonly SymInt[], sizes: readonly SymInt[]): Layout | null {
  const average = truthOf(inputs.average_attn_weights);
  const heads = self('num_heads');
  if (average === undefined || (!average && heads.kind !== 'int')) return null;
  return dense([...batch, ...(average || heads.kind !== 'int' ? [] : [heads.value]), ...sizes]);
}

/** `embed_dim` is shared out evenly among the heads. */
export function unevenHeads(embed: SymInt, heads: SymInt, facts: Facts): Fault | null {
  const empty = [embed, heads].some((size) => always('less', ZERO, size, facts) === false);
  if (!empty && always('equal', mod(embed, heads), ZERO, facts) !== false) return null;
  return raises({
    is: 'argument',
    name: 'embed_dim',
    got: `${embed.constant ?? 'a size'}`,
    expects: `a multiple of num_heads, ${heads.constant ?? 'a size'}`,
  });
}

export const attentions: readonly ModuleEntry[] = [
  module(
    'MultiheadAttention(embed_dim: SymInt, num_heads: SymInt, dropout: any = 0.0, bias: any = True, add_bias_kv: any = False, add_zero_attn: any = False, kdim: any = None, vdim: any = None, batch_first: any = False, device: any = None, dtype: any = None) -> any',
    {
      raises: ({ embed_dim, num_heads }, { facts }) => unevenHeads(embed_dim, num_heads, facts),
      attributes: ({ embed_dim, num_heads, kdim, vdim }) => ({
        head_dim: intValue(quotient(embed_dim, num_heads)),
        kdim: kdim.kind === 'none' ? intValue(embed_dim) : kdim,
        vdim: vdim.kind === 'none' ? intValue(embed_dim) : vdim,
        _qkv_same_embed_dim: boolValue(kdim.kind === 'none' && vdim.kind === 'none'),
      }),
      parameters: ({ embed_dim, kdim, vdim, bias, add_bias_kv }) => {
        const one = kdim.kind === 'none' && vdim.kind === 'none';
        const width = (dim: Value) => (dim.kind === 'int' ? dim.value : embed_dim);
        const extra = truthOf(add_bias_kv) === true ? [ONE, ONE, embed_dim] : null;
        return {
          in_proj_weight: one ? [mul(int(3), embed_dim), embed_dim] : null,
          q_proj_weight: one ? null : [embed_dim, embed_dim],
          k_proj_weight: one ? null : [embed_dim, width(kdim)],
          v_proj_weight: one ? null : [embed_dim, width(vdim)],
          in_proj_bias: given(bias) ? [mul(int(3), embed_dim)] : null,
          bias_k: extra,
          bias_v: extra,
        };
      },
      ndim: 3,
      forward: withInputs(
        'forward(query: Tensor, key: Tensor, value: Tensor, key_padding_mask: any = None, need_weights: any = True, attn_mask: any = None, average_attn_weights: any = True, is_causal: any = False) -> any',
        (self, inputs, context) =>
          performing(context, (call) => ({ result: attended(self, inputs, call), writes: [] })),
      ),
    },
  ),
];
