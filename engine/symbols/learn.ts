import { lowerBound, upperBound } from './bounds.ts';
import { divideExactly, divideWithRemainder } from './divide.ts';
import { type Divisible, domainOf, type Facts, isKnownDivisible, rangeIn } from './facts.ts';
import { floorDiv } from './laws.ts';
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
import { simplify } from './simplify.ts';
import { substitute, symbolsOf } from './substitute.ts';

/** Facts of a kind kept at most; a program that teaches more gains nothing by them, and simplifying stays quick. */
const MOST = 64;

/** How far the consequences of a fact are followed. Facts that rewrite each other must come to an end; less is known then. */
const DEPTH = 12;

/** The facts together with `a == b`. A contradiction teaches nothing. */
export const learnEqual = (facts: Facts, a: SymInt, b: SymInt): Facts => withEqual(facts, a, b, DEPTH);

/** The facts together with `a % by == 0`. */
export const learnDivisible = (facts: Facts, a: SymInt, by: SymInt): Facts => withDivisible(facts, a, by, DEPTH);

/** The facts together with `a >= n`. A lower bound below 0 says that the symbol is no size. */
export const learnAtLeast = (facts: Facts, a: SymInt, n: number): Facts => withAtLeast(facts, a, n, DEPTH);

/** The facts together with `a <= n`. */
export const learnAtMost = (facts: Facts, a: SymInt, n: number): Facts => withAtLeast(facts, neg(a), -n, DEPTH);

/** The facts together with: the packed dim `id` is the product of these dims. */
export function learnFactors(facts: Facts, id: string, dims: readonly SymInt[]): Facts {
  const known = facts.factors.get(id);
  if (known !== undefined) {
    if (known.length !== dims.length) return facts;
    return dims.reduce((all, dim, i) => learnEqual(all, dim, known[i] ?? dim), facts);
  }
  if (dims.some((dim) => symbolsOf(simplify(dim, facts)).has(id))) return facts;
  const learned: Facts = Object.freeze({ ...facts, factors: new Map(facts.factors).set(id, Object.freeze([...dims])) });
  const value = simplify(product(dims), learned);
  return learned.equal.has(id) || symbolsOf(value).has(id)
    ? learnEqual(learned, symbol(id), value)
    : bind(learned, id, value, DEPTH);
}

/**
 * The dims that a packed dim is made of, simplified; null where they are not known. A dim that is packed itself stays
 * its own symbol, to be asked for in turn: its value would be a product that no longer tells its dims.
 */
export function factorsOf(facts: Facts, id: string): readonly SymInt[] | null {
  const dims = facts.factors.get(id);
  if (dims === undefined) return null;
  const packed = new Set([...facts.factors.keys()].map((key) => symbol(key).key));
  return dims.map((dim) => (packed.has(dim.key) ? dim : simplify(dim, facts)));
}

function withEqual(facts: Facts, a: SymInt, b: SymInt, depth: number): Facts {
  if (depth <= 0) return facts;
  const difference = simplify(sub(a, b), facts);
  if (difference.constant !== null) return facts;
  const zero = withoutCommonFactor(difference, facts);
  if (zero === null || neverZero(zero, facts)) return facts;
  const exact = divisibilityIn(zero) ?? divisibilityInProducts(zero, facts);
  if (exact !== null) return exact.reduce((all, { value, by }) => withDivisible(all, value, by, depth - 1), facts);
  const order = orderIn(zero);
  if (order !== null) return order.reduce((all, gap) => withAtLeast(all, gap, 0, depth - 1), facts);
  const solved = solve(zero);
  if (solved !== null) return bind(facts, solved.id, solved.value, depth);
  if (facts.zeros.length >= MOST) return facts;
  return knownQuotients(relearn({ ...facts, zeros: [...facts.zeros, zero] }, depth), depth);
}

/** A quotient without remainder that has become known makes its dividend known: `C // 12 == 64` makes `C` 768. */
function knownQuotients(facts: Facts, depth: number): Facts {
  let learned = facts;
  for (const { value, by } of facts.divisible) {
    const quotient = floorDiv(value, by);
    const known = simplify(quotient, facts);
    if (!same(known, quotient)) learned = withEqual(learned, value, mul(by, known), depth - 1);
  }
  return learned;
}

