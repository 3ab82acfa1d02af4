import { failed } from '../ops/call.ts';
import type { OpContext } from '../ops/context.ts';
import type { Bound } from '../ops/op.ts';
import { parseSignature } from '../ops/signature.ts';
import type { SymInt } from '../symbols/index.ts';
import { contiguous, isFault, type Layout, type Tensor, unsure } from '../tensor/index.ts';
import { intValue, type Value } from '../values/value.ts';
import { convolutions } from './convolutions.ts';
import { linears } from './linears.ts';
import { asValue, bindConstructor, type Construction, type ModuleEntry, type Parameter, type Self } from './module.ts';
import { norms } from './norms.ts';

/** The arguments of the constructor are kept until the first forward, apart from the attributes of the same names. */
const kept = (name: string) => `kept.${name}`;

/** A lazy class takes the size that it lacks from its first input, and is the other class from then on. */
function lazy(base: ModuleEntry, missing: string, sizeIn: (input: Layout) => SymInt | undefined): ModuleEntry {
  const { text, name } = base.signature;
  const own = text.replace(name, `Lazy${name}`).replace(`${missing}: SymInt, `, '');
  // A lazy instance norm is affine and keeps statistics unless told otherwise, as `_LazyNormBase` has it.
  const signature = parseSignature(own.replaceAll('any = False', 'any = True'));
  return {
    ...base,
    name: `torch.nn.Lazy${name}`,
    signature,
    construct: (args, context) => {
      const made = base.construct({ ...args, [missing]: context.fresh(missing) }, context);
      return isFault(made) ? made : uninitialized(made, args, missing);
    },
    forward: (self, args, keywords, context) => {
      const [input] = args;
      if (input?.kind !== 'tensor' || input.layout.front) return failed(unsure('the rank of the input is not known'));
      const size = sizeIn(input.layout) ?? context.fresh(missing);
      const made = initialized(base, self, new Map([[missing, intValue(size)]]), context);
      if (isFault(made)) return failed(made);
      const own = new Map(made.parameters.map((parameter) => [parameter.name, tensorOf(parameter, input)]));
      return base.forward((key) => own.get(key) ?? made.attributes.get(key) ?? self(key), args, keywords, context);
    },
  };
}

function uninitialized({ attributes, parameters }: Construction, args: Bound, missing: string): Construction {
  const known = new Map(attributes);
  for (const [name, argument] of Object.entries(args)) known.set(kept(name), asValue(argument));
  for (const name of [missing, ...parameters.map((parameter) => parameter.name)]) known.delete(name);
  return { attributes: known, parameters: parameters.filter(({ shape }) => shape.length === 0) };
}

function initialized(base: ModuleEntry, self: Self, size: ReadonlyMap<string, Value>, context: OpContext) {
  const names = base.signature.parameters.map(({ name }) => name).filter((name) => !size.has(name));
  const bound = bindConstructor(
    base,
    [],
    new Map([...size, ...names.map((name) => [name, self(kept(name))] as const)]),
    context,
  );
  return isFault(bound) ? bound : base.construct(bound, context);
}

/** Parameters made on the way are as good as the module's own, for all that a forward asks of them. */
const tensorOf = ({ shape }: Parameter, { device, storage }: Tensor): Tensor => ({
  kind: 'tensor',
  id: -1,
  layout: contiguous(shape),
  dtype: null,
  device,
  requiresGrad: true,
  storage: { ...storage, id: -1, nbytes: null },
  assumes: [],
  elements: null,
});

/** The dim of the channels: before the spatial dims, or behind the batch. */
const channelsOf = (name: string) => {
  const spatial = Number(/\d/.exec(name)?.[0] ?? 0);
  return ({ shape }: Layout): SymInt | undefined => shape.at(-spatial - 1);
};

export const lazies: readonly ModuleEntry[] = [...linears, ...convolutions, ...norms].flatMap((base) => {
  const { name } = base.signature;
  if (name === 'Linear') return [lazy(base, 'in_features', ({ shape }) => shape.at(-1))];
  if (/^Conv/.test(name)) return [lazy(base, 'in_channels', channelsOf(name))];
  return /^(Batch|Instance)Norm/.test(name) ? [lazy(base, 'num_features', ({ shape }) => shape[1])] : [];
});
