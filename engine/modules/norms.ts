import { always, mod, type SymInt, ZERO } from '../symbols/index.ts';
import { raises } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { given, tupleOfSizes } from './arguments.ts';
import { call, type ModuleEntry, module, type Self, through, withInputs } from './module.ts';

/** A single size or a tuple of them. */
function normalized(shape: Value, fresh: (hint: string) => SymInt): readonly SymInt[] {
  if (shape.kind === 'tuple') return shape.items.map((item) => (item.kind === 'int' ? item.value : fresh('size')));
  return [shape.kind === 'int' ? shape.value : fresh('size')];
}

const statistics = (features: SymInt, track: Value) => ({
  running_mean: given(track) ? [features] : null,
  running_var: given(track) ? [features] : null,
  num_batches_tracked: given(track) ? [] : null,
});

const affine = (features: SymInt, flag: Value) => ({
  weight: given(flag) ? [features] : null,
  bias: given(flag) ? [features] : null,
});

const batchNorm = withInputs('forward(input: Tensor) -> any', (self: Self, { input }, context) =>
  call('F.batch_norm', [input, self('running_mean'), self('running_var'), self('weight'), self('bias')], {}, context),
);

const batchNorms = (
  [
    ['BatchNorm1d', null],
    ['BatchNorm2d', 4],
    ['BatchNorm3d', 5],
    ['SyncBatchNorm', null],
  ] as const
).map(([name, ndim]) =>
  module(
    `${name}(num_features: SymInt, eps: any = 1e-5, momentum: any = 0.1, affine: any = True, track_running_stats: any = True, device: any = None, dtype: any = None) -> any`,
    {
      parameters: (args) => affine(args.num_features, args.affine),
      buffers: ({ num_features, track_running_stats }) => statistics(num_features, track_running_stats),
      ...(ndim === null ? {} : { ndim }),
      forward: ndim === null ? batchNorm : ofRank(ndim, batchNorm),
    },
  ),
);

/** The modules for images and volumes reject inputs of another rank. */
function ofRank(ndim: number, forward: ModuleEntry['forward']): ModuleEntry['forward'] {
  return (self, args, keywords, context) => {
    const [input] = args;
    if (input?.kind !== 'tensor' || input.layout.front || input.layout.shape.length === ndim)
      return forward(self, args, keywords, context);
    const got = input.layout.shape.length;
    const result = raises({ is: 'rank-differs', what: 'input', expected: `${ndim}`, got });
    return { result, guards: [], writes: [], demands: [] };
  };
}

const instanceNorms = ([1, 2, 3] as const).map((spatial) =>
  module(
    `InstanceNorm${spatial}d(num_features: SymInt, eps: any = 1e-5, momentum: any = 0.1, affine: any = False, track_running_stats: any = False, device: any = None, dtype: any = None) -> any`,
    {
      parameters: (args) => affine(args.num_features, args.affine),
      buffers: ({ num_features, track_running_stats }) => statistics(num_features, track_running_stats),
      forward: through('F.instance_norm'),
    },
  ),
);

export const norms: readonly ModuleEntry[] = [
  ...batchNorms,
  ...instanceNorms,
  module(
    'LayerNorm(normalized_shape: any, eps: any = 1e-5, elementwise_affine: any = True, bias: any = True, device: any = None, dtype: any = None) -> any',
    {
      attributes: ({ normalized_shape }, context) => ({
        normalized_shape: tupleOfSizes(normalized(normalized_shape, context.fresh)),
      }),
      parameters: ({ normalized_shape, elementwise_affine, bias }, context) => {
        const shape = normalized(normalized_shape, context.fresh);
        return {
          weight: given(elementwise_affine) ? shape : null,
          bias: given(elementwise_affine) && given(bias) ? shape : null,
        };
      },
      forward: through('F.layer_norm', (self) => [self('normalized_shape'), self('weight'), self('bias')]),
    },
  ),
  module(
    'RMSNorm(normalized_shape: any, eps: any = None, elementwise_affine: any = True, device: any = None, dtype: any = None) -> any',
    {
      attributes: ({ normalized_shape }, context) => ({
        normalized_shape: tupleOfSizes(normalized(normalized_shape, context.fresh)),
      }),
      parameters: ({ normalized_shape, elementwise_affine }, context) => ({
        weight: given(elementwise_affine) ? normalized(normalized_shape, context.fresh) : null,
      }),
      forward: through('F.rms_norm', (self) => [self('normalized_shape'), self('weight')]),
    },
  ),
  module(
    'GroupNorm(num_groups: SymInt, num_channels: SymInt, eps: any = 1e-5, affine: any = True, device: any = None, dtype: any = None) -> any',
    {
      raises: ({ num_groups, num_channels }, { facts }) =>
        always('equal', mod(num_channels, num_groups), ZERO, facts) === false
          ? raises({
              is: 'argument',
              name: 'num_channels',
              got: `${num_channels.constant ?? 'a size'}`,
              expects: `a multiple of num_groups, ${num_groups.constant ?? 'a size'}`,
            })
          : null,
      parameters: (args) => affine(args.num_channels, args.affine),
      forward: through('F.group_norm', (self) => [self('num_groups'), self('weight'), self('bias')]),
    },
  ),
  module('LocalResponseNorm(size: any, alpha: any = 0.0001, beta: any = 0.75, k: any = 1.0) -> any', {
    forward: through('F.local_response_norm', (self) => [self('size')]),
  }),
  module('CrossMapLRN2d(size: any, alpha: any = 0.0001, beta: any = 0.75, k: any = 1.0) -> any', {
    forward: through('F.local_response_norm', (self) => [self('size')]),
  }),
];
