import {
  type Facts,
  loneSymbol,
  ofAtom,
  type Phrase,
  type SymInt,
  same,
  simplify,
  symbol,
  symbolsOf,
} from '../../symbols/index.ts';
import { dottedName, is } from '../../syntax/index.ts';
import type { Value } from '../../values/value.ts';
import type { FunctionTrace } from '../trace.ts';
import { type Asked, asking } from '../units/reading.ts';
import { newWords, update, type Words } from '../units/words.ts';
import { areExclusive, type Binding, isAnother } from './bindings.ts';
import type { Instance } from './heap.ts';
import type { SourceFile } from './program.ts';
import { type Activation, currentTensor, heapRead, hintOf, type Run } from './run.ts';
import { settled } from './settled.ts';

/** A parameter as it turned out. */
interface Described {
  readonly name: string;
  readonly value: Value;
}

/** Gives a number a name, unless it or the name is taken. */
type Offer = (name: string, value: SymInt, binding?: Binding) => void;

/**
 * One name for each symbol throughout a function: the source's own where it has one, else a fresh one. What is made of
 * symbols that the function has no name for may have one as a whole: `self.num_patches`, `self.pos_embed.shape[1]`.
 */
export function naming(
  run: Run,
  act: Activation,
  parameters: ReadonlyMap<string, Value>,
  described: readonly Described[],
  facts: Facts,
): Pick<FunctionTrace, 'nameOf' | 'phrases' | 'numbers'> {
  const ofParameters = run.parameters;
  const words = act.file.path === run.own ? asking(wordsOf(act.file), run.reading) : wordsOf(act.file).times;
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const phrases: Phrase[] = [];
  const holders = new Map<string, Binding[]>();
  const numbers = new Map<string, SymInt | null>();
  const give: Offer = (name, value, binding) => {
    const exact = simplify(value, facts);
    const meant = numbers.get(name) ?? exact;
    numbers.set(name, numbers.get(name) !== null && same(meant, exact) ? meant : null);
    const id = loneSymbol(exact);
    if (id === null || names.has(id)) return;
    const held = holders.get(name);
    if (taken.has(name) && !(binding && held?.every((earlier) => isAnother(earlier, binding)))) return;
    names.set(id, name);
    taken.add(name);
    if (binding) holders.set(name, [...(held ?? []), binding]);
  };
  // What only a comment names, the function may have a name for as a whole.
  const said = new Set([...run.said].flatMap(([id, { within }]) => (within === act.info?.id ? [id] : [])));
  for (const { value } of act.named ?? []) said.delete(loneSymbol(value) ?? '');
  const compound: Offer = (name, value) => {
    const exact = simplify(value, facts);
    const id = `'${name}`;
    if (phrases.some(({ value: other }) => same(other, exact))) return;
    if (taken.has(name) || exact.constant !== null || loneSymbol(exact) !== null) return;
    names.set(id, name);
    taken.add(name);
    phrases.push({ value: exact, by: symbol(id) });
  };
  const phrase: Offer = (name, value) => {
    const ids = [...symbolsOf(simplify(value, facts))];
    if (!ids.every((each) => names.has(each) && !said.has(each))) compound(name, value);
  };
  const object = act.self?.kind === 'ref' ? heapRead(run, act.self.ref) : undefined;
  const self = object?.object === 'instance' ? object : null;
  if (self) offerRenamed(act, self, give);
  offerOwn(run, act, parameters, give);
  if (self) offerSizes(run, self, words, give);
  const ranked = described.filter(({ value }) => !isOpen(value));
  offerDims(ranked, words, give);
  if (self) offerShapes(run, self, words, give);
  // What an object was made with differs from one to the next, and with it what one of its numbers is in terms of others.
  if (self) for (const [name, value] of self.attributes) offerValue(`self.${name}`, value, compound);
  offerOwn(run, act, parameters, phrase);
  for (const { name, value, way } of act.named ?? []) {
    const exact = onItsWay(act, value, way);
    const [id] = symbolsOf(value);
    if (!exact || id === undefined || names.get(id) !== name || [...symbolsOf(exact)].every((each) => names.has(each)))
      continue;
    phrases.push({ value: exact, by: symbol(id) });
  }
  offerDims(ranked, words, phrase);
  if (self) {
    offerSizes(run, self, words, phrase);
    offerShapes(run, self, words, phrase);
  }
  const sizes = localSizes(run, act, described, words);
  // What only a comment names, and what an attribute of `self` is called, reads better than a size of something.
  const local: Offer = (name, value) => {
    const exact = simplify(value, facts);
    const ids = [...symbolsOf(exact)];
    const inParts = ids.filter((each) => isInPart(names.get(each)));
    const isRemote = inParts.length > 1 || inParts.some((each) => !isTermIn(exact, each));
    if (isRemote || !ids.every((each) => names.has(each) || isAttribute(hintOf(each)))) compound(name, value);
  };
  // A part of a parameter has a name: `thw[0]`.
  const isPart = (size: SymInt): boolean => {
    const id = loneSymbol(simplify(size, facts));
    return id !== null && ofParameters.has(id) && parameters.has(/^\w+/.exec(hintOf(id))?.[0] ?? '');
  };
  for (const offer of [give, local]) for (const [name, size] of sizes) if (!isPart(size)) offer(name, size);
  // Of a tensor whose rank stays unknown, names for the dims that are told apart are counted from its front.
  offerDims(described, words, give);
  for (const offer of [give, phrase]) if (self) offerItems(run, self, words, offer);
  const locals = new Set([...parameters.keys(), ...(act.named ?? []).map(({ name }) => name)]);
  const ownParameters = new Set(parameters.keys());
  const results = resultsOf(run, act, facts);
  return {
    nameOf: namer({ names, taken, locals, words, ofParameters, ownParameters, results }),
    phrases,
    numbers: new Map([...numbers].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))),
  };
}

