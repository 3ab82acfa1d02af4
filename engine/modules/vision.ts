import { failed, performing } from '../ops/call.ts';
import type { Call, OpContext } from '../ops/context.ts';
import { convolution } from '../ops/layouts/convolution.ts';
import { fresh as dense, suggested, unstrided } from '../ops/layouts/format.ts';
import { agree } from '../ops/layouts/inquiry.ts';
import { fresh } from '../ops/op.ts';
import type { Outcome } from '../ops/outcome.ts';
import { add, floorDiv, int, mul, ONE, type SymInt, sub } from '../symbols/index.ts';
import {
  contiguous,
  elementwise,
  type Fault,
  isFault,
  type Layout,
  type Result,
  type Tensor,
  unsure,
} from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { given, quotient, sizesOf, trains, tupleOfSizes } from './arguments.ts';
import { indivisible } from './convolutions.ts';
import { call, type ModuleEntry, module, type Self, through, withInputs } from './module.ts';

/** The modules of `torchvision.ops`. */
type Laid = (self: Self, input: Tensor, call: Call) => Result<Layout>;

/** A forward that makes one new tensor of the dtype of its input. */
const making = (laid: Laid) =>
  withInputs('forward(input: Tensor) -> any', (self, { input }, context) =>
    performing(context, (inquiry) => {
      const layout = laid(self, input, inquiry);
      return { result: isFault(layout) ? layout : fresh(layout, input.dtype), writes: [] };
    }),
  );

const size = (self: Self, name: string, context: OpContext): SymInt => {
  const value = self(name);
  return value.kind === 'int' ? value.value : context.fresh(name);
};

/** Frozen statistics scale and shift every channel. */
const frozen: Laid = (self, input, { ask, demand, context }) =>
  elementwise([input.layout, dense([ONE, size(self, 'num_features', context), ONE, ONE])], ask, { demand });

/** Norms keep sizes and format of the convolution before them, and so do activations, whichever it is; of others little is known. */
const USUAL = /^(torch\.nn\.)?(BatchNorm[23]d|ReLU6?|SiLU|Hardswish|GELU|LeakyReLU|Sigmoid)$/;
const isUsual = (layer: Value): boolean =>
  layer.kind === 'none' ||
  (layer.kind === 'str' && USUAL.test(layer.value)) ||
  (layer.kind === 'torch' && USUAL.test(layer.name));

const isActivation = (layer: Value): boolean => layer.kind === 'unknown' || isUsual(layer);

const convolved =
  (spatial: 2 | 3): Laid =>
  (self, input, inquiry) => {
    const { context } = inquiry;
    const [kernel, stride, dilation] = ['kernel_size', 'stride', 'dilation'].map((name) =>
      sizesOf(self(name), spatial, name, context),
    );
    if (!kernel || !stride || !dilation) return unsure('how it was made is not known');
    const [inputs, outputs, groups] = ['in_channels', 'out_channels', 'groups'].map((name) =>
      size(self, name, context),
    );
    if (!inputs || !outputs || !groups) return unsure('how it was made is not known');
    const given = self('padding');
    const padding =
      given.kind === 'none'
        ? kernel.map((k, d) => mul(floorDiv(sub(k, ONE), int(2)), dilation[d] ?? ONE))
        : given.kind === 'str'
          ? given.value === 'same'
            ? ('same' as const)
            : ('valid' as const)
          : sizesOf(given, spatial, 'padding', context);
    const weight = contiguous([outputs, quotient(inputs, groups), ...kernel]);
    const conv = { spatial, stride, padding, dilation, groups, outputPadding: null, dtype: input.dtype };
    const layout = convolution(input.layout, weight, conv, inquiry);
    if (isFault(layout) || (isUsual(self('norm_layer')) && isActivation(self('activation_layer')))) return layout;
    return unstrided(layout.shape);
  };

const convNormActivations = ([2, 3] as const).map((spatial) =>
  module(
    `torchvision.ops.Conv${spatial}dNormActivation(in_channels: SymInt, out_channels: SymInt, kernel_size: any = 3, stride: any = 1, padding: any = None, groups: SymInt = 1, norm_layer: any = 'BatchNorm${spatial}d', activation_layer: any = 'ReLU', dilation: any = 1, inplace: any = True, bias: any = None) -> any`,
    { ndim: spatial + 2, forward: making(convolved(spatial)) },
  ),
);

/** Every channel is scaled by a number made of the means of all. */
const squeezed: Laid = (self, { layout }, inquiry) => {
  if (layout.front) return unsure('the rank of the input is not known');
  const { shape } = layout;
  const channels = size(self, 'input_channels', inquiry.context);
  const differs = agree(shape.at(-3) ?? ONE, channels, `dim ${shape.length - 3} of input`, inquiry);
  if (differs !== null) return differs;
  const scale = suggested(layout, [...shape.slice(0, -2), ONE, ONE], inquiry.ask);
  return elementwise([scale, layout], inquiry.ask);
};

/** Linear layers, which end in one. */
const layered: Laid = (self, { layout }, inquiry) => {
  const hidden = self('hidden_channels');
  const last = hidden.kind === 'tuple' ? hidden.items.at(-1) : undefined;
  if (last?.kind !== 'int' || layout.front) return unsure('how the MLP was made is not known');
  const { shape } = layout;
  const inputs = size(self, 'in_channels', inquiry.context);
  const differs = agree(shape.at(-1) ?? ONE, inputs, `dim ${shape.length - 1} of input`, inquiry);
  return differs ?? dense([...shape.slice(0, -1), last.value]);
};

