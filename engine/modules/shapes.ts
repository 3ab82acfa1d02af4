import { boolValue, NONE, tupleOf, type Value } from '../values/value.ts';
import { call, type ModuleEntry, module, type Self, through, withInputs } from './module.ts';

const SPATIAL = [1, 2, 3] as const;
const text = (value: string): Value => ({ kind: 'str', value });

/** `padding` is a number or one amount per side, kept as a tuple from the last dim on. */
const pads = (
  [
    ['ReflectionPad', 'reflect'],
    ['ReplicationPad', 'replicate'],
    ['ZeroPad', 'constant'],
    ['CircularPad', 'circular'],
    ['ConstantPad', 'constant'],
  ] as const
).flatMap(([name, mode]) =>
  SPATIAL.map((spatial) =>
    module(
      `${name}${spatial}d(padding: any${name === 'ConstantPad' ? ', value: any' : ''}) -> any` as 'P(padding: any) -> any',
      {
        attributes: ({ padding }) => ({
          padding: padding.kind === 'tuple' ? padding : tupleOf(Array.from({ length: 2 * spatial }, () => padding)),
        }),
        forward: through('F.pad', (self) => [self('padding'), text(mode)]),
      },
    ),
  ),
);

const resampled = (self: Self) => ['size', 'scale_factor', 'mode', 'align_corners'].map(self);

export const shapes: readonly ModuleEntry[] = [
  ...pads,
  module('Flatten(start_dim: any = 1, end_dim: any = -1) -> any', {
    forward: through('torch.flatten', (self) => [self('start_dim'), self('end_dim')]),
  }),
  module('Unflatten(dim: any, unflattened_size: any) -> any', {
    forward: through('torch.unflatten', (self) => [self('dim'), self('unflattened_size')]),
  }),
  module(
    "Upsample(size: any = None, scale_factor: any = None, mode: any = 'nearest', align_corners: any = None, recompute_scale_factor: any = None) -> any",
    {
      forward: through('F.interpolate', resampled),
    },
  ),
  module('UpsamplingNearest2d(size: any = None, scale_factor: any = None) -> any', {
    attributes: () => ({ mode: text('nearest'), align_corners: NONE }),
    forward: through('F.interpolate', resampled),
  }),
  module('UpsamplingBilinear2d(size: any = None, scale_factor: any = None) -> any', {
    attributes: () => ({ mode: text('bilinear'), align_corners: boolValue(true) }),
    forward: through('F.interpolate', resampled),
  }),
  module('PixelShuffle(upscale_factor: any) -> any', {
    forward: through('F.pixel_shuffle', (self) => [self('upscale_factor')]),
  }),
  module('PixelUnshuffle(downscale_factor: any) -> any', {
    forward: through('F.pixel_unshuffle', (self) => [self('downscale_factor')]),
  }),
  module('ChannelShuffle(groups: any) -> any', { forward: through('F.channel_shuffle', (self) => [self('groups')]) }),
  module('Unfold(kernel_size: any, dilation: any = 1, padding: any = 0, stride: any = 1) -> any', {
    ndim: 4,
    forward: through('F.unfold', (self) => [self('kernel_size'), self('dilation'), self('padding'), self('stride')]),
  }),
  module('Fold(output_size: any, kernel_size: any, dilation: any = 1, padding: any = 0, stride: any = 1) -> any', {
    ndim: 3,
    forward: through(
      'F.fold',
      (self) => [self('output_size'), self('kernel_size')],
      (self) => ({
        dilation: self('dilation'),
        padding: self('padding'),
        stride: self('stride'),
      }),
    ),
  }),
  module('CosineSimilarity(dim: any = 1, eps: any = 1e-8) -> any', {
    forward: withInputs('forward(x1: Tensor, x2: Tensor) -> any', (self, { x1, x2 }, context) =>
      call('F.cosine_similarity', [x1, x2, self('dim')], {}, context),
    ),
  }),
  module('PairwiseDistance(p: any = 2.0, eps: any = 1e-6, keepdim: any = False) -> any', {
    forward: withInputs('forward(x1: Tensor, x2: Tensor) -> any', (self, { x1, x2 }, context) =>
      call('F.pairwise_distance', [x1, x2], { keepdim: self('keepdim') }, context),
    ),
  }),
];
