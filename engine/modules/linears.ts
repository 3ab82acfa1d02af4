import { performing } from '../ops/call.ts';
import { same } from '../ops/op.ts';
import { given } from './arguments.ts';
import { call, type ModuleEntry, module, through, withInputs } from './module.ts';

export const linears: readonly ModuleEntry[] = [
  module(
    'Linear(in_features: SymInt, out_features: SymInt, bias: any = True, device: any = None, dtype: any = None) -> any',
    {
      parameters: ({ in_features, out_features, bias }) => ({
        weight: [out_features, in_features],
        bias: given(bias) ? [out_features] : null,
      }),
      forward: through('F.linear', (self) => [self('weight'), self('bias')]),
    },
  ),
  module(
    'Bilinear(in1_features: SymInt, in2_features: SymInt, out_features: SymInt, bias: any = True, device: any = None, dtype: any = None) -> any',
    {
      parameters: ({ in1_features, in2_features, out_features, bias }) => ({
        weight: [out_features, in1_features, in2_features],
        bias: given(bias) ? [out_features] : null,
      }),
      forward: withInputs('forward(input1: Tensor, input2: Tensor) -> any', (self, { input1, input2 }, context) =>
        call('F.bilinear', [input1, input2, self('weight'), self('bias')], {}, context),
      ),
    },
  ),
  /** Takes any arguments and returns its input as it is. */
  module('Identity(*args: any, **kwargs: named) -> any', {
    attributes: () => ({}),
    forward: withInputs('forward(input: Tensor) -> any', (_, { input }, context) =>
      performing(context, () => ({ result: same(input), writes: [] })),
    ),
  }),
];
