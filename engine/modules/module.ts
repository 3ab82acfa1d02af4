/**
 * The form of a module: its constructor in PyTorch's signature language, the shapes of its parameters, and a forward that
 * is an op over what it was made with.
 *
 *     module('Linear(in_features: SymInt, out_features: SymInt, bias: any = True, device: any = None, dtype: any = None) -> any', {
 *       parameters: ({ in_features, out_features, bias }) => ({
 *         weight: [out_features, in_features],
 *         bias: given(bias) ? [out_features] : null,                     // null: registered as None
 *       }),
 *       forward: through('F.linear', ({ weight, bias }) => [weight, bias]),
 *     });
 *
 * Every constructor argument but `device` and `dtype` is an attribute under its name, as in PyTorch; `attributes` adds
 * others or puts them as PyTorch stores them (`kernel_size` of a convolution is a tuple). In a forward, `self` has the
 * attributes, parameters and buffers by name. `ndim` is the rank that a forward demands of an input of unknown rank. A
 * name with dots stands in full, another is one of `torch.nn`.
 */
import { bind } from '../ops/bind.ts';
import { callOp, failed } from '../ops/call.ts';
import type { OpContext } from '../ops/context.ts';
import { qualify } from '../ops/names.ts';
import type { Bound } from '../ops/op.ts';
import type { Outcome } from '../ops/outcome.ts';
import { findOp } from '../ops/registry/index.ts';
import { type Arguments, parseSignature, type Signature } from '../ops/signature.ts';
import type { SymInt } from '../symbols/index.ts';
import { type DType, type Fault, type Result, raises, unsure } from '../tensor/index.ts';
import { boolValue, intValue, NONE, tupleOf, type Value } from '../values/value.ts';

export interface Parameter {
  readonly name: string;
  readonly shape: readonly SymInt[];
  readonly dtype: DType | null;
  readonly buffer: boolean;
}

export interface Construction {
  readonly attributes: ReadonlyMap<string, Value>;
  readonly parameters: readonly Parameter[];
}

/** The attributes of a module by name; one that it does not have is None. */
export type Self = (name: string) => Value;

type Keywords = ReadonlyMap<string, Value>;
export type Forward = (self: Self, args: readonly Value[], keywords: Keywords, context: OpContext) => Outcome;

type Shapes = Readonly<Record<string, readonly SymInt[] | null>>;

interface Spec<A> {
  readonly attributes?: (args: A, context: OpContext) => Readonly<Record<string, Value>>;
  readonly parameters?: (args: A, context: OpContext) => Shapes;
  readonly buffers?: (args: A, context: OpContext) => Shapes;
  readonly raises?: (args: A, context: OpContext) => Fault | null;
  readonly ndim?: number | ((self: Self) => number | null);
  readonly forward: Forward;
}

export interface ModuleEntry {
  /** `torch.nn.Linear`. */
  readonly name: string;
  readonly signature: Signature;
  /** The rank that the forward demands of its first input. */
  ndim(self: Self): number | null;
  construct(args: Bound, context: OpContext): Result<Construction>;
  readonly forward: Forward;
}

export function module<const S extends string>(signature: S, spec: Spec<Arguments<S>>): ModuleEntry {
  const parsed = parseSignature(signature);
  // As in `op`: the binder makes the arguments that the signature promises.
  const trusted = (args: Bound) => args as Arguments<S>;
  return {
    name: parsed.name.includes('.') ? parsed.name : `torch.nn.${parsed.name}`,
    signature: parsed,
    ndim: (self) => (typeof spec.ndim === 'function' ? spec.ndim(self) : (spec.ndim ?? null)),
    construct: (args, context) =>
      spec.raises?.(trusted(args), context) ?? constructed(spec, args, trusted(args), context),
    forward: spec.forward,
  };
}