/** Modules that hand over to the function of the same sense: class, its arguments, function. */
const REGIONS: readonly (readonly [string, string, string])[] = [
  ['RoIAlign', 'output_size: any, spatial_scale: any, sampling_ratio: any, aligned: any = False', 'roi_align'],
  ['RoIPool', 'output_size: any, spatial_scale: any', 'roi_pool'],
  ['PSRoIAlign', 'output_size: any, spatial_scale: any, sampling_ratio: any', 'ps_roi_align'],
  ['PSRoIPool', 'output_size: any, spatial_scale: any', 'ps_roi_pool'],
];

const regions = REGIONS.map(([name, parameters, f]) =>
  module(`torchvision.ops.${name}(${parameters}) -> any`, {
    ndim: 4,
    forward: withInputs('forward(input: Tensor, rois: any) -> any', (self, { input, rois }, context) =>
      call(`torchvision.ops.${f}`, [input, rois, self('output_size')], {}, context),
    ),
  }),
);

const dropping = (f: string, names: readonly string[]) =>
  withInputs('forward(input: Tensor) -> any', (self, { input }, context) =>
    call(`torchvision.ops.${f}`, [input, ...names.map(self)], { training: trains(self('training'), context) }, context),
  );

const blocks = ([2, 3] as const).map((spatial) =>
  module(
    `torchvision.ops.DropBlock${spatial}d(p: any, block_size: any, inplace: any = False, eps: any = 1e-6) -> any`,
    { ndim: spatial + 2, forward: dropping(`drop_block${spatial}d`, ['p', 'block_size', 'inplace']) },
  ),
);

/** Regions of several images, read from feature maps of one number of channels. */
function multiScale(self: Self, boxes: Value, context: OpContext): Outcome {
  const [height = ONE, width = ONE] = sizesOf(self('output_size'), 2, 'size', context);
  const counts = (boxes.kind === 'tuple' ? boxes.items : []).map((item) =>
    item.kind === 'tensor' && !item.layout.front ? item.layout.shape[0] : undefined,
  );
  const known = counts.flatMap((count) => (count === undefined ? [] : [count]));
  const count = known.length > 0 && known.length === counts.length ? add(...known) : context.fresh('regions');
  return performing(context, () => ({
    result: fresh(dense([count, context.fresh('channels'), height, width]), null),
    writes: [],
  }));
}

export const vision: readonly ModuleEntry[] = [
  ...convNormActivations,
  ...regions,
  ...blocks,
  module('torchvision.ops.FrozenBatchNorm2d(num_features: SymInt, eps: any = 1e-5) -> any', {
    buffers: ({ num_features }) => ({
      weight: [num_features],
      bias: [num_features],
      running_mean: [num_features],
      running_var: [num_features],
    }),
    ndim: 4,
    forward: making(frozen),
  }),
  module(
    'torchvision.ops.SqueezeExcitation(input_channels: SymInt, squeeze_channels: SymInt, activation: any = None, scale_activation: any = None) -> any',
    { ndim: 4, forward: making(squeezed) },
  ),
  module(
    'torchvision.ops.MLP(in_channels: SymInt, hidden_channels: any, norm_layer: any = None, activation_layer: any = None, inplace: any = None, bias: any = True, dropout: any = 0.0) -> any',
    { forward: making(layered) },
  ),
  module('torchvision.ops.Permute(dims: any) -> any', { forward: through('torch.permute', (self) => [self('dims')]) }),
  module('torchvision.ops.StochasticDepth(p: any, mode: any) -> any', {
    forward: dropping('stochastic_depth', ['p', 'mode']),
  }),
  module(
    'torchvision.ops.DeformConv2d(in_channels: SymInt, out_channels: SymInt, kernel_size: any, stride: any = 1, padding: any = 0, dilation: any = 1, groups: SymInt = 1, bias: any = True) -> any',
    {
      raises: ({ in_channels, out_channels, groups }, { facts }): Fault | null =>
        indivisible('in_channels', in_channels, groups, facts) ??
        indivisible('out_channels', out_channels, groups, facts),
      attributes: ({ kernel_size, stride, padding, dilation }, context) => ({
        kernel_size: tupleOfSizes(sizesOf(kernel_size, 2, 'kernel', context)),
        stride: tupleOfSizes(sizesOf(stride, 2, 'stride', context)),
        padding: tupleOfSizes(sizesOf(padding, 2, 'padding', context)),
        dilation: tupleOfSizes(sizesOf(dilation, 2, 'dilation', context)),
      }),
      parameters: ({ in_channels, out_channels, kernel_size, groups, bias }, context) => ({
        weight: [out_channels, quotient(in_channels, groups), ...sizesOf(kernel_size, 2, 'kernel', context)],
        bias: given(bias) ? [out_channels] : null,
      }),
      ndim: 4,
      forward: withInputs(
        'forward(input: Tensor, offset: Tensor, mask: any = None) -> any',
        (self, { input, offset, mask }, context) =>
          call(
            'torchvision.ops.deform_conv2d',
            [input, offset, self('weight'), self('bias'), self('stride'), self('padding'), self('dilation'), mask],
            {},
            context,
          ),
      ),
    },
  ),
  module(
    'torchvision.ops.MultiScaleRoIAlign(featmap_names: any, output_size: any, sampling_ratio: any, *, canonical_scale: any = 224, canonical_level: any = 4) -> any',
    {
      attributes: ({ output_size }, context) => ({
        output_size: tupleOfSizes(sizesOf(output_size, 2, 'size', context)),
      }),
      forward: withInputs('forward(x: any, boxes: any, image_shapes: any) -> any', (self, { boxes }, context) =>
        multiScale(self, boxes, context),
      ),
    },
  ),
  module(
    'torchvision.ops.FeaturePyramidNetwork(in_channels_list: any, out_channels: SymInt, extra_blocks: any = None, norm_layer: any = None) -> any',
    { forward: () => failed(unsure('it takes a dict of feature maps')) },
  ),
];
