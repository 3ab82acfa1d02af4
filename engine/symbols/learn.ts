import { lowerBound, upperBound } from './bounds.ts';
import { commonFactor, divideExactly, divideWithRemainder, gcd, monomial } from './divide.ts';
import { type Divisible, domainOf, type Facts, isKnownDivisible, rangeIn } from './facts.ts';
import { floorDiv } from './laws.ts';
import {
  type Atom,
  compareAtoms,
  int,
  mul,
  neg,
  product,
  type SymInt,
  same,
  sub,
  symbol,
  withOffset,
} from './polynomial.ts';
import { simplify } from './simplify.ts';
import { substitute, symbolsOf } from './substitute.ts';

/** Facts of a kind kept at most; a program that teaches more gains nothing by them, and simplifying stays quick. */
const MOST = 64;

/** The facts together with `a == b`. A contradiction teaches nothing. */
export function learnEqual(facts: Facts, a: SymInt, b: SymInt): Facts {
  const raw = sub(a, b);
  const difference = simplify(raw, facts);
  if (difference.constant !== null) return facts;
  const zero = withoutCommonFactor(difference, facts);
  if (zero === null || neverZero(zero, facts)) return facts;
  const exact = divisibilityIn(zero) ?? divisibilityInProducts(zero, facts);
  if (exact !== null) return exact.reduce((all, { value, by }) => learnDivisible(all, value, by), facts);
  const order = orderIn(zero);
  if (order !== null) return order.reduce((all, difference) => learnAtLeast(all, difference, 0), facts);
  const solved = solve(zero);
  if (solved !== null) return bind(facts, solved.id, solved.value);
  if (facts.zeros.length >= MOST) return facts;
  return knownQuotients(relearn({ ...facts, zeros: [...facts.zeros, zero] }));
}

/** A quotient without remainder that has become known makes its dividend known: `C // 12 == 64` makes `C` 768. */
function knownQuotients(facts: Facts): Facts {
  let learned = facts;
  for (const { value, by } of facts.divisible) {
    const quotient = floorDiv(value, by);
    const known = simplify(quotient, facts);
    if (!same(known, quotient)) learned = learnEqual(learned, value, mul(by, known));
  }
  return learned;
}

/** The facts together with `a % by == 0`. */
export function learnDivisible(facts: Facts, a: SymInt, by: SymInt): Facts {
  const cancelled = cancel(simplify(a, facts), simplify(by, facts), facts);
  const divisor = (cancelled.by.constant ?? 1) < 0 ? neg(cancelled.by) : cancelled.by;
  if (divisor.constant === 0) return facts;
  const value = divisor.constant === null ? cancelled.value : divideWithRemainder(cancelled.value, divisor).remainder;
  if (value.constant !== null || divideExactly(value, divisor) !== null) return facts;
  if (isKnownDivisible(facts, value, divisor) || facts.divisible.length >= MOST) return facts;
  const learned: Facts = Object.freeze({
    ...facts,
    divisible: [...facts.divisible, Object.freeze({ value, by: divisor })],
  });
  // A quotient that is known already gives an equation: C // N == d and N | C make C == N * d.
  return learnEqual(relearn(learned), value, mul(divisor, floorDiv(value, divisor)));
}

/** The facts together with `a >= n`. A lower bound below 0 says that the symbol is no size. */
export function learnAtLeast(facts: Facts, a: SymInt, n: number): Facts {
  const rest = sub(simplify(a, facts), int(n));
  if (rest.constant !== null) return facts;
  const [term, another] = rest.terms;
  const atom = term?.atoms[0];
  if (term !== undefined && another === undefined && term.atoms.length === 1 && atom?.kind === 'symbol') {
    const edge = -rest.offset / term.coefficient;
    return term.coefficient > 0 ? raise(facts, atom.id, Math.ceil(edge)) : lower(facts, atom.id, Math.floor(edge));
  }
  if (lowerBound(rest, domainOf(facts)) >= 0 || upperBound(rest, domainOf(facts)) < 0) return facts;
  if (facts.nonNegative.length >= MOST) return facts;
  return Object.freeze({ ...facts, nonNegative: [...facts.nonNegative, rest] });
}

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
  const learned: Facts = Object.freeze({ ...facts, factors: new Map(facts.factors).set(id, Object.freeze([...dims])) });
  const value = simplify(product(dims), learned);
  return learned.equal.has(id) || symbolsOf(value).has(id)
    ? learnEqual(learned, symbol(id), value)
    : bind(learned, id, value);
}