interface Names {
  readonly names: Map<string, string>;
  readonly taken: Set<string>;
  readonly locals: ReadonlySet<string>;
  readonly words: Asked;
  readonly ofParameters: ReadonlyMap<string, string>;
  readonly ownParameters: ReadonlySet<string>;
  /** The calls that gave sizes of no other name, and of which dim each is the size: `stages_2`. */
  readonly results: ReadonlyMap<string, string>;
}

/** In a scope of its own: what is returned outlives the run, and must not keep it alive, nor a call's layers. */
function namer({ names, taken, locals, words, ofParameters, ownParameters, results }: Names): (id: string) => string {
  // The size of a parameter is called so, in whatever analysis of the function.
  const isSizeOfParameter = (name: string): boolean =>
    /_\d+$/.test(name) && ownParameters.has(name.replace(/_\d+$/, ''));
  const fresh = (id: string): string => {
    const hint = hintOf(id)
      .replace(/^\*/, '')
      .replace(/[^\w.[\]']/g, '');
    const isPath = isWrittenPath(hint, words) && !taken.has(hint);
    // a constructor's own name for it, where this function has no other use for that name
    const isOwn = isPath || (ofParameters.has(id) && !locals.has(hint) && !taken.has(hint));
    const made = VAGUE.test(hint) ? results.get(id) : undefined;
    const word = made ?? (hint.replace(/\W+/g, '_') || 'n');
    const base = ownParameters.has(word) ? `${word}_n` : word;
    let name = isOwn ? hint : word;
    for (let n = 1; !isOwn && (words.has(name) || taken.has(name) || isSizeOfParameter(name)); n++)
      name = `${base}_${n}`;
    taken.add(name);
    return name;
  };
  return (id) => {
    const name = names.get(id) ?? fresh(id);
    names.set(id, name);
    return name;
  };
}

/** A size of nobody knows what, or of a tensor of another function. */
const VAGUE = /^(value|size|n)$|_(\d+|last)$/;

/** What a local name stands for that is nothing but a shorter one: `p = self.patch_size`. */
function offerRenamed(act: Activation, self: Instance, offer: Offer): void {
  const renamed = new Set((act.named ?? []).flatMap(({ value }) => loneSymbol(value) ?? []));
  for (const [name, value] of self.attributes)
    if (value.kind === 'int' && renamed.has(loneSymbol(value.value) ?? '')) offer(`self.${name}`, value.value);
}

/** What the function itself calls it, and what `self` does. */
function offerOwn(run: Run, act: Activation, parameters: ReadonlyMap<string, Value>, offer: Offer): void {
  for (const [name, value] of parameters) offerValue(name, value, offer);
  for (const binding of act.named ?? []) offer(binding.name, binding.value, binding);
  for (const [id, { name, within }] of run.said) if (within === act.info?.id) offer(name, symbol(id));
}

/** What a local name turned out to be wherever it was bound: `N` for `H*W`, learned on the one way on which there is an `N`. */
function onItsWay(act: Activation, value: SymInt, way: string): SymInt | null {
  const exits = act.exits.filter((exit) => !areExclusive(exit.way ?? '', way));
  const [first, ...others] = exits.map(({ layer }) => simplify(value, layer.facts));
  return first && others.every((other) => same(other, first)) ? first : null;
}

/** A tensor whose rank stays unknown. */
const isOpen = (value: Value): boolean => value.kind === 'tensor' && value.layout.front === true;

/** Sizes of the tensors that are passed: `x_1`. */
function offerDims(parameters: readonly Described[], words: Asked, offer: Offer): void {
  for (const { name, value } of parameters)
    if (value.kind === 'tensor')
      value.layout.shape.forEach((size, d) => {
        if (!words.has(`${name}_${d}`)) offer(`${name}_${d}`, size);
      });
}

/** Sizes of the tensors that local names are bound to which stand for no parameter of known rank: `q.shape[2]`. */
function localSizes(
  run: Run,
  act: Activation,
  described: readonly Described[],
  words: Asked,
): readonly (readonly [string, SymInt])[] {
  if (!words.has('shape')) return [];
  // What a parameter's name stands for later is something else than what it stood for when its rank came out.
  const ranked = new Set(described.flatMap(({ name, value }) => (isOpen(value) ? [] : [name])));
  return act.events.flatMap((event) => {
    if (event.event !== 'value' || event.bound === null || ranked.has(event.bound)) return [];
    const { bound } = event;
    const now = settled(run, event.value);
    if (now.kind !== 'tensor' || now.layout.front) return [];
    if (described.some(({ name }) => name === bound)) ranked.add(bound);
    return now.layout.shape.map((size, d) => [`${bound}.shape[${d}]`, size] as const);
  });
}

/** The sizes that calls first gave, after what was called: `stages_2` is size 2 of what `self.stages(…)` gave. */
function resultsOf(run: Run, act: Activation, facts: Facts): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const event of act.events) {
    if ((event.event !== 'value' && event.event !== 'op') || !is(event.node, 'Call')) continue;
    const callee = dottedName(event.node.func)?.split('.').at(-1);
    const [output, ...others] = event.outputs;
    if (callee === undefined || !output || others.length > 0) continue;
    const { shape, front } = currentTensor(run, output.tensor).layout;
    if (front) continue;
    for (const [d, size] of shape.entries()) {
      const id = loneSymbol(simplify(size, facts));
      if (id !== null && !found.has(id)) found.set(id, `${callee}_${d}`);
    }
  }
  return found;
}

