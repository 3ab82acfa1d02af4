import type { ModuleEntry } from '../../modules/index.ts';
import { type Facts, meet, type SymInt } from '../../symbols/index.ts';
import type { Value } from '../../values/value.ts';

/** The variables of one call, of a class body or of a module. */
export interface Frame {
  readonly object: 'frame';
  readonly variables: Map<string, Value>;
}

/** A list, set or iterator: `items` in order, then, where `rest` is set, an unknown number of further items like it. */
export interface Sequence {
  readonly object: 'list' | 'set' | 'iterator';
  items: readonly Value[];
  rest: Value | null;
  /** The number of items where `rest` is set. */
  length: SymInt | null;
}

/** A dict: the entries of known keys, then, where `rest` is set, entries of unknown keys. */
export interface Dictionary {
  readonly object: 'dict';
  readonly entries: Map<string, { readonly key: Value; readonly value: Value }>;
  rest: Value | null;
}

/** An instance of a program class or of a module class of torch. */
export interface Instance {
  readonly object: 'instance';
  /** The id of the program class, or null for an instance of a torch class itself. */
  readonly classId: number | null;
  /** The torch class it is or inherits from, as `torch.nn.Linear`. */
  readonly torchClass: string | null;
  entry: ModuleEntry | null;
  readonly attributes: Map<string, Value>;
}

/** What an in-place change of metadata made of a tensor object, or what an unknown turned out to be. */
export interface Rebound {
  readonly object: 'rebound';
  readonly value: Value;
}

export type HeapObject = Frame | Sequence | Dictionary | Instance | Rebound;

/** Where an object stands: its reference; for what a tensor has become the number of the tensor, for an unknown its symbol. */
export type Place = number | string;

/**
 * The mutable state as a chain of layers: a branch writes into a layer of its own, which is later merged or dropped.
 * An object is copied into the top layer the first time it is written there.
 */
export interface Layer {
  readonly parent: Layer | null;
  readonly own: Map<Place, HeapObject>;
  facts: Facts;
}

export const fork = (parent: Layer): Layer => ({ parent, own: new Map(), facts: parent.facts });

