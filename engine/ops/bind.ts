import { type Cause, type Fault, isFault, unsure } from '../tensor/index.ts';
import { tupleOf, type Value } from '../values/value.ts';
import type { OpContext } from './context.ts';
import { isRefusal } from './convert.ts';
import type { Bound } from './op.ts';
import type { Parameter, Signature } from './signature.ts';

/** `mismatch`: the call is of another overload, or a TypeError where there is none, which the cause then explains. */
export type Binding = { readonly is: 'bound'; readonly args: Bound } | Mismatch | Fault;

export interface Mismatch {
  readonly is: 'mismatch';
  readonly cause: () => Cause;
}

/** What PyTorch's argument parser also takes for a keyword, after NumPy. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['input', ['self']],
  ['axis', ['dim', 'dims']],
  ['dim', ['axis']],
  ['keepdims', ['keepdim']],
  ['x', ['self']],
  ['x2', ['other']],
]);

/** Binds the values of a call to the parameters of a signature. `self` says how many stand before the dot: 1 for a method. */
export function bind(
  signature: Signature,
  self: 0 | 1,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  context: OpContext,
): Binding {
  const { parameters, positional, gathers } = signature;
  const last = positional - 1;
  const rest = spreads(signature, self, args) ? tupleOf(args.slice(last)) : undefined;
  const count = rest === undefined ? args.length : positional;
  if (count > positional) return tooMany(args.length, positional);
  const named = keywords.size === 0 ? null : byParameter(signature, count, keywords);
  if (named !== null && 'is' in named) return named;
  const bound: Record<string, unknown> = {};
  for (let i = 0; i < parameters.length; i++) {
    const parameter = parameters[i];
    if (parameter === undefined) continue;
    if (parameter === gathers) {
      bound[parameter.name] = named?.others ?? NO_OTHERS;
      continue;
    }
    const value = i >= count ? named?.values.get(parameter.name) : i === last && rest !== undefined ? rest : args[i];
    const argument = value === undefined ? parameter.fallback : parameter.convert(value, context);
    if (argument === undefined) return lacking(parameter);
    if (isRefusal(argument)) return argument.fault === 'mismatch' ? refused(parameter, value) : argument;
    bound[parameter.name] = argument;
  }
  const reduction = 'reduction' in bound ? legacyReduction(bound) : null;
  if (isFault(reduction)) return reduction;
  return { is: 'bound', args: reduction === null ? bound : { ...bound, reduction } };
}

/** `torch.nn._reduction.legacy_get_string`: where one of the old flags is given, they decide, whatever `reduction` says. */
function legacyReduction({ reduce, size_average: average }: Readonly<Record<string, unknown>>): string | null | Fault {
  const [all, mean] = [flag(reduce), flag(average)];
  if (all === null && mean === null) return null;
  if (all === undefined || mean === undefined) return unsure('the reduction is not known');
  return all === false ? 'none' : mean === false ? 'sum' : 'mean';
}

/** Null where the flag is not given, undefined where nobody can tell. */
function flag(value: unknown): boolean | null | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind === 'none') return null;
  return value.kind === 'bool' && 'value' in value && typeof value.value === 'boolean' ? value.value : undefined;
}

const mismatch = (cause: () => Cause): Mismatch => ({ is: 'mismatch', cause });

const tooMany = (count: number, positional: number): Mismatch =>
  mismatch(() => complaint('arguments', `${count}`, `at most ${positional} of them`));

const lacking = ({ name }: Parameter): Mismatch => mismatch(() => complaint(name, 'nothing', 'an argument'));

const refused = ({ name, types }: Parameter, value: Value | undefined): Mismatch =>
  mismatch(() => complaint(name, `a ${value?.kind ?? 'default'}`, types.join(' or ')));

const complaint = (name: string, got: string, expects: string): Cause => ({
  is: 'argument',
  name,
  got,
  expects,
  signature: true,
});

interface Named {
  readonly values: ReadonlyMap<string, Value>;
  /** Keywords that no parameter has, where the signature gathers them. */
  readonly others: ReadonlyMap<string, Value>;
}

const NO_OTHERS: Named['others'] = new Map();

/** The keywords by the names of their parameters, of which the first `taken` have a value. */
function byParameter(signature: Signature, taken: number, keywords: ReadonlyMap<string, Value>): Named | Mismatch {
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
      return mismatch(() => complaint(keyword, 'it', 'no such keyword'));
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
function spreads({ parameters, positional }: Signature, self: 0 | 1, args: readonly Value[]): boolean {
  const at = positional - 1;
  const last = parameters[at];
  if (last === undefined || args.length <= at) return false;
  const list = last.isSizes && at === self;
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
