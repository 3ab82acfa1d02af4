import { failed } from '../ops/call.ts';
import { always, mod, type SymInt, ZERO } from '../symbols/index.ts';
import { isFault, raises, unsqueeze } from '../tensor/index.ts';
import { boolValue, type Value } from '../values/value.ts';
import { given, trains, tupleOfSizes } from './arguments.ts';
import { call, type ModuleEntry, module, ofRanks, type Self, through, withInputs } from './module.ts';

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

const affine = (features: SymInt, flag: Value, bias: Value) => ({
  weight: given(flag) ? [features] : null,
  bias: given(flag) && given(bias) ? [features] : null,
});

/** Batch statistics are taken while training, and where none are kept. */
const batchNorm = withInputs('forward(input: Tensor) -> any', (self: Self, { input }, context) => {
  const training = self('running_mean').kind === 'none' ? boolValue(true) : trains(self('training'), context);
  return call(
    'F.batch_norm',
    [input, self('running_mean'), self('running_var'), self('weight'), self('bias')],
    { training },
    context,
  );
});

const batchNorms = (
  [
    ['BatchNorm1d', [2, 3]],
    ['BatchNorm2d', [4]],
    ['BatchNorm3d', [5]],
  ] as const
).map(([name, ranks]) =>
  module(
    `${name}(num_features: SymInt, eps: any = 1e-5, momentum: any = 0.1, affine: any = True, track_running_stats: any = True, device: any = None, dtype: any = None, *, bias: any = True) -> any`,
    {
      parameters: (args) => affine(args.num_features, args.affine, args.bias),
      buffers: ({ num_features, track_running_stats }) => statistics(num_features, track_running_stats),
      ...(ranks.length === 1 ? { ndim: ranks[0] } : {}),
      forward: ofRanks(ranks, batchNorm),
    },
  ),
);

/** Running statistics are used outside training, where they are kept. One sample goes through as a batch of one. */
const instanceNorm = (spatial: number) =>
  withInputs('forward(input: Tensor) -> any', (self, { input }, context) => {
    const use_input_stats = self('running_mean').kind === 'none' ? boolValue(true) : trains(self('training'), context);
    const lone = !input.layout.front && input.layout.shape.length === spatial + 1;
    const wide = lone ? unsqueeze(input.layout, 0) : input.layout;
    if (isFault(wide)) return failed(wide);
    const batch = { ...input, layout: wide };
    const normed = call(
      'F.instance_norm',
      [batch, self('running_mean'), self('running_var'), self('weight'), self('bias')],
      { use_input_stats },
      context,
    );
    const { result } = normed;
    if (!lone || isFault(result) || result.is !== 'fresh') return normed;
    const { shape, stride } = result.layout;
    return {
      ...normed,
      result: { ...result, layout: { ...result.layout, shape: shape.slice(1), stride: stride?.slice(1) ?? null } },
    };
  });

const instanceNorms = ([1, 2, 3] as const).map((spatial) =>
  module(
    `InstanceNorm${spatial}d(num_features: SymInt, eps: any = 1e-5, momentum: any = 0.1, affine: any = False, track_running_stats: any = False, device: any = None, dtype: any = None, *, bias: any = True) -> any`,
    {
      parameters: (args) => affine(args.num_features, args.affine, args.bias),
      buffers: ({ num_features, track_running_stats }) => statistics(num_features, track_running_stats),
      forward: ofRanks([spatial + 1, spatial + 2], instanceNorm(spatial)),
    },
  ),
);

export const norms: readonly ModuleEntry[] = [
  ...batchNorms,
  module(
    'SyncBatchNorm(num_features: SymInt, eps: any = 1e-5, momentum: any = 0.1, affine: any = True, track_running_stats: any = True, process_group: any = None, device: any = None, dtype: any = None, *, bias: any = True) -> any',
    {
      parameters: (args) => affine(args.num_features, args.affine, args.bias),
      buffers: ({ num_features, track_running_stats }) => statistics(num_features, track_running_stats),
      forward: ofRanks([2, 3, 4, 5], batchNorm),
    },
  ),
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
    'GroupNorm(num_groups: SymInt, num_channels: SymInt, eps: any = 1e-5, affine: any = True, device: any = None, dtype: any = None, *, bias: any = True) -> any',
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
      parameters: (args) => affine(args.num_channels, args.affine, args.bias),
      forward: through('F.group_norm', (self) => [self('num_groups'), self('weight'), self('bias')]),
    },
  ),
  module('LocalResponseNorm(size: any, alpha: any = 0.0001, beta: any = 0.75, k: any = 1.0) -> any', {
    forward: through('F.local_response_norm', (self) => [self('size')]),
  }),
  /** A function of its own, whose result is contiguous. */
  module('CrossMapLRN2d(size: any, alpha: any = 0.0001, beta: any = 0.75, k: any = 1.0) -> any', {
    forward: ofRanks(
      [4],
      through(
        'torch.clone',
        () => [],
        () => ({ memory_format: { kind: 'memory-format', value: 'contiguous_format' } }),
      ),
    ),
  }),
];
