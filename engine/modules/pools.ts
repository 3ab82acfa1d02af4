import { type Fault, raises } from '../tensor/index.ts';
import { NONE, tupleOf, type Value } from '../values/value.ts';
import { sizesOf, tupleOfSizes } from './arguments.ts';
import { call, type ModuleEntry, module, type Self, through, withInputs } from './module.ts';

const SPATIAL = [1, 2, 3] as const;
const named =
  (...names: readonly string[]) =>
  (self: Self) =>
    Object.fromEntries(names.map((name) => [name, self(name)]));

const maxPools = SPATIAL.map((spatial) =>
  module(
    `MaxPool${spatial}d(kernel_size: any, stride: any = None, padding: any = 0, dilation: any = 1, return_indices: any = False, ceil_mode: any = False) -> any`,
    {
      attributes: ({ kernel_size, stride }) => ({ stride: stride.kind === 'none' ? kernel_size : stride }),
      ndim: spatial + 2,
      forward: through(
        `F.max_pool${spatial}d`,
        () => [],
        named('kernel_size', 'stride', 'padding', 'dilation', 'ceil_mode', 'return_indices'),
      ),
    },
  ),
);

const averagePools = SPATIAL.map((spatial) =>
  module(
    `AvgPool${spatial}d(kernel_size: any, stride: any = None, padding: any = 0, ceil_mode: any = False, count_include_pad: any = True${spatial === 1 ? '' : ', divisor_override: any = None'}) -> any` as 'P(kernel_size: any, stride: any, padding: any) -> any',
    {
      attributes: ({ kernel_size, stride, padding }, context) => {
        const stored = stride.kind === 'none' ? kernel_size : stride;
        if (spatial !== 1) return { stride: stored };
        // Only the 1-D one makes tuples of its arguments (torch/nn/modules/pooling.py).
        const row = (value: Value, hint: string) => tupleOfSizes(sizesOf(value, 1, hint, context));
        return {
          kernel_size: row(kernel_size, 'kernel'),
          stride: row(stored, 'stride'),
          padding: row(padding, 'padding'),
        };
      },
      ndim: spatial + 2,
      forward: through(`F.avg_pool${spatial}d`, () => [], named('kernel_size', 'stride', 'padding', 'ceil_mode')),
    },
  ),
);

const adaptivePools = SPATIAL.flatMap((spatial) => [
  module(`AdaptiveAvgPool${spatial}d(output_size: any) -> any`, {
    ndim: spatial + 2,
    forward: through(`F.adaptive_avg_pool${spatial}d`, (self) => [self('output_size')]),
  }),
  module(`AdaptiveMaxPool${spatial}d(output_size: any, return_indices: any = False) -> any`, {
    ndim: spatial + 2,
    forward: through(`F.adaptive_max_pool${spatial}d`, (self) => [self('output_size'), self('return_indices')]),
  }),
  module(`LPPool${spatial}d(norm_type: any, kernel_size: any, stride: any = None, ceil_mode: any = False) -> any`, {
    ndim: spatial + 2,
    forward: through(`F.lp_pool${spatial}d`, () => [], named('norm_type', 'kernel_size', 'stride', 'ceil_mode')),
  }),
  module(`MaxUnpool${spatial}d(kernel_size: any, stride: any = None, padding: any = 0) -> any`, {
    attributes: ({ kernel_size, stride, padding }, context) => ({
      kernel_size: tupleOfSizes(sizesOf(kernel_size, spatial, 'kernel', context)),
      stride: tupleOfSizes(sizesOf(stride.kind === 'none' ? kernel_size : stride, spatial, 'stride', context)),
      padding: tupleOfSizes(sizesOf(padding, spatial, 'padding', context)),
    }),
    ndim: spatial + 2,
    forward: withInputs(
      'forward(input: Tensor, indices: Tensor, output_size: any = None) -> any',
      (self, { input, indices, output_size }, context) =>
        call(
          `F.max_unpool${spatial}d`,
          [input, indices, self('kernel_size'), self('stride'), self('padding'), output_size],
          {},
          context,
        ),
    ),
  }),
]);

/** The output is given by its sizes or by ratios below 1, and not by both. */
function oneOf(size: Value, ratio: Value): Fault | null {
  if ((size.kind === 'none') === (ratio.kind === 'none') && size.kind !== 'unknown' && ratio.kind !== 'unknown')
    return raises({
      is: 'argument',
      name: 'output_size',
      got: 'both or neither',
      expects: 'output_size or output_ratio',
    });
  for (const item of ratio.kind === 'tuple' ? ratio.items : [ratio])
    if (item.kind === 'float' && item.value !== null && (item.value <= 0 || item.value >= 1))
      return raises({ is: 'argument', name: 'output_ratio', got: `${item.value}`, expects: 'a ratio between 0 and 1' });
  return null;
}

const fractionalPools = ([2, 3] as const).map((spatial) =>
  module(
    `FractionalMaxPool${spatial}d(kernel_size: any, output_size: any = None, output_ratio: any = None, return_indices: any = False, _random_samples: any = None) -> any`,
    {
      raises: ({ output_size, output_ratio }) => oneOf(output_size, output_ratio),
      attributes: ({ kernel_size, output_size, output_ratio }, context) => ({
        kernel_size: tupleOfSizes(sizesOf(kernel_size, spatial, 'kernel', context)),
        output_size: output_size.kind === 'none' ? NONE : tupleOfSizes(sizesOf(output_size, spatial, 'size', context)),
        output_ratio:
          output_ratio.kind === 'float' ? tupleOf(Array.from({ length: spatial }, () => output_ratio)) : output_ratio,
      }),
      ndim: spatial + 2,
      forward: through(
        `F.fractional_max_pool${spatial}d`,
        () => [],
        named('kernel_size', 'output_size', 'output_ratio', 'return_indices'),
      ),
    },
  ),
);

export const pools: readonly ModuleEntry[] = [...maxPools, ...averagePools, ...adaptivePools, ...fractionalPools];
