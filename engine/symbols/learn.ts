import { lowerBound, upperBound } from './bounds.ts';
import { divideExactly, divideWithRemainder } from './divide.ts';
import {
  type Divisible,
  domainOf,
  type Facts,
  factsWith,
  indexOf,
  inheriting,
  isKnownDivisible,
  type Known,
  type Lesson,
  NO_FACTS,
  rangeIn,
} from './facts.ts';
import { floorDiv, loneAtom, loneSymbol } from './laws.ts';
import { int, mul, neg, product, type SymInt, same, sub, symbol } from './polynomial.ts';
import {
  cancel,
  divisibilityIn,
  divisibilityInProducts,
  neverZero,
  orderIn,
  solve,
  withoutCommonFactor,
} from './recognise.ts';
import { asOneQuestion, simplify } from './simplify.ts';
import { mentions, substitute, symbolsOf } from './substitute.ts';

/** Facts of a kind kept at most; a program that teaches more gains nothing by them, and simplifying stays quick. */
const MOST = 64;

/**
 * How far the consequences of a fact are followed, and how many of them there are in all. Facts that rewrite each other must
 * come to an end; less is known then.
 */
const DEPTH = 12;
const LESSONS = 256;

interface Effort {
  readonly depth: number;
  readonly lessons: { left: number };
}

/**
 * What is taught to facts anew gives the very facts that it gave before: an op assumes what it demands, its caller learns
 * it, and a branch that is walked once more teaches the same. Only few are kept, and none of facts that live as long as
 * the program.
 */
function lesson(facts: Facts, of: Lesson['of'], a: SymInt, b: SymInt, learn: (effort: Effort) => Facts): Facts {
  if (facts === NO_FACTS) return unremembered(learn);
  const { memory } = facts;
  for (const known of memory.lessons) if (known.of === of && same(known.a, a) && same(known.b, b)) return known.learned;
  const learned = unremembered(learn);
  memory.lessons = [{ of, a, b, learned }, ...memory.lessons.slice(0, MOST_LESSONS - 1)];
  return learned;
}

const MOST_LESSONS = 8;

const unremembered = (learn: (effort: Effort) => Facts): Facts =>
  asOneQuestion(() => learn({ depth: DEPTH, lessons: { left: LESSONS } }));
const deeper = ({ depth, lessons }: Effort): Effort => ({ depth: depth - 1, lessons });
const isSpent = ({ depth, lessons }: Effort): boolean => depth <= 0 || lessons.left-- <= 0;

/** The facts together with `a == b`. A contradiction teaches nothing. */
export function learnEqual(facts: Facts, a: SymInt, b: SymInt): Facts {
  return same(a, b) ? facts : lesson(facts, 'equal', a, b, (effort) => withEqual(facts, a, b, effort));
}

/**
 * The facts together with `id == value`, for a symbol that was made to stand for the value. As long as nothing else is known of
 * it, the equation teaches nothing beyond itself.
 */
export function learnNamed(facts: Facts, id: string, value: SymInt): Facts {
  const exact = simplify(value, facts);
  const only = new Set([id]);
  const isFree =
    !indexOf(facts).told.has(id) && loneSymbol(exact) === null && !mentions(exact, only) && exact.constant === null;
  if (!isFree || facts.factors.has(id)) return learnEqual(facts, symbol(id), value);
  for (const known of facts.equal.values()) if (mentions(known, only)) return learnEqual(facts, symbol(id), value);
  return factsWith({ ...facts, equal: new Map(facts.equal).set(id, exact) }, inheriting(facts, id));
}

/** The facts together with `a % by == 0`. */
export const learnDivisible = (facts: Facts, a: SymInt, by: SymInt): Facts =>
  lesson(facts, 'divisible', a, by, (effort) => withDivisible(facts, a, by, effort));

/** The facts together with `a >= n`. A lower bound below 0 says that the symbol is no size. */
export const learnAtLeast = (facts: Facts, a: SymInt, n: number): Facts =>
  lesson(facts, 'at least', a, int(n), (effort) => withAtLeast(facts, a, n, effort));

/** The facts together with `a <= n`. */
export const learnAtMost = (facts: Facts, a: SymInt, n: number): Facts => learnAtLeast(facts, neg(a), -n);