/** The dims that a packed dim is made of, simplified; null where they are not known. */
export function factorsOf(facts: Facts, id: string): readonly SymInt[] | null {
  return facts.factors.get(id)?.map((dim) => simplify(dim, facts)) ?? null;
}

function raise(facts: Facts, id: string, low: number): Facts {
  const known = facts.ranges.get(id);
  return bounded(facts, id, known === undefined ? low : Math.max(known.low, low), known?.high ?? Infinity);
}

function lower(facts: Facts, id: string, high: number): Facts {
  const known = rangeIn(facts, id);
  return bounded(facts, id, known.low, Math.min(known.high, high));
}

function bounded(facts: Facts, id: string, low: number, high: number): Facts {
  const known = rangeIn(facts, id);
  if (low > high || (known.low === low && known.high === high)) return facts;
  if (low === high) return bind(facts, id, int(low));
  return relearn({ ...facts, ranges: new Map(facts.ranges).set(id, Object.freeze({ low, high })) });
}

/** Replaces the symbol everywhere. What was known of it becomes a fact about the value. */
function bind(facts: Facts, id: string, value: SymInt): Facts {
  const range = rangeIn(facts, id);
  if (value.constant !== null && (value.constant < range.low || value.constant > range.high)) return facts;
  const of = (other: string) => (other === id ? value : undefined);
  const equal = new Map([...facts.equal].map(([other, known]) => [other, substitute(known, of)] as const));
  equal.set(id, value);
  const ranges = new Map(facts.ranges);
  ranges.delete(id);
  let learned = relearn({ ...facts, equal, ranges });
  if (range.low !== -Infinity) learned = learnAtLeast(learned, value, range.low);
  if (range.high !== Infinity) learned = learnAtMost(learned, value, range.high);
  return learned;
}

/** Learns anew, under the rest, all that is stored in a form which new facts may simplify. */
function relearn(facts: Facts): Facts {
  const { zeros, nonNegative, divisible } = facts;
  const stale = <T>(values: readonly T[], fresh: (value: T) => boolean) => values.filter((value) => !fresh(value));
  const settled = (value: SymInt) => simplify(value, { ...facts, zeros: [], divisible: [] }) === value;
  const oldZeros = stale(zeros, settled);
  const oldBounds = stale(nonNegative, settled);
  const oldDivisible = stale(divisible, (known) => settled(known.value) && settled(known.by));
  let learned: Facts = Object.freeze({
    ...facts,
    zeros: zeros.filter(settled),
    nonNegative: nonNegative.filter(settled),
    divisible: divisible.filter((known) => !oldDivisible.includes(known)),
  });
  for (const { value, by } of oldDivisible) learned = learnDivisible(learned, value, by);
  for (const zero of oldZeros) learned = learnEqual(learned, zero, int(0));
  for (const bound of oldBounds) learned = learnAtLeast(learned, bound, 0);
  return learned;
}

/**
 * Divides out the numbers and the sizes that all terms share (sizes are taken as not 0); null where no integers can make
 * the polynomial 0, because a common factor of the coefficients does not divide the constant.
 */
function withoutCommonFactor(a: SymInt, facts: Facts): SymInt | null {
  const content = a.terms.reduce((all, term) => gcd(all, Math.abs(term.coefficient)), 0);
  if (a.offset % content !== 0) return null;
  const sizes = commonFactor(withOffset(a)).atoms.filter((atom) => isNonZeroSize(atom, facts));
  return divideExactly(a, monomial(content, sizes));
}

/** Symbols, and quotients without remainder: these are 0 only where a size is. */
export function isNonZeroSize(atom: Atom, facts: Facts): boolean {
  if (atom.kind === 'symbol') return rangeIn(facts, atom.id).low >= 0;
  if (atom.kind !== 'floorDiv' || atom.left.offset !== 0 || atom.left.terms.length !== 1) return false;
  const ofSizes = atom.left.terms[0]?.atoms.every((inner) => isNonZeroSize(inner, facts)) === true;
  return ofSizes && isKnownDivisible(facts, atom.left, atom.right);
}