/** The numbers in tuples that an object and the modules in it hold: `self.grid_size[0]`. */
function offerItems(run: Run, self: Instance, words: Asked, offer: Offer): void {
  for (const [path, owner] of [['self', self] as const, ...partsOf(run, self, words)])
    for (const [name, value] of owner.attributes)
      if (value.kind === 'tuple' && words.has(name))
        for (const [i, item] of value.items.entries()) offerValue(`${path}.${name}[${i}]`, item, offer);
}

/** Numbers that an object and the modules in it hold, where the source has all the words: `self.fc1.out_features`. */
function offerSizes(run: Run, self: Instance, words: Asked, offer: Offer): void {
  for (const [name, value] of self.attributes) offerValue(`self.${name}`, value, offer);
  for (const [path, part] of partsOf(run, self, words))
    for (const [name, value] of part.attributes) if (words.has(name)) offerValue(`${path}.${name}`, value, offer);
}

/** Sizes of the tensors that an object and the modules in it hold: `self.pos_embed.shape[1]`. */
function offerShapes(run: Run, self: Instance, words: Asked, offer: Offer): void {
  if (!words.has('shape')) return;
  for (const [path, owner] of [['self', self] as const, ...partsOf(run, self, words)])
    for (const [name, value] of owner.attributes) {
      const now = settled(run, value);
      if (now.kind === 'tensor' && !now.layout.front && words.has(name))
        now.layout.shape.forEach((size, d) => {
          offer(`${path}.${name}.shape[${d}]`, size);
        });
    }
}

function partsOf(run: Run, self: Instance, words: Asked): readonly (readonly [string, Instance])[] {
  return [...self.attributes].flatMap(([name, value]) => {
    const part = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
    return part?.object === 'instance' && words.has(name) ? [[`self.${name}`, part] as const] : [];
  });
}

function offerValue(name: string, value: Value, offer: Offer): void {
  if (value.kind === 'int') offer(name, value.value);
  else if (value.kind === 'unknown' && value.symbol !== undefined) offer(name, symbol(value.symbol));
}

/** A number of a part of `self`, or in a tuple. */
const isInPart = (name: string | undefined): boolean => name !== undefined && /^self\.\w+[.[]/.test(name);

/** Whether a symbol stands in a number only as a factor: not under a `//`, nor beside itself. */
const isTermIn = ({ terms }: SymInt, id: string): boolean =>
  terms.every(
    ({ atoms }) =>
      atoms.every((atom) => atom.kind === 'symbol' || !symbolsOf(ofAtom(atom)).has(id)) &&
      atoms.filter((atom) => atom.kind === 'symbol' && atom.id === id).length < 2,
  );

const isAttribute = (hint: string): boolean => /^self\.\w+$/.test(hint);

/** Whether it is a path of which every word stands in the source. */
const isWrittenPath = (path: string, words: Asked): boolean =>
  /^[A-Za-z_]\w*(\.\w+|\[\d+\])+$/.test(path) &&
  path.split(/[.[\]]+/).every((word) => word === '' || /^\d+$/.test(word) || words.has(word));

const identifiers = new WeakMap<SourceFile, Words>();

/** Where there are those of the file as it was before, `words` becomes those of the file. */
export function wordsOf(file: SourceFile, words?: Words): Words {
  const found = words ?? identifiers.get(file) ?? newWords();
  if (found.text !== file.text) update(found, file.text);
  identifiers.set(file, found);
  return found;
}
