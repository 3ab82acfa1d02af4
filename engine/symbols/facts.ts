import { type Domain, type Range, sizeRange } from './bounds.ts';
import { floorDiv } from './laws.ts';
import { mul, type SymInt, same, sub } from './polynomial.ts';
import { collect, mentions } from './substitute.ts';

/**
 * What is known of the symbols, as an immutable value. Everything stored is simplified under the rest.
 * Facts rest on the assumption that sizes which were cancelled or divided by are not 0.
 */
export interface Facts extends Known {
  readonly memory: Memory;
}

interface Memory {
  /** Made when first asked for. */
  index: Index | null;
  /** The last lessons, the newest first. */
  lessons: readonly Lesson[];
  readonly inherits: Inherits | null;
}

/** Without these symbols the facts say of an integer exactly what the facts `from` say. */
interface Inherits {
  readonly from: Facts;
  readonly but: ReadonlySet<string>;
}

/** Symbols that are told apart before a new beginning is made. */
const MOST_APART = 32;

/** The memory of facts that tell of `id`, of which `facts` say nothing, and are those facts otherwise. */
export function inheriting(facts: Facts, id: string): Memory {
  const { inherits } = facts.memory;
  const further = inherits !== null && inherits.but.size < MOST_APART;
  const but = new Set(further ? inherits.but : []).add(id);
  return { index: null, lessons: [], inherits: { from: further ? inherits.from : facts, but } };
}

/** The earliest facts that say of these integers what `facts` say: there it may be known already. */
export function originOf(facts: Facts, a: SymInt, b: SymInt = a): Facts {
  let origin = facts;
  for (let { inherits } = origin.memory; inherits !== null; { inherits } = origin.memory) {
    if (mentions(a, inherits.but) || (b !== a && mentions(b, inherits.but))) break;
    origin = inherits.from;
  }
  return origin;
}

/** What the facts became when they were told this. */
export interface Lesson {
  readonly of: 'equal' | 'divisible' | 'at least';
  readonly a: SymInt;
  readonly b: SymInt;
  readonly learned: Facts;
}

export interface Known {
  /** Symbols that stand for another integer; no value contains a symbol that has an entry itself. */
  readonly equal: ReadonlyMap<string, SymInt>;
  /** Polynomials that are 0 and could not be solved for a symbol. */
  readonly zeros: readonly SymInt[];
  readonly ranges: ReadonlyMap<string, Range>;
  /** Polynomials that are at least 0. */
  readonly nonNegative: readonly SymInt[];
  readonly divisible: readonly Divisible[];
  readonly factors: ReadonlyMap<string, readonly SymInt[]>;
}

/** `value % by == 0`. */
export interface Divisible {
  readonly value: SymInt;
  readonly by: SymInt;
}

/** The one way to make facts: what was found out under others does not go on with them. */
export function factsWith(known: Known, memory: Memory = { index: null, lessons: [], inherits: null }): Facts {
  const { equal, zeros, ranges, nonNegative, divisible, factors } = known;
  return Object.freeze({ equal, zeros, ranges, nonNegative, divisible, factors, memory });
}

export const NO_FACTS: Facts = factsWith({
  equal: new Map(),
  zeros: [],
  ranges: new Map(),
  nonNegative: [],
  divisible: [],
  factors: new Map(),
});

export const rangeIn = (facts: Known, id: string): Range => facts.ranges.get(id) ?? sizeRange(id);

export function isKnownDivisible(facts: Known, value: SymInt, by: SymInt): boolean {
  return facts.divisible.some((known) => same(known.value, value) && same(known.by, by));
}

/** undefined: it cannot be told. */
export type Truth = boolean | undefined;

/** The special case in which a decision would fall the other way: "copies unless H == 1" rests on `equal` of H and 1. */
export interface Guard {
  readonly relation: 'equal' | 'less';
  readonly left: SymInt;
  readonly right: SymInt;
}

/** The answer to a question, and the case in which it would be another. */
export interface Answer {
  readonly truth: Truth;
  readonly guard: Guard | null;
}

/** Integers remembered under the same facts, and those asked about. */
export const MOST_REMEMBERED = 4096;

/** What is made of facts once and asked for often. */
export interface Index {
  /** The facts as bounds, for every value that the symbols may have. */
  readonly domain: Domain;
  /** The domain with symbols from a number on. */
  readonly generic: Map<number, Domain>;
  /** All polynomials known to be 0: those remembered, and `by * (value // by) - value` for what is divisible. */
  readonly zeros: readonly SymInt[];
  /** The symbols that the facts say something of: a polynomial without any of them is as simple as it gets. */
  readonly told: { has(id: string): boolean };
  /** What was found out under these facts, by interned integers. */
  readonly simple: Map<SymInt, SymInt>;
  readonly answers: { [question in Question]?: Map<SymInt, Map<SymInt, Answer>> };
}

export type Question = 'equal' | 'less' | 'always equal' | 'always less';

export function indexOf(facts: Facts): Index {
  const { memory } = facts;
  memory.index ??= makeIndex(facts);
  return memory.index;
}

function makeIndex(facts: Known): Index {
  const { equal, ranges } = facts;
  const zeros = [facts.zeros, multiplesOf(facts.divisible)].filter((list) => list.length > 0);
  const mentioned = [...zeros, facts.nonNegative].filter((list) => list.length > 0).map(symbolsIn);
  return {
    domain: {
      range: (id) => rangeIn(facts, id),
      nonNegative: facts.nonNegative,
      exact: (left, right) => isKnownDivisible(facts, left, right),
      lows: new Map(),
    },
    generic: new Map(),
    zeros: zeros.length === 1 ? (zeros[0] ?? []) : zeros.flat(),
    told: {
      has(id) {
        if (equal.has(id) || ranges.has(id)) return true;
        for (const ids of mentioned) if (ids.has(id)) return true;
        return false;
      },
    },
    simple: new Map(),
    answers: {},
  };
}

/** `by * (value // by) - value`. What is divisible goes on from facts to facts, and so do lists that nothing is added to. */
const multipleOf = once(({ value, by }: Divisible): SymInt => sub(mul(by, floorDiv(value, by)), value));

const multiplesOf = once((divisible: readonly Divisible[]): readonly SymInt[] =>
  divisible.map(multipleOf).filter((zero) => zero.constant === null),
);

const symbolsIn = once((list: readonly SymInt[]): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const a of list) collect(a, found);
  return found;
});

/** The function computed once for each object. */
function once<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, { readonly made: Made }>();
  return (key) => {
    let entry = known.get(key);
    if (entry === undefined) {
      entry = { made: make(key) };
      known.set(key, entry);
    }
    return entry.made;
  };
}

export const domainOf = (facts: Facts): Domain => indexOf(facts).domain;
