import { performing } from '../ops/call.ts';
import type { Call, OpContext } from '../ops/context.ts';
import { truthOf } from '../ops/families/dropouts.ts';
import { fresh as dense, unstrided } from '../ops/layouts/format.ts';
import { agree } from '../ops/layouts/inquiry.ts';
import { denseLike } from '../ops/layouts/reduction.ts';
import { fresh } from '../ops/op.ts';
import { ONE, type SymInt, type Truth } from '../symbols/index.ts';
import {
  elementwise,
  type Fault,
  isContiguous,
  isFault,
  type Layout,
  type Result,
  raises,
  type Tensor,
  transpose,
} from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { trains } from './arguments.ts';
import { unevenHeads } from './attentions.ts';
import { type ModuleEntry, module, type Self, withInputs } from './module.ts';

/** What self-attention over `layout` makes off the fast path. */
function attended(layout: Layout, batchFirst: boolean): Result<Layout> {
  const [first = ONE, second = ONE, features = ONE] = layout.shape;
  if (!batchFirst || layout.shape.length !== 3) return denseLike(layout);
  return transpose(dense([second, first, features]), 0, 1);
}

/** The last size is that of the model. */
function widthAgrees(self: Self, layout: Layout, what: string, call: Call): Fault | null {
  const width = self('d_model');
  if (width.kind !== 'int' || layout.front) return null;
  return agree(layout.shape.at(-1) ?? ONE, width.value, `dim ${layout.shape.length - 1} of ${what}`, call);
}

/** What is attended to has the width of the model and the batch of the target. */
function memoryAgrees(self: Self, target: Layout, memory: Value, call: Call): Fault | null {
  if (memory.kind !== 'tensor' || memory.layout.front || target.front) return null;
  const { layout } = memory;
  if (layout.shape.length !== target.shape.length)
    return raises({ is: 'rank-differs', what: 'memory', expected: `${target.shape.length}`, got: layout.shape.length });
  const batchFirst = truthOf(self('batch_first'));
  const batch = batchFirst ? 0 : 1;
  const differs = widthAgrees(self, layout, 'memory', call);
  if (differs !== null || batchFirst === undefined || target.shape.length !== 3) return differs;
  // Nothing to attend to: no elements fit into any sizes.
  if (layout.shape.some(({ constant }) => constant === 0)) return null;
  return agree(layout.shape[batch] ?? ONE, target.shape[batch] ?? ONE, `dim ${batch} of memory`, call);
}

/** With norm_first the residual sums keep the layout of the input; else a layer norm comes last, which is contiguous. */
function layerOutput(self: Self, input: Tensor, call: Call): Result<Layout> {
  const { layout } = input;
  const differs = widthAgrees(self, layout, 'src', call);
  if (differs !== null) return differs;
  const normFirst = truthOf(self('norm_first'));
  const batchFirst = truthOf(self('batch_first'));
  if (normFirst === false) return denseLike(layout);
  if (layout.front) return isContiguous(layout, call.ask) === true ? denseLike(layout) : unstrided(layout.shape, true);
  if (normFirst === undefined || batchFirst === undefined) return unstrided(layout.shape);
  const attention = attended(layout, batchFirst);
  if (isFault(attention)) return attention;
  const residual = elementwise([layout, attention], call.ask);
  return isFault(residual) ? residual : elementwise([residual, denseLike(layout)], call.ask);
}

/** Outside training and without grad the layer may run as one fused kernel, whose result is contiguous. */
function encoderLayerOutput(self: Self, input: Tensor, call: Call): Result<Layout> {
  const layout = layerOutput(self, input, call);
  if (isFault(layout) || layout.stride === null || isContiguous(layout, call.ask) === true) return layout;
  return mayFuse(self, call.context) === false ? layout : unstrided(layout.shape, layout.front);
}

function mayFuse(self: Self, context: OpContext): Truth {
  if (truthOf(trains(self('training'), context)) === true || context.grad === true) return false;
  return truthOf(self('batch_first')) === false ? false : undefined;
}

/** Stacks of layers keep a contiguous layout, and a final norm makes any other contiguous. */
function stackOutput(self: Self, input: Tensor, call: Call): Layout {
  const normed = self('norm').kind !== 'none' && self('norm').kind !== 'unknown';
  if (normed || isContiguous(input.layout, call.ask) === true) return denseLike(input.layout);
  return unstrided(input.layout.shape, input.layout.front);
}

