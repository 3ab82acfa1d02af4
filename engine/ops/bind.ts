import type { Cause, Fault } from '../tensor/index.ts';
import { tupleOf, type Value } from '../values/value.ts';
import type { OpContext } from './context.ts';
import { type Converted, convert } from './convert.ts';
import { readLiteral } from './literal.ts';
import type { Bound } from './op.ts';
import type { Parameter, Signature } from './signature.ts';

/** `mismatch`: the call is of another overload, or a TypeError where there is none; the cause says why. */
export type Binding =
  | { readonly is: 'bound'; readonly args: Bound }
  | { readonly is: 'mismatch'; readonly cause: Cause }
  | Fault;

/** What PyTorch's argument parser also takes for a keyword, after NumPy. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['input', ['self']],
  ['axis', ['dim', 'dims']],
  ['dim', ['axis']],
  ['keepdims', ['keepdim']],
  ['x', ['self']],
  ['x2', ['other']],
]);

/** Binds the values of a call to the parameters of a signature. `name` is the qualified name under which it is called. */
export function bind(
  signature: Signature,
  name: string,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  context: OpContext,
): Binding {
  const positional = signature.parameters.filter((parameter) => !parameter.keywordOnly);
  const values = new Map<string, Value>();
  const gathered = gather(positional, name.startsWith('torch.Tensor.'), args);
  if (gathered.length > positional.length)
    return mismatch('arguments', `${args.length}`, `at most ${positional.length} of them`);
  for (const [index, value] of gathered.entries()) values.set(positional[index]?.name ?? '', value);
  const others = new Map<string, Value>();
  const gathers = signature.parameters.some(({ types }) => types.includes('named'));
  for (const [keyword, value] of keywords) {
    const parameter = parameterFor(signature, keyword);
    if (parameter === undefined && gathers) {
      others.set(keyword, value);
      continue;
    }
    if (parameter === undefined || values.has(parameter)) return mismatch(keyword, 'it', 'no such keyword');
    values.set(parameter, value);
  }
  const bound: Record<string, unknown> = {};
  for (const parameter of signature.parameters) {
    if (parameter.types.includes('named')) {
      bound[parameter.name] = others;
      continue;
    }
    const value = values.get(parameter.name) ?? defaultOf(parameter);
    if (value === null) return mismatch(parameter.name, 'nothing', 'an argument');
    const converted: Converted = convert(value, parameter, context);
    if (!('is' in converted)) return converted;
    if (converted.is === 'mismatch') return mismatch(parameter.name, `a ${value.kind}`, parameter.types.join(' or '));
    bound[parameter.name] = converted.argument;
  }
  return { is: 'bound', args: bound };
}

const mismatch = (name: string, got: string, expects: string): Binding => ({
  is: 'mismatch',
  cause: { is: 'argument', name, got, expects, signature: true },
});

function parameterFor({ parameters }: Signature, keyword: string): string | undefined {
  const names = [keyword, ...(SYNONYMS.get(keyword) ?? [])];
  return names.find((candidate) => parameters.some(({ name }) => name === candidate));
}

/**
 * Sizes and dims may stand without brackets, `x.view(2, 3)`, where they are the only argument beside `self`: what
 * `PythonArgParser` calls `allow_varargs_intlist`. So may `*tensors`.
 */
function gather(positional: readonly Parameter[], method: boolean, args: readonly Value[]): readonly Value[] {
  const last = positional[positional.length - 1];
  const at = positional.length - 1;
  if (last === undefined || args.length <= at) return args;
  const list = last.types.some((type) => type === 'SymInt[]' || type === 'int[]') && at === (method ? 1 : 0);
  if (!list && !last.variadic) return args;
  const [only] = args.slice(at);
  const bracketed =
    args.length === at + 1 && only !== undefined && !standsAlone(only) && !(at === 0 && isOneSize(only));
  return bracketed ? args : [...args.slice(0, at), tupleOf(args.slice(at))];
}

/** A value that is one entry of a list without brackets; an unknown one may be the list. */
const standsAlone = ({ kind }: Value) => kind === 'int' || kind === 'tensor' || kind === 'bool' || kind === 'float';

/** `torch.ones(dim)`: what is unknown but for its name is taken for one size, unless the name speaks of a list of them. */
const isOneSize = (value: Value) =>
  value.kind === 'unknown' && value.symbol !== undefined && !MAY_BE_LIST.test(value.symbol);

const MAY_BE_LIST = /(^|\.)(\w*shape|\w*dims|size|(img|image|input|output|patch|window|kernel|grid)_size)s?(#\d+)?$/;

const defaults = new Map<string, Value>();

function defaultOf(parameter: Parameter): Value | null {
  if (parameter.variadic) return tupleOf([]);
  if (parameter.default === null) return null;
  const known = defaults.get(parameter.default);
  if (known !== undefined) return known;
  const value = readLiteral(parameter.default);
  if (value === null) throw new Error(`not a default: ${parameter.default}`);
  defaults.set(parameter.default, value);
  return value;
}