/** The facts together with: the packed dim `id` is the product of these dims. */
export function learnFactors(facts: Facts, id: string, dims: readonly SymInt[]): Facts {
  const known = facts.factors.get(id);
  if (known !== undefined) {
    if (known.length !== dims.length) return facts;
    return dims.reduce((all, dim, i) => learnEqual(all, dim, known[i] ?? dim), facts);
  }
  if (dims.some((dim) => symbolsOf(simplify(dim, facts)).has(id))) return facts;
  const factors = new Map(facts.factors).set(id, Object.freeze([...dims]));
  // Factors simplify nothing, so that what was found out still holds.
  const learned = factsWith({ ...facts, factors }, { ...facts.memory, lessons: [] });
  const value = simplify(product(dims), learned);
  return learned.equal.has(id) || symbolsOf(value).has(id)
    ? learnEqual(learned, symbol(id), value)
    : unremembered((effort) => bind(learned, id, value, effort));
}

/**
 * The dims that a packed dim is made of, simplified; null where they are not known. A dim that is packed itself stays
 * its own symbol, to be asked for in turn: its value would be a product that no longer tells its dims.
 */
export function factorsOf(facts: Facts, id: string): readonly SymInt[] | null {
  const dims = facts.factors.get(id);
  if (dims === undefined) return null;
  return dims.map((dim) => {
    const atom = dim.offset === 0 ? loneAtom(dim) : null;
    return atom?.kind === 'symbol' && facts.factors.has(atom.id) ? dim : simplify(dim, facts);
  });
}

function withEqual(facts: Facts, a: SymInt, b: SymInt, effort: Effort): Facts {
  if (isSpent(effort)) return facts;
  const difference = simplify(sub(a, b), facts);
  if (difference.constant !== null) return facts;
  const zero = withoutCommonFactor(difference, facts);
  if (zero === null || neverZero(zero, facts)) return facts;
  const exact = divisibilityIn(zero) ?? divisibilityInProducts(zero, facts);
  if (exact !== null) return exact.reduce((all, { value, by }) => withDivisible(all, value, by, deeper(effort)), facts);
  const order = orderIn(zero);
  if (order !== null) return order.reduce((all, gap) => withAtLeast(all, gap, 0, deeper(effort)), facts);
  const solved = solve(zero);
  if (solved !== null) {
    const { id, value } = packedFirst(facts, solved.id, solved.value);
    return bind(facts, id, value, effort);
  }
  if (facts.zeros.length >= MOST) return facts;
  const of = symbolsOf(zero);
  return knownQuotients(relearn({ ...facts, zeros: [...facts.zeros, zero] }, of, effort), of, effort);
}

/** Of two symbols a packed dim is the one that is written as the other, else its dims could no longer be told. */
function packedFirst(facts: Facts, id: string, value: SymInt): { readonly id: string; readonly value: SymInt } {
  const atom = value.offset === 0 ? loneAtom(value) : null;
  return atom?.kind === 'symbol' && facts.factors.has(atom.id) && !facts.factors.has(id)
    ? { id: atom.id, value: symbol(id) }
    : { id, value };
}

/** A quotient without remainder that has become known makes its dividend known: `C // 12 == 64` makes `C` 768. */
function knownQuotients(facts: Facts, of: ReadonlySet<string>, effort: Effort): Facts {
  let learned = facts;
  for (const { value, by } of facts.divisible) {
    if (!mentions(value, of)) continue;
    const quotient = floorDiv(value, by);
    const known = simplify(quotient, facts);
    if (!same(known, quotient)) learned = withEqual(learned, value, mul(by, known), deeper(effort));
  }
  return learned;
}

function withDivisible(facts: Facts, a: SymInt, by: SymInt, effort: Effort): Facts {
  if (isSpent(effort)) return facts;
  const cancelled = cancel(simplify(a, facts), simplify(by, facts), facts);
  const divisor = (cancelled.by.constant ?? 1) < 0 ? neg(cancelled.by) : cancelled.by;
  if (divisor.constant === 0) return facts;
  const value = divisor.constant === null ? cancelled.value : divideWithRemainder(cancelled.value, divisor).remainder;
  if ((value.constant !== null && divisor.constant !== null) || divideExactly(value, divisor) !== null) return facts;
  if (isKnownDivisible(facts, value, divisor) || facts.divisible.length >= MOST) return facts;
  const exact: Divisible = Object.freeze({ value, by: divisor });
  const learned = relearn({ ...facts, divisible: [...facts.divisible, exact] }, symbolsOf(value), effort);
  // A quotient that is known already gives an equation: C // N == d and N | C make C == N * d.
  return withEqual(learned, value, mul(divisor, floorDiv(value, divisor)), deeper(effort));
}

