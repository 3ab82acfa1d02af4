import { failed } from '../ops/call.ts';
import type { OpContext } from '../ops/context.ts';
import { add, always, int, mod, mul, ONE, type SymInt, sub, ZERO } from '../symbols/index.ts';
import { type Layout, type Result, raises, unsure } from '../tensor/index.ts';
import { intValue, tupleOf, type Value } from '../values/value.ts';
import { given, quotient, sizesOf, tupleOfSizes } from './arguments.ts';
import { call, type ModuleEntry, module, type Self, through, withInputs } from './module.ts';

const SPATIAL = [1, 2, 3] as const;

const settings = (self: Self): readonly Value[] => [
  self('weight'),
  self('bias'),
  self('stride'),
  self('padding'),
  self('dilation'),
  self('groups'),
];

const forward = SPATIAL.map((spatial) =>
  module(
    `Conv${spatial}d(in_channels: SymInt, out_channels: SymInt, kernel_size: any, stride: any = 1, padding: any = 0, dilation: any = 1, groups: SymInt = 1, bias: any = True, padding_mode: any = 'zeros', device: any = None, dtype: any = None) -> any`,
    {
      raises: ({ in_channels, out_channels, groups }, { facts }) =>
        indivisible('in_channels', in_channels, groups, facts) ??
        indivisible('out_channels', out_channels, groups, facts),
      attributes: ({ kernel_size, stride, padding, dilation }, context) => ({
        kernel_size: tupleOfSizes(sizesOf(kernel_size, spatial, 'kernel', context)),
        stride: tupleOfSizes(sizesOf(stride, spatial, 'stride', context)),
        padding: padding.kind === 'str' ? padding : tupleOfSizes(sizesOf(padding, spatial, 'padding', context)),
        dilation: tupleOfSizes(sizesOf(dilation, spatial, 'dilation', context)),
        transposed: { kind: 'bool', value: false },
        output_padding: tupleOf(Array.from({ length: spatial }, () => intValue(ZERO))),
      }),
      parameters: ({ in_channels, out_channels, kernel_size, groups, bias }, context) => ({
        weight: [out_channels, quotient(in_channels, groups), ...sizesOf(kernel_size, spatial, 'kernel', context)],
        bias: given(bias) ? [out_channels] : null,
      }),
      ndim: spatial + 2,
      forward: through(`F.conv${spatial}d`, settings),
    },
  ),
);

const transposed = SPATIAL.map((spatial) =>
  module(
    `ConvTranspose${spatial}d(in_channels: SymInt, out_channels: SymInt, kernel_size: any, stride: any = 1, padding: any = 0, output_padding: any = 0, groups: SymInt = 1, bias: any = True, dilation: any = 1, padding_mode: any = 'zeros', device: any = None, dtype: any = None) -> any`,
    {
      raises: ({ in_channels, out_channels, groups, padding_mode }, { facts }) =>
        (padding_mode.kind === 'str' && padding_mode.value !== 'zeros'
          ? raises({ is: 'argument', name: 'padding_mode', got: `'${padding_mode.value}'`, expects: "'zeros'" })
          : null) ??
        indivisible('in_channels', in_channels, groups, facts) ??
        indivisible('out_channels', out_channels, groups, facts),
      attributes: ({ kernel_size, stride, padding, dilation, output_padding }, context) => ({
        kernel_size: tupleOfSizes(sizesOf(kernel_size, spatial, 'kernel', context)),
        stride: tupleOfSizes(sizesOf(stride, spatial, 'stride', context)),
        padding: tupleOfSizes(sizesOf(padding, spatial, 'padding', context)),
        dilation: tupleOfSizes(sizesOf(dilation, spatial, 'dilation', context)),
        output_padding: tupleOfSizes(sizesOf(output_padding, spatial, 'padding', context)),
        transposed: { kind: 'bool', value: true },
      }),
      parameters: ({ in_channels, out_channels, kernel_size, groups, bias }, context) => ({
        weight: [in_channels, quotient(out_channels, groups), ...sizesOf(kernel_size, spatial, 'kernel', context)],
        bias: given(bias) ? [out_channels] : null,
      }),
      ndim: spatial + 2,
      forward: withInputs(
        'forward(input: Tensor, output_size: any = None) -> any',
        (self, { input, output_size }, context) => {
          const outputPadding = paddingFor(self, input.layout, output_size, spatial, context);
          if ('fault' in outputPadding) return failed(outputPadding);
          return call(
            `F.conv_transpose${spatial}d`,
            [input, self('weight'), self('bias'), self('stride'), self('padding'), outputPadding],
            { groups: self('groups'), dilation: self('dilation') },
            context,
          );
        },
      ),
    },
  ),
);

/** `_output_padding` (torch/nn/modules/conv.py): an output size is reached by padding the smallest one, by less than a stride. */
function paddingFor(self: Self, input: Layout, outputSize: Value, spatial: number, context: OpContext): Result<Value> {
  if (outputSize.kind === 'none') return self('output_padding');
  if (outputSize.kind !== 'tuple' || input.front) return unsure('the output size is not known');
  const [kernel, stride, padding, dilation] = ['kernel_size', 'stride', 'padding', 'dilation'].map((name) =>
    sizesOf(self(name), spatial, name, context),
  );
  const extra: SymInt[] = [];
  for (const [d, size] of input.shape.slice(-spatial).entries()) {
    const [k, s, p, r] = [kernel?.[d] ?? ONE, stride?.[d] ?? ONE, padding?.[d] ?? ZERO, dilation?.[d] ?? ONE];
    const least = sub(add(mul(sub(size, ONE), s), mul(r, sub(k, ONE)), ONE), mul(int(2), p));
    const wanted = sizesOf(tupleOf(outputSize.items.slice(-spatial)), spatial, 'output', context)[d] ?? ONE;
    const more = sub(wanted, least);
    if (always('less', more, ZERO, context.facts) || always('less', more, s, context.facts) === false)
      return raises({
        is: 'argument',
        name: 'output_size',
        got: `${wanted.constant ?? 'a size'}`,
        expects: `${least.constant ?? 'the smallest output'} or less than a stride above it`,
      });
    extra.push(more);
  }
  return tupleOfSizes(extra);
}

/** Channels are shared out evenly among groups. */
export function indivisible(
  name: string,
  size: Parameters<typeof mod>[0],
  by: Parameters<typeof mod>[0],
  facts: Parameters<typeof always>[3],
) {
  if (always('equal', mod(size, by), ZERO, facts) !== false) return null;
  return raises({
    is: 'argument',
    name,
    got: `${size.constant ?? 'a size'}`,
    expects: `a multiple of groups, ${by.constant ?? 'a size'}`,
  });
}

export const convolutions: readonly ModuleEntry[] = [...forward, ...transposed];