const LAYER =
  "d_model: SymInt, nhead: SymInt, dim_feedforward: SymInt = 2048, dropout: any = 0.1, activation: any = 'relu', layer_norm_eps: any = 1e-5, batch_first: any = False, norm_first: any = False, bias: any = True, device: any = None, dtype: any = None";

const over = (input: Tensor, layout: (call: Call) => Result<Layout>, context: OpContext) =>
  performing(context, (call) => {
    const made = layout(call);
    return { result: isFault(made) ? made : fresh(made, input.dtype), writes: [] };
  });

/** The activation is named by one of two names, or is a function. */
function badLayer(args: Layer, { facts }: OpContext): Fault | null {
  const { activation } = args;
  if (activation.kind === 'str' && activation.value !== 'relu' && activation.value !== 'gelu')
    return raises({ is: 'argument', name: 'activation', got: `'${activation.value}'`, expects: "'relu' or 'gelu'" });
  return unevenHeads(args.d_model, args.nhead, facts);
}

interface Layer {
  readonly d_model: SymInt;
  readonly nhead: SymInt;
  readonly activation: Value;
}

export const transformers: readonly ModuleEntry[] = [
  module(`TransformerEncoderLayer(${LAYER}) -> any`, {
    raises: (args, context) => badLayer(args, context),
    ndim: 3,
    forward: withInputs(
      'forward(src: Tensor, src_mask: any = None, src_key_padding_mask: any = None, is_causal: any = False) -> any',
      (self, { src }, context) => over(src, (call) => encoderLayerOutput(self, src, call), context),
    ),
  }),
  module(`TransformerDecoderLayer(${LAYER}) -> any`, {
    raises: (args, context) => badLayer(args, context),
    ndim: 3,
    forward: withInputs(
      'forward(tgt: Tensor, memory: any, tgt_mask: any = None, memory_mask: any = None, tgt_key_padding_mask: any = None, memory_key_padding_mask: any = None, tgt_is_causal: any = False, memory_is_causal: any = False) -> any',
      (self, { tgt, memory }, context) =>
        over(tgt, (call) => memoryAgrees(self, tgt.layout, memory, call) ?? layerOutput(self, tgt, call), context),
    ),
  }),
  module(
    'TransformerEncoder(encoder_layer: any, num_layers: any, norm: any = None, enable_nested_tensor: any = True, mask_check: any = True) -> any',
    {
      forward: withInputs(
        'forward(src: Tensor, mask: any = None, src_key_padding_mask: any = None, is_causal: any = None) -> any',
        (self, { src }, context) => over(src, (call) => stackOutput(self, src, call), context),
      ),
    },
  ),
  module('TransformerDecoder(decoder_layer: any, num_layers: any, norm: any = None) -> any', {
    forward: withInputs(
      'forward(tgt: Tensor, memory: any, tgt_mask: any = None, memory_mask: any = None, tgt_key_padding_mask: any = None, memory_key_padding_mask: any = None, tgt_is_causal: any = None, memory_is_causal: any = False) -> any',
      (self, { tgt }, context) => over(tgt, (call) => stackOutput(self, tgt, call), context),
    ),
  }),
  /** Its decoder ends in a layer norm. */
  module(
    "Transformer(d_model: SymInt = 512, nhead: SymInt = 8, num_encoder_layers: any = 6, num_decoder_layers: any = 6, dim_feedforward: SymInt = 2048, dropout: any = 0.1, activation: any = 'relu', custom_encoder: any = None, custom_decoder: any = None, layer_norm_eps: any = 1e-5, batch_first: any = False, norm_first: any = False, bias: any = True, device: any = None, dtype: any = None) -> any",
    {
      raises: (args, context) => badLayer(args, context),
      forward: withInputs(
        'forward(src: Tensor, tgt: Tensor, src_mask: any = None, tgt_mask: any = None, memory_mask: any = None, src_key_padding_mask: any = None, tgt_key_padding_mask: any = None, memory_key_padding_mask: any = None, src_is_causal: any = None, tgt_is_causal: any = None, memory_is_causal: any = False) -> any',
        (self, { src, tgt }, context) =>
          over(
            tgt,
            (call) =>
              widthAgrees(self, tgt.layout, 'tgt', call) ??
              memoryAgrees(self, tgt.layout, src, call) ??
              (self('custom_decoder').kind === 'none'
                ? denseLike(tgt.layout)
                : unstrided(tgt.layout.shape, tgt.layout.front)),
            context,
          ),
      ),
    },
  ),
];