function withAtLeast(facts: Facts, a: SymInt, n: number, effort: Effort): Facts {
  if (isSpent(effort)) return facts;
  const rest = sub(simplify(a, facts), int(n));
  if (rest.constant !== null) return facts;
  const [term, another] = rest.terms;
  const atom = term?.atoms[0];
  if (term !== undefined && another === undefined && term.atoms.length === 1 && atom?.kind === 'symbol') {
    const edge = -rest.offset / term.coefficient;
    if (term.coefficient > 0) return raise(facts, atom.id, Math.ceil(edge), effort);
    return lower(facts, atom.id, Math.floor(edge), effort);
  }
  if (lowerBound(rest, domainOf(facts)) >= 0 || upperBound(rest, domainOf(facts)) < 0) return facts;
  if (facts.nonNegative.length >= MOST) return facts;
  return factsWith({ ...facts, nonNegative: [...facts.nonNegative, rest] });
}

function raise(facts: Facts, id: string, low: number, effort: Effort): Facts {
  const known = facts.ranges.get(id);
  return bounded(facts, id, known === undefined ? low : Math.max(known.low, low), known?.high ?? Infinity, effort);
}

function lower(facts: Facts, id: string, high: number, effort: Effort): Facts {
  const known = rangeIn(facts, id);
  return bounded(facts, id, known.low, Math.min(known.high, high), effort);
}

function bounded(facts: Facts, id: string, low: number, high: number, effort: Effort): Facts {
  const known = rangeIn(facts, id);
  if (low > high || (known.low === low && known.high === high)) return facts;
  if (low === high) return bind(facts, id, int(low), effort);
  const ranges = new Map(facts.ranges).set(id, Object.freeze({ low, high }));
  return relearn({ ...facts, ranges }, new Set([id]), effort);
}

/** Replaces the symbol everywhere. What was known of it becomes a fact about the value. */
function bind(facts: Facts, id: string, value: SymInt, effort: Effort): Facts {
  const range = rangeIn(facts, id);
  if (value.constant !== null && (value.constant < range.low || value.constant > range.high)) return facts;
  const of = (other: string) => (other === id ? value : undefined);
  const only = new Set([id]);
  const equal = new Map(facts.equal).set(id, value);
  let isNew = !indexOf(facts).told.has(id);
  for (const [other, known] of facts.equal) {
    if (!mentions(known, only)) continue;
    equal.set(other, substitute(known, of));
    isNew = false;
  }
  let { ranges } = facts;
  if (ranges.has(id)) {
    const others = new Map(ranges);
    others.delete(id);
    ranges = others;
  }
  let learned = isNew
    ? factsWith({ ...facts, equal }, inheriting(facts, id))
    : relearn({ ...facts, equal, ranges }, only, effort);
  if (range.low !== -Infinity && lowerBound(value, domainOf(facts)) < range.low)
    learned = withAtLeast(learned, value, range.low, deeper(effort));
  if (range.high !== Infinity) learned = withAtLeast(learned, neg(value), -range.high, deeper(effort));
  return learned;
}

/** Learns anew, under the rest, all that is stored in a form which what is now known of these symbols simplifies. */
function relearn(facts: Known, of: ReadonlySet<string>, effort: Effort): Facts {
  const { zeros, nonNegative, divisible } = facts;
  const isConcerned = (a: SymInt) => mentions(a, of);
  const isPairConcerned = ({ value, by }: Divisible) => mentions(value, of) || mentions(by, of);
  if (!zeros.some(isConcerned) && !nonNegative.some(isConcerned) && !divisible.some(isPairConcerned))
    return factsWith(facts);
  const apart = factsWith({ ...facts, zeros: [], divisible: [] });
  const withZeros = zeros.length === 0 ? apart : factsWith({ ...facts, divisible: [] });
  const isSettled = (a: SymInt) => !isConcerned(a) || simplify(a, apart) === a;
  const isPairSettled = (known: Divisible) =>
    !isPairConcerned(known) ||
    (simplify(known.value, withZeros) === known.value && simplify(known.by, withZeros) === known.by);
  const [unsettled, loose, pairs] = [
    zeros.filter((zero) => !isSettled(zero)),
    nonNegative.filter((bound) => !isSettled(bound)),
    divisible.filter((known) => !isPairSettled(known)),
  ];
  let learned = factsWith({
    ...facts,
    zeros: less(zeros, unsettled),
    nonNegative: less(nonNegative, loose),
    divisible: less(divisible, pairs),
  });
  for (const known of pairs) learned = withDivisible(learned, known.value, known.by, deeper(effort));
  for (const zero of unsettled) learned = withEqual(learned, zero, int(0), deeper(effort));
  for (const bound of loose) learned = withAtLeast(learned, bound, 0, deeper(effort));
  return learned;
}

/** The list itself where nothing is taken: what was made of it goes on. */
const less = <Item>(all: readonly Item[], some: readonly Item[]): readonly Item[] =>
  some.length === 0 ? all : all.filter((item) => !some.includes(item));
