import { failed, performing } from '../ops/call.ts';
import type { Call } from '../ops/context.ts';
import { readPattern } from '../ops/einops.ts';
import { lettered } from '../ops/families/einops.ts';
import { type Lengths, transform } from '../ops/layouts/einops.ts';
import { einsum } from '../ops/layouts/einsum.ts';
import { fresh } from '../ops/op.ts';
import { ONE, type SymInt } from '../symbols/index.ts';
import {
  expand,
  type Fault,
  isFault,
  type Layout,
  ndim,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import { type ModuleEntry, module, type Self, withInputs } from './module.ts';

/** The axes of a side, without their groups: `b t (h c)` has `b t h c`. */
const axesOf = (side: string): readonly string[] => side.replace(/[()]/g, ' ').trim().split(/\s+/);

const sidesOf = (pattern: string): readonly [string, string] => {
  const [left = '', right = ''] = pattern.split('->');
  return [left, right];
};

/** The size of an axis of the weight, which must be given. */
const sizeOf = (lengths: ReadonlyMap<string, Value>, axis: string): SymInt | null => {
  const length = lengths.get(axis);
  return length?.kind === 'int' ? length.value : null;
};

function notSized(weight: string, lengths: ReadonlyMap<string, Value>): Fault | null {
  const axis = axesOf(weight).find((name) => !lengths.has(name));
  if (axis === undefined) return null;
  return raises({ is: 'argument', name: axis, got: 'nothing', expects: 'the size of an axis of the weight' });
}

/** Each axis of the output is one of the bias or a dim of size 1. */
function biasShape(pattern: string, bias: Value, lengths: ReadonlyMap<string, Value>): readonly SymInt[] | null {
  if (bias.kind !== 'str') return null;
  const own = axesOf(bias.value);
  return axesOf(sidesOf(pattern)[1])
    .filter((axis) => axis !== '...')
    .map((axis) => (own.includes(axis) ? (sizeOf(lengths, axis) ?? ONE) : ONE));
}

function regrouped(layout: Layout, from: string, to: string, lengths: Lengths, call: Call): Result<Layout> {
  if (!`${from}${to}`.includes('(')) return layout;
  const recipe = readPattern(`${from}->${to}`, 'rearrange', ndim(layout));
  if (isFault(recipe)) return recipe;
  const made = transform(layout, recipe, lengths, call);
  return isFault(made) ? made : made.layout;
}

/** `EinMix`: to single axes, an einsum with the weight, the bias, and to the groups of the output. */
function mixed(self: Self, input: Tensor, call: Call): Result<Layout> {
  const [pattern, shape, weight, bias] = ['pattern', 'weight_shape', 'weight', 'bias'].map(self);
  if (pattern?.kind !== 'str' || shape?.kind !== 'str' || weight?.kind !== 'tensor')
    return unsure('how the EinMix was made is not known');
  const axes = axesOf(shape.value);
  const lengths = new Map(axes.map((axis, d) => [axis, weight.layout.shape[d] ?? ONE] as const));
  const [left, right] = sidesOf(pattern.value);
  const [inside, outside] = [axesOf(left), axesOf(right)].map((names) => names.join(' '));
  const known = new Map([...lengths].filter(([axis]) => axesOf(left).includes(axis)));
  const flat = regrouped(input.layout, left, inside ?? '', known, call);
  if (isFault(flat)) return flat;
  const equation = lettered(`${inside}, ${shape.value} -> ${outside}`);
  if (equation === null) return unsure('the pattern has numbers');
  const made = einsum(equation, [flat, weight.layout], call);
  if (isFault(made)) return made;
  // The bias is added in place.
  const fits = bias?.kind === 'tensor' ? expand(bias.layout, made.layout.shape, call.ask) : null;
  return isFault(fits) ? fits : regrouped(made.layout, outside ?? '', right, new Map(), call);
}

export const mixes: readonly ModuleEntry[] = [
  module(
    'einops.layers.torch.EinMix(pattern: str, weight_shape: str, bias_shape: any = None, **axes_lengths: named) -> any',
    {
      raises: ({ weight_shape, axes_lengths }) => notSized(weight_shape, axes_lengths),
      parameters: ({ pattern, weight_shape, bias_shape, axes_lengths }, context) => ({
        weight: axesOf(weight_shape).map((axis) => sizeOf(axes_lengths, axis) ?? context.fresh(axis)),
        bias: biasShape(pattern, bias_shape, axes_lengths),
      }),
      forward: withInputs('forward(input: Tensor) -> any', (self, { input }, context) => {
        if (input.layout.front) return failed(unsure('the rank of the input is not known'));
        return performing(context, (call) => {
          const layout = mixed(self, input, call);
          return { result: isFault(layout) ? layout : fresh(layout, input.dtype), writes: [] };
        });
      }),
    },
  ),
];