function withDivisible(facts: Facts, a: SymInt, by: SymInt, depth: number): Facts {
  if (depth <= 0) return facts;
  const cancelled = cancel(simplify(a, facts), simplify(by, facts), facts);
  const divisor = (cancelled.by.constant ?? 1) < 0 ? neg(cancelled.by) : cancelled.by;
  if (divisor.constant === 0) return facts;
  const value = divisor.constant === null ? cancelled.value : divideWithRemainder(cancelled.value, divisor).remainder;
  if (value.constant !== null || divideExactly(value, divisor) !== null) return facts;
  if (isKnownDivisible(facts, value, divisor) || facts.divisible.length >= MOST) return facts;
  const exact: Divisible = Object.freeze({ value, by: divisor });
  const learned = relearn({ ...facts, divisible: [...facts.divisible, exact] }, depth);
  // A quotient that is known already gives an equation: C // N == d and N | C make C == N * d.
  return withEqual(learned, value, mul(divisor, floorDiv(value, divisor)), depth - 1);
}

function withAtLeast(facts: Facts, a: SymInt, n: number, depth: number): Facts {
  if (depth <= 0) return facts;
  const rest = sub(simplify(a, facts), int(n));
  if (rest.constant !== null) return facts;
  const [term, another] = rest.terms;
  const atom = term?.atoms[0];
  if (term !== undefined && another === undefined && term.atoms.length === 1 && atom?.kind === 'symbol') {
    const edge = -rest.offset / term.coefficient;
    if (term.coefficient > 0) return raise(facts, atom.id, Math.ceil(edge), depth);
    return lower(facts, atom.id, Math.floor(edge), depth);
  }
  if (lowerBound(rest, domainOf(facts)) >= 0 || upperBound(rest, domainOf(facts)) < 0) return facts;
  if (facts.nonNegative.length >= MOST) return facts;
  return Object.freeze({ ...facts, nonNegative: [...facts.nonNegative, rest] });
}

function raise(facts: Facts, id: string, low: number, depth: number): Facts {
  const known = facts.ranges.get(id);
  return bounded(facts, id, known === undefined ? low : Math.max(known.low, low), known?.high ?? Infinity, depth);
}

function lower(facts: Facts, id: string, high: number, depth: number): Facts {
  const known = rangeIn(facts, id);
  return bounded(facts, id, known.low, Math.min(known.high, high), depth);
}

function bounded(facts: Facts, id: string, low: number, high: number, depth: number): Facts {
  const known = rangeIn(facts, id);
  if (low > high || (known.low === low && known.high === high)) return facts;
  if (low === high) return bind(facts, id, int(low), depth);
  return relearn({ ...facts, ranges: new Map(facts.ranges).set(id, Object.freeze({ low, high })) }, depth);
}

/** Replaces the symbol everywhere. What was known of it becomes a fact about the value. */
function bind(facts: Facts, id: string, value: SymInt, depth: number): Facts {
  const range = rangeIn(facts, id);
  if (value.constant !== null && (value.constant < range.low || value.constant > range.high)) return facts;
  const of = (other: string) => (other === id ? value : undefined);
  const equal = new Map([...facts.equal].map(([other, known]) => [other, substitute(known, of)] as const));
  equal.set(id, value);
  const ranges = new Map(facts.ranges);
  ranges.delete(id);
  let learned = relearn({ ...facts, equal, ranges }, depth);
  if (range.low !== -Infinity) learned = withAtLeast(learned, value, range.low, depth - 1);
  if (range.high !== Infinity) learned = withAtLeast(learned, neg(value), -range.high, depth - 1);
  return learned;
}

/** Learns anew, under the rest, all that is stored in a form which the symbols' values and bounds now simplify. */
function relearn(facts: Facts, depth: number): Facts {
  const settled = settledIn({ ...facts, zeros: [], divisible: [] });
  const settledUnderZeros = settledIn({ ...facts, divisible: [] });
  const settledPair = (known: Divisible) => settledUnderZeros(known.value) && settledUnderZeros(known.by);
  let learned: Facts = Object.freeze({
    ...facts,
    zeros: facts.zeros.filter(settled),
    nonNegative: facts.nonNegative.filter(settled),
    divisible: facts.divisible.filter(settledPair),
  });
  for (const known of facts.divisible) {
    if (!settledPair(known)) learned = withDivisible(learned, known.value, known.by, depth - 1);
  }
  for (const zero of facts.zeros) if (!settled(zero)) learned = withEqual(learned, zero, int(0), depth - 1);
  for (const bound of facts.nonNegative) if (!settled(bound)) learned = withAtLeast(learned, bound, 0, depth - 1);
  return learned;
}

const settledIn = (facts: Facts) => (value: SymInt) => simplify(value, facts) === value;