export function neverZero(a: SymInt, facts: Facts): boolean {
  return lowerBound(a, domainOf(facts)) > 0 || upperBound(a, domainOf(facts)) < 0;
}

/**
 * `by * (value // by) - value`, `by * ceil_div(value, by) - value`, `ceil_div(value, by) - value // by` and `value % by` are 0
 * exactly where `by` divides.
 */
function divisibilityIn(zero: SymInt): readonly Divisible[] | null {
  for (const atom of atomsOf(zero)) {
    if (atom.kind !== 'floorDiv' && atom.kind !== 'mod' && atom.kind !== 'ceilDiv') continue;
    const { left: value, right: by } = atom;
    const itself = monomial(1, [atom]);
    const gaps = [atom.kind === 'mod' ? itself : sub(mul(by, itself), value)];
    if (atom.kind === 'ceilDiv') gaps.push(sub(itself, floorDiv(value, by)));
    if (gaps.some((gap) => same(zero, gap) || same(neg(zero), gap))) return [{ value, by }];
  }
  return null;
}

/**
 * `h * (H // h) * w * (W // w) - H * W` is 0 only where every division is exact, since each factor `h * (H // h)` is at most
 * its `H`, and none is 0.
 */
function divisibilityInProducts(zero: SymInt, facts: Facts): readonly Divisible[] | null {
  const [first, second, third] = zero.terms;
  if (first === undefined || second === undefined || third !== undefined || zero.offset !== 0) return null;
  if (first.coefficient !== -second.coefficient) return null;
  const quotients: Divisible[] = [];
  for (const atom of atomsOf(zero)) {
    if (atom.kind === 'symbol') continue;
    if (atom.kind !== 'floorDiv' || lowerBound(atom.left, domainOf(facts)) < 0) return null;
    quotients.push({ value: atom.left, by: atom.right });
  }
  if (quotients.length < 2) return null;
  const exact = quotients.reduce((all, { value, by }) => learnDivisible(all, value, by), facts);
  return simplify(zero, exact).constant === 0 ? quotients : null;
}

/** `min(a, b) == a` says that `a <= b`: the differences that are at least 0. */
function orderIn(zero: SymInt): readonly SymInt[] | null {
  for (const atom of atomsOf(zero)) {
    if (atom.kind !== 'max' && atom.kind !== 'min') continue;
    const itself = monomial(1, [atom]);
    for (const item of atom.items) {
      const gap = sub(itself, item);
      if (!same(zero, gap) && !same(neg(zero), gap)) continue;
      const others = atom.items.filter((other) => other !== item);
      return others.map((other) => (atom.kind === 'max' ? sub(item, other) : sub(other, item)));
    }
  }
  return null;
}

const atomsOf = (a: SymInt): readonly Atom[] => a.terms.flatMap((term) => term.atoms);

/** The latest symbol that stands alone with coefficient ±1 and nowhere else. */
function solve(zero: SymInt): { id: string; value: SymInt } | null {
  let best: { atom: Atom & { kind: 'symbol' }; sign: number } | null = null;
  for (const term of zero.terms) {
    const [atom, another] = term.atoms;
    if (atom?.kind !== 'symbol' || another !== undefined || Math.abs(term.coefficient) !== 1) continue;
    if (best !== null && compareAtoms(atom, best.atom) < 0) continue;
    const rest = sub(zero, monomial(term.coefficient, term.atoms));
    if (!symbolsOf(rest).has(atom.id)) best = { atom, sign: term.coefficient };
  }
  if (best === null) return null;
  const rest = sub(zero, monomial(best.sign, [best.atom]));
  return { id: best.atom.id, value: best.sign > 0 ? neg(rest) : rest };
}

function cancel(value: SymInt, by: SymInt, facts: Facts): { value: SymInt; by: SymInt } {
  const common = commonFactor([commonFactor(withOffset(value)), commonFactor(withOffset(by))]);
  const factor = monomial(
    common.coefficient,
    common.atoms.filter((atom) => isNonZeroSize(atom, facts)),
  );
  return { value: divideExactly(value, factor) ?? value, by: divideExactly(by, factor) ?? by };
}
