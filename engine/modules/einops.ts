import { patternRank } from '../ops/einops.ts';
import type { Value } from '../values/value.ts';
import { call, type ModuleEntry, module, type Self, withInputs } from './module.ts';

/** The sizes that a layer was made with are attributes, each under the name of its axis. */
const axis = (name: string) => `axes_lengths.${name}`;
const axes = (lengths: ReadonlyMap<string, Value>) =>
  Object.fromEntries([...lengths].map(([name, length]) => [axis(name), length]));

function lengthsOf(self: Self): Readonly<Record<string, Value>> {
  const pattern = self('pattern');
  const names = pattern.kind === 'str' ? (pattern.value.match(/[A-Za-z_]\w*/g) ?? []) : [];
  const given = names.map((name) => [name, self(axis(name))] as const);
  return Object.fromEntries(given.filter(([, length]) => length.kind !== 'none'));
}

const ndim = (self: Self): number | null => {
  const pattern = self('pattern');
  return pattern.kind === 'str' ? (patternRank(pattern.value) ?? null) : null;
};

export const einops: readonly ModuleEntry[] = [
  module('einops.layers.torch.Rearrange(pattern: str, **axes_lengths: named) -> any', {
    attributes: ({ axes_lengths }) => axes(axes_lengths),
    ndim,
    forward: withInputs('forward(input: Tensor) -> any', (self, { input }, context) =>
      call('einops.rearrange', [input, self('pattern')], lengthsOf(self), context),
    ),
  }),
  module('einops.layers.torch.Reduce(pattern: str, reduction: any, **axes_lengths: named) -> any', {
    attributes: ({ axes_lengths }) => axes(axes_lengths),
    ndim,
    forward: withInputs('forward(input: Tensor) -> any', (self, { input }, context) =>
      call('einops.reduce', [input, self('pattern'), self('reduction')], lengthsOf(self), context),
    ),
  }),
];
