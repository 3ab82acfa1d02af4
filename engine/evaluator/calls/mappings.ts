import type { Value } from '../../values/value.ts';
import type { Dictionary, Instance } from '../state/heap.ts';
import { allocate, heapRead, type Run } from '../state/run.ts';
import { mro } from './classes.ts';

/** Where an instance of a program class that is a dict keeps its entries. */
const ENTRIES = 'entries of the mapping';

const DICTS = new Set(['builtins.dict', 'collections.OrderedDict', 'collections.UserDict', 'collections.defaultdict']);
const PROTOCOLS = new Set([
  'collections.abc.Mapping',
  'collections.abc.MutableMapping',
  'typing.Mapping',
  'typing.MutableMapping',
]);

const inherits = (run: Run, classId: number, names: ReadonlySet<string>): boolean =>
  mro(run, classId).some(({ bases }) => bases.some((base) => base.kind === 'torch' && names.has(base.name)));

export const isDictClass = (run: Run, classId: number): boolean => inherits(run, classId, DICTS);

/** A class that gets `get` and the like from its own `__getitem__`. */
export const isMappingClass = (run: Run, classId: number): boolean => inherits(run, classId, PROTOCOLS);

const DICT_METHODS = new Set([
  '__getitem__',
  '__setitem__',
  '__contains__',
  'keys',
  'values',
  'items',
  'get',
  'pop',
  'setdefault',
  'update',
  'copy',
]);

/** What an instance of a program class inherits from `dict` under a name: a method and what it is bound to. */
export function inheritedFromDict(
  run: Run,
  ref: number,
  name: string,
): { readonly receiver: Value; readonly callee: Value } | null {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance' || object.classId === null) return null;
  const entries = entriesOf(object);
  if (entries && DICT_METHODS.has(name))
    return { receiver: entries, callee: { kind: 'torch', name: `builtins.dict.${name}` } };
  if (name === 'get' && isMappingClass(run, object.classId))
    return { receiver: { kind: 'ref', ref }, callee: { kind: 'torch', name: 'collections.abc.Mapping.get' } };
  return null;
}

/** The dict behind an instance, where it is one. */
export const entriesOf = (object: Instance): Value | null => object.attributes.get(ENTRIES) ?? null;

export function giveEntries(object: Instance, entries: Value): void {
  object.attributes.set(ENTRIES, entries);
}

/** The fields that are set, as a dataclass that is also a dict lists them; what may be None may be missing. */
export function entriesOfFields(run: Run, names: readonly string[], valueNamed: (name: string) => Value): Value {
  const entries = new Map<string, { readonly key: Value; readonly value: Value }>();
  for (const name of names) {
    const value = valueNamed(name);
    if (value.kind !== 'none') entries.set(`s:${name}`, { key: { kind: 'str', value: name }, value });
  }
  return { kind: 'ref', ref: allocate(run, { object: 'dict', entries, rest: null }) };
}

/** The keys that an item may be asked for by, where the entries are all known. */
export function knownKeys(run: Run, object: Instance): readonly Value[] | null {
  const entries = entriesOf(object);
  const dict = entries?.kind === 'ref' ? heapRead(run, entries.ref) : undefined;
  return dict?.object === 'dict' && !dict.rest ? [...dict.entries.values()].map(({ key }) => key) : null;
}

/**
 * What may stand under a key that is none of the known ones, or, where `key` is null, under any. What is registered by a name
 * that is not known beside functions is one more of their kind, and tells nothing.
 */
export function possibleEntries({ entries, rest }: Dictionary, key: string | null): readonly Value[] {
  const known = key === null ? [...entries.values()].map(({ value }) => value) : [];
  if (rest === null) return known;
  const isTable = known.length > 1 && known.every((value) => value.kind === 'program' && value.what === 'function');
  return isTable && rest.kind === 'unknown' ? known : [...known, rest];
}
