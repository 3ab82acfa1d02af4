import type { Cause, Fault } from '../tensor/index.ts';
import { tupleOf, type Value } from '../values/value.ts';
import type { OpContext } from './context.ts';
import { isRefusal } from './convert.ts';
import type { Bound } from './op.ts';
import type { Signature } from './signature.ts';

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
  const { parameters, positional, gathers } = signature;
  const last = positional - 1;
  const rest = spreads(signature, name, args) ? tupleOf(args.slice(last)) : undefined;
  const count = rest === undefined ? args.length : positional;
  if (count > positional) return mismatch('arguments', `${args.length}`, `at most ${positional} of them`);
  const named = keywords.size === 0 ? NO_KEYWORDS : byParameter(signature, count, keywords);
  if ('is' in named) return named;
  const bound: Record<string, unknown> = {};
  for (let i = 0; i < parameters.length; i++) {
    const parameter = parameters[i];
    if (parameter === undefined) continue;
    if (parameter === gathers) {
      bound[parameter.name] = named.others;
      continue;
    }
    const value = i >= count ? named.values.get(parameter.name) : i === last && rest !== undefined ? rest : args[i];
    const argument = value === undefined ? parameter.fallback : parameter.convert(value, context);
    if (argument === undefined) return mismatch(parameter.name, 'nothing', 'an argument');
    if (isRefusal(argument)) {
      if (argument.fault !== 'mismatch') return argument;
      return mismatch(parameter.name, `a ${value?.kind ?? 'default'}`, parameter.types.join(' or '));
    }
    bound[parameter.name] = argument;
  }
  return { is: 'bound', args: bound };
}

const mismatch = (name: string, got: string, expects: string): Binding & { readonly is: 'mismatch' } => ({
  is: 'mismatch',
  cause: { is: 'argument', name, got, expects, signature: true },
});

interface Named {
  readonly values: ReadonlyMap<string, Value>;
  /** Keywords that no parameter has, where the signature gathers them. */
  readonly others: ReadonlyMap<string, Value>;
}

const NO_KEYWORDS: Named = { values: new Map(), others: new Map() };

/** The keywords by the names of their parameters, of which the first `taken` have a value. */
function byParameter(
  signature: Signature,
  taken: number,
  keywords: ReadonlyMap<string, Value>,
): Named | (Binding & { readonly is: 'mismatch' }) {
  const values = new Map<string, Value>();
  const others = new Map<string, Value>();
  for (const [keyword, value] of keywords) {
    const index = indexOf(signature, keyword);
    const parameter = signature.parameters[index];
    if (parameter === undefined && signature.gathers !== null) {
      others.set(keyword, value);
      continue;
    }
    if (parameter === undefined || index < taken || values.has(parameter.name))
      return mismatch(keyword, 'it', 'no such keyword');
    values.set(parameter.name, value);
  }
  return { values, others };
}

/** -1: no parameter goes by that keyword. */
function indexOf({ parameters }: Signature, keyword: string): number {
  const own = parameters.findIndex(({ name }) => name === keyword);
  if (own >= 0) return own;
  for (const synonym of SYNONYMS.get(keyword) ?? []) {
    const other = parameters.findIndex(({ name }) => name === synonym);
    if (other >= 0) return other;
  }
  return -1;
}

/**
 * Sizes and dims may stand without brackets, `x.view(2, 3)`, where they are the only argument beside `self`: what
 * `PythonArgParser` calls `allow_varargs_intlist`. So may `*tensors`.
 */
function spreads({ parameters, positional }: Signature, name: string, args: readonly Value[]): boolean {
  const at = positional - 1;
  const last = parameters[at];
  if (last === undefined || args.length <= at) return false;
  const list = last.isSizes && at === (name.startsWith('torch.Tensor.') ? 1 : 0);
  if (!list && !last.variadic) return false;
  const only = args[at];
  if (args.length > at + 1 || only === undefined) return true;
  return standsAlone(only) || (at === 0 && isOneSize(only));
}

/** A value that is one entry of a list without brackets; an unknown one may be the list. */
const standsAlone = ({ kind }: Value) => kind === 'int' || kind === 'tensor' || kind === 'bool' || kind === 'float';

/** `torch.ones(dim)`: what is unknown but for its name is taken for one size, unless the name speaks of a list of them. */
const isOneSize = (value: Value) =>
  value.kind === 'unknown' && value.symbol !== undefined && !MAY_BE_LIST.test(value.symbol);

const MAY_BE_LIST = /(^|\.)(\w*shape|\w*dims|size|(img|image|input|output|patch|window|kernel|grid)_size)s?(#\d+)?$/;