function constructed<A>(spec: Spec<A>, bound: Bound, args: A, context: OpContext): Construction {
  const attributes = new Map<string, Value>();
  for (const [name, value] of Object.entries(bound))
    if (!(value instanceof Map) && name !== 'device' && name !== 'dtype' && name !== 'args')
      attributes.set(name, asValue(value));
  for (const [name, value] of Object.entries(spec.attributes?.(args, context) ?? {})) attributes.set(name, value);
  const parameters: Parameter[] = [];
  const registered = [
    [spec.parameters?.(args, context) ?? {}, false],
    [spec.buffers?.(args, context) ?? {}, true],
  ] as const;
  for (const [shapes, buffer] of registered)
    for (const [name, shape] of Object.entries(shapes)) {
      if (shape === null) attributes.set(name, NONE);
      else {
        attributes.delete(name);
        parameters.push({ name, shape, dtype: name === 'num_batches_tracked' ? 'int64' : 'float32', buffer });
      }
    }
  return { attributes, parameters };
}

/** The Python value of a bound argument. */
export function asValue(argument: unknown): Value {
  if (argument === null || argument === undefined) return NONE;
  if (typeof argument === 'boolean') return boolValue(argument);
  if (typeof argument === 'number') return { kind: 'float', value: argument };
  if (typeof argument === 'string') return { kind: 'str', value: argument };
  if (Array.isArray(argument)) return tupleOf(argument.map(asValue));
  return isValue(argument) ? argument : intValue(argument as SymInt);
}

const isValue = (argument: unknown): argument is Value =>
  typeof argument === 'object' && argument !== null && 'kind' in argument;

/** Binds a constructor call. */
export function bindConstructor(
  entry: ModuleEntry,
  args: readonly Value[],
  keywords: Keywords,
  context: OpContext,
): Result<Bound> {
  const binding = bind(entry.signature, 0, args, keywords, context);
  if (!('is' in binding)) return binding;
  return binding.is === 'bound' ? binding.args : raises(binding.cause());
}

/** Calls an op under its short name (`F.linear`) or its qualified one. */
export function call(
  name: string,
  args: readonly Value[],
  keywords: Readonly<Record<string, Value>>,
  context: OpContext,
): Outcome {
  const [qualified = name] = qualify(name);
  const op = findOp(qualified);
  if (op === null) return failed(unsure(`\`${qualified}\` is not modelled`));
  return callOp(op, args, new Map(Object.entries(keywords)), context);
}

/** A forward over one input: the op with the input first, then what `more` takes from the module. */
export function through(
  name: string,
  more: (self: Self) => readonly Value[] = () => [],
  keywords: (self: Self) => Readonly<Record<string, Value>> = () => ({}),
): Forward {
  return withInputs('forward(input: Tensor) -> any', (self, { input }, context) =>
    call(name, [input, ...more(self)], keywords(self), context),
  );
}

/** A forward whose inputs are bound to a signature of its own. */
export function withInputs<const S extends string>(
  signature: S,
  body: (self: Self, inputs: Arguments<S>, context: OpContext) => Outcome,
): Forward {
  const parsed = parseSignature(signature);
  return (self, args, keywords, context) => {
    const binding = bind(parsed, 0, args, keywords, context);
    if (!('is' in binding)) return failed(binding);
    // A forward is Python: what it makes of other arguments (a packed sequence, a list) is its own affair.
    if (binding.is === 'mismatch') return failed(unsure('the forward is given something else than tensors'));
    return body(self, binding.args as Arguments<S>, context);
  };
}

/** A forward that takes inputs of these ranks alone. */
export function ofRanks(ranks: readonly number[], forward: Forward): Forward {
  return (self, args, keywords, context) => {
    const [input] = args;
    if (input?.kind !== 'tensor' || input.layout.front || ranks.includes(input.layout.shape.length))
      return forward(self, args, keywords, context);
    const got = input.layout.shape.length;
    return failed(raises({ is: 'rank-differs', what: 'input', expected: ranks.join(' or '), got }));
  };
}