export function read(layer: Layer, ref: Place): HeapObject | undefined {
  for (let at: Layer | null = layer; at !== null; at = at.parent) {
    const found = at.own.get(ref);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The object for writing in this layer. */
export function write(layer: Layer, ref: Place): HeapObject | undefined {
  const own = layer.own.get(ref);
  if (own !== undefined) return own;
  const found = read(layer, ref);
  if (found === undefined) return undefined;
  const copy = clone(found);
  layer.own.set(ref, copy);
  return copy;
}

function clone(object: HeapObject): HeapObject {
  switch (object.object) {
    case 'frame':
      return { object: 'frame', variables: new Map(object.variables) };
    case 'list':
    case 'set':
    case 'iterator':
      return { ...object };
    case 'dict':
      return { ...object, entries: new Map(object.entries) };
    case 'instance':
      return { ...object, attributes: new Map(object.attributes) };
    case 'rebound':
      return object;
  }
}

/** The same layers with objects of their own, from the root to the last. */
export function copyOfLayers(last: Layer): { readonly root: Layer; readonly layer: Layer } {
  const own = new Map([...last.own].map(([place, object]) => [place, clone(object)]));
  if (last.parent === null) {
    const root: Layer = { parent: null, own, facts: last.facts };
    return { root, layer: root };
  }
  const { root, layer: parent } = copyOfLayers(last.parent);
  return { root, layer: { parent, own, facts: last.facts } };
}

/** Moves what `layer` holds into `into`, one of its ancestors: the branch turned out to be the only way on. */
export function commit(layer: Layer, into: Layer): void {
  for (const chain = chainTo(layer, into); chain.length > 0; ) {
    const next = chain.pop();
    if (next) for (const [ref, object] of next.own) into.own.set(ref, object);
  }
  into.facts = layer.facts;
}

/** The layers from `layer` up to, but without, `base`. */
function chainTo(layer: Layer, base: Layer): Layer[] {
  const chain: Layer[] = [];
  for (let at: Layer | null = layer; at !== null && at !== base; at = at.parent) chain.push(at);
  return chain;
}

/** The objects that changed between `base` and `layer`. */
export function changed(layer: Layer, base: Layer): Map<Place, HeapObject> {
  const out = new Map<Place, HeapObject>();
  for (const at of chainTo(layer, base).reverse()) for (const [ref, object] of at.own) out.set(ref, object);
  return out;
}

export type JoinValues = (a: Value | undefined, b: Value | undefined, where: string) => Value | undefined;

/** Merges several ways that end in one place into `base`. */
export function joinLayers(base: Layer, ends: readonly Layer[], join: JoinValues): void {
  const [first, ...others] = ends;
  if (first === undefined) return;
  if (others.length === 0) {
    commit(first, base);
    return;
  }
  const changes = ends.map((end) => changed(end, base));
  // What joining teaches of the numbers that it names comes on top.
  base.facts = ends.map((end) => end.facts).reduce((a, b) => (a === b ? a : meet(a, b)));
  const refs = new Set(changes.flatMap((map) => [...map.keys()]));
  for (const ref of refs) {
    const versions = changes.map((map) => map.get(ref) ?? read(base, ref)).filter((object) => object !== undefined);
    const [start, ...rest] = versions;
    if (start && (versions.length === ends.length || staysKnown(start)))
      base.own.set(
        ref,
        rest.reduce((a, b) => (a === b ? a : joinObjects(a, b, join, `${ref}`)), start),
      );
  }
}

/**
 * That an unknown is a tensor holds from its first use on, and that it may be something else from where it was replaced on
 * any way; that it has a value holds only where all ways say so.
 */
export const staysKnown = (object: HeapObject): boolean =>
  object.object !== 'rebound' || object.value.kind === 'tensor' || object.value.kind === 'unknown';

export function joinObjects(a: HeapObject, b: HeapObject, join: JoinValues, where: string): HeapObject {
  if (a.object === 'frame' && b.object === 'frame')
    return { object: 'frame', variables: joinMaps(a.variables, b.variables, join, where) };
  if (a.object === 'instance' && b.object === 'instance')
    return { ...a, attributes: joinMaps(a.attributes, b.attributes, join, where) };
  if (a.object === 'dict' && b.object === 'dict') return joinDictionaries(a, b, join, where);
  if (a.object === 'rebound' && b.object === 'rebound')
    return { object: 'rebound', value: join(a.value, b.value, where) ?? a.value };
  if (isSequence(a) && isSequence(b)) return joinSequences(a, b, join, where);
  return a;
}

export const isSequence = (object: HeapObject | undefined): object is Sequence =>
  object?.object === 'list' || object?.object === 'set' || object?.object === 'iterator';

function joinMaps(a: Map<string, Value>, b: Map<string, Value>, join: JoinValues, where: string): Map<string, Value> {
  const out = new Map(a);
  for (const [name, value] of b) {
    const mine = a.get(name);
    const both = mine === value ? value : join(mine, value, `${where}.${name}`);
    if (both) out.set(name, both);
  }
  return out;
}

function joinDictionaries(a: Dictionary, b: Dictionary, join: JoinValues, where: string): Dictionary {
  const entries = new Map(a.entries);
  for (const [key, entry] of b.entries) {
    const value = join(a.entries.get(key)?.value, entry.value, `${where}[${key}]`);
    if (value) entries.set(key, { key: entry.key, value });
  }
  return {
    object: 'dict',
    entries,
    rest: a.rest && b.rest ? (join(a.rest, b.rest, `${where}[*]`) ?? null) : (a.rest ?? b.rest),
  };
}

function joinSequences(a: Sequence, b: Sequence, join: JoinValues, where: string): Sequence {
  if (a.items.length === b.items.length && !a.rest && !b.rest) {
    const items = a.items.map((item, i) => join(item, b.items[i], `${where}[${i}]`) ?? item);
    return { ...a, items };
  }
  const common = Math.min(a.items.length, b.items.length);
  const items = a.items.slice(0, common).map((item, i) => join(item, b.items[i], `${where}[${i}]`) ?? item);
  const tail = [...a.items.slice(common), ...b.items.slice(common), ...[a.rest, b.rest].filter((x) => x !== null)];
  const rest = tail.reduce<Value | undefined>((x, y) => (x ? join(x, y, `${where}[*]`) : y), undefined);
  return { ...a, items, rest: rest ?? null, length: null };
}
