import { divideExactly, monomial, without } from './divide.ts';
import { compareAtoms } from './order.ts';
import {
  type Atom,
  add,
  type Extremum,
  int,
  intern,
  isOpaque,
  mul,
  neg,
  ONE,
  ofAtom,
  type Quotient,
  type Remainder,
  type SymInt,
  same,
  sub,
  type Term,
  ZERO,
} from './polynomial.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** What is known of the symbols apart from equalities. */
export interface Domain {
  range(id: string): Range;
  /** Polynomials that are at least 0. */
  readonly nonNegative: readonly SymInt[];
  /** True where `left // right` is known to be exact. */
  exact(left: SymInt, right: SymInt): boolean;
  /** The lower bounds found so far, by interned integers. */
  readonly lows: Map<SymInt, number>;
}

const SIZE: Range = Object.freeze({ low: 0, high: Infinity });
const ANY: Range = Object.freeze({ low: -Infinity, high: Infinity });

/** A symbol without facts is a size, any integer from 0 on, unless it stands for what was too long to keep. */
export const sizeRange = (id: string): Range => (isOpaque(id) ? ANY : SIZE);

export const SIZES: Domain = { range: sizeRange, nonNegative: [], exact: () => false, lows: new Map() };

/** Operations nested deeper than this are not looked into: each level asks for four bounds of the next. */
const DEEPEST = -2;

/** A number that `a` never goes below (−Infinity where none is found). */
export function lowerBound(a: SymInt, domain: Domain): number {
  return a.constant ?? found(a, domain);
}

/** A number that `a` never goes above (Infinity where none is found). */
export function upperBound(a: SymInt, domain: Domain): number {
  return a.constant ?? -found(neg(a), domain);
}

function found(a: SymInt, domain: Domain): number {
  const { lows } = domain;
  const asked = intern(a);
  let low = lows.get(asked);
  if (low === undefined) {
    if (lows.size >= MOST_FOUND) lows.clear();
    low = lowest(a, domain, 3);
    lows.set(asked, low);
  }
  return low;
}

const MOST_FOUND = 4096;

/** Each way to bound is sound by itself, so the best of them is. `effort` ends the recursion. */
function lowest(a: SymInt, domain: Domain, effort: number): number {
  if (a.constant !== null) return a.constant;
  let best = shifted(a, domain, effort);
  if (effort <= 0) return best;
  const operation = operationOf(a);
  if (operation !== null) best = Math.max(best, withoutOperation(a, operation, domain, effort));
  if (best === -Infinity) best = Math.max(best, byInequalities(a, domain, effort));
  return best;
}

/** The least values of the terms, added up. Where that gives too little, the terms are looked at together. */
function shifted(a: SymInt, domain: Domain, effort: number): number {
  const ranges: Range[] = [];
  let low = a.offset;
  let apart = true;
  for (const { coefficient, atoms } of a.terms) {
    let extreme = coefficient;
    for (const atom of atoms) {
      const range = rangeOfAtom(atom, domain, effort - 1);
      if (range.low === -Infinity) return -Infinity;
      ranges.push(range);
      extreme *= coefficient > 0 ? range.low : range.high;
      apart &&= coefficient > 0 ? range.low >= 0 : range.low === 0;
    }
    low += extreme;
  }
  if (!apart) return fallsForever(a, ranges) ? -Infinity : expanded(a, ranges);
  return Number.isNaN(low) ? -Infinity : low;
}

/** True where a term below 0 is without limit and no term above 0 grows with it. */
function fallsForever(a: SymInt, ranges: readonly Range[]): boolean {
  let next = 0;
  for (const { coefficient, atoms } of a.terms) {
    const first = next;
    next += atoms.length;
    if (coefficient > 0) continue;
    let isLimited = false;
    for (let i = first; i < next; i++) if (ranges[i]?.high !== Infinity) isLimited = true;
    if (!isLimited && !a.terms.some((t) => t.coefficient > 0 && without(t.atoms, atoms) !== null)) return true;
  }
  return false;
}

/**
 * Every atom is written as `low + rest` with `rest` from 0 to `high - low`: terms with a coefficient above 0 then add at
 * least 0, and the others at most their greatest value. So `T * C - C` with both from 2 on is seen to be at least 2.
 */
function expanded(a: SymInt, ranges: readonly Range[]): number {
  let moved: SymInt = int(a.offset);
  const spans = new Map<Atom, number>();
  let next = 0;
  for (const term of a.terms) {
    let product: SymInt = int(term.coefficient);
    for (const atom of term.atoms) {
      const range = ranges[next++] ?? SIZE;
      spans.set(atom, range.high - range.low);
      product = mul(product, add(ofAtom(atom), int(range.low)));
    }
    moved = add(moved, product);
  }
  let low = moved.offset;
  for (const term of moved.terms) {
    if (term.coefficient > 0) continue;
    let extreme = term.coefficient;
    for (const atom of term.atoms) extreme *= spanOf(atom, spans);
    low += extreme;
  }
  return Number.isNaN(low) ? -Infinity : low;
}

function spanOf(atom: Atom, spans: ReadonlyMap<Atom, number>): number {
  const span = spans.get(atom);
  if (span !== undefined) return span;
  for (const [other, width] of spans) if (compareAtoms(atom, other) === 0) return width;
  return Infinity;
}

/** Divisors are taken as at least 1. */
export function rangeOfAtom(atom: Atom, domain: Domain, effort: number): Range {
  if (atom.kind === 'symbol') return domain.range(atom.id);
  if (effort < DEEPEST) return ANY;
  switch (atom.kind) {
    case 'big':
      return atom.value > 0n
        ? { low: Number.MAX_SAFE_INTEGER, high: Infinity }
        : { low: -Infinity, high: Number.MIN_SAFE_INTEGER };
    case 'mod':
      return { low: 0, high: Math.max(0, highest(atom.right, domain, effort) - 1) };
    case 'floorDiv':
    case 'ceilDiv':
      return rangeOfQuotient(atom, domain, effort);
    case 'max': {
      const ranges = atom.items.map((item) => rangeOf(item, domain, effort));
      return { low: Math.max(...ranges.map((r) => r.low)), high: Math.max(...ranges.map((r) => r.high)) };
    }
    case 'min': {
      const ranges = atom.items.map((item) => rangeOf(item, domain, effort));
      return { low: Math.min(...ranges.map((r) => r.low)), high: Math.min(...ranges.map((r) => r.high)) };
    }
  }
}

const highest = (a: SymInt, domain: Domain, effort: number): number => -lowest(neg(a), domain, effort);
const rangeOf = (a: SymInt, domain: Domain, effort: number): Range => ({
  low: lowest(a, domain, effort),
  high: highest(a, domain, effort),
});

function rangeOfQuotient(atom: Quotient, domain: Domain, effort: number): Range {
  const round = atom.kind === 'floorDiv' ? Math.floor : Math.ceil;
  const over = rangeOf(atom.left, domain, effort);
  const by = rangeOf(atom.right, domain, effort);
  const least = Math.max(1, by.low);
  const most = Math.max(1, by.high);
  let low =
    over.low >= 0
      ? most === Infinity
        ? 0
        : round(over.low / most)
      : over.low === -Infinity
        ? -Infinity
        : round(over.low / least);
  const high =
    over.high >= 0 ? (over.high === Infinity ? Infinity : round(over.high / least)) : round(over.high / most) || 0;
  if (low <= 0 && over.low >= 1 && (atom.kind === 'ceilDiv' || domain.exact(atom.left, atom.right))) low = 1;
  return {
    low: low === 0 ? 0 : low,
    high: most === Infinity && over.high < 0 ? (atom.kind === 'floorDiv' ? -1 : 0) : high,
  };
}

type Operation = Quotient | Remainder | Extremum;

function operationOf(a: SymInt): Operation | null {
  for (const term of a.terms) {
    for (const atom of term.atoms) if (atom.kind !== 'symbol' && atom.kind !== 'big') return atom;
  }
  return null;
}

function withoutOperation(a: SymInt, atom: Operation, domain: Domain, effort: number): number {
  switch (atom.kind) {
    case 'max':
    case 'min':
      // The atom is one of its items, whichever; so `a` is at least the lowest of the cases.
      return Math.min(...atom.items.map((item) => lowest(replaceAtom(a, atom, item), domain, effort - 1)));
    case 'mod':
      return byRemainder(a, atom, domain, effort);
    case 'floorDiv':
    case 'ceilDiv':
      return byQuotient(a, atom, domain, effort);
  }
}

/** `0 <= l % r <= r - 1` in the terms that are otherwise not negative. */
function byRemainder(a: SymInt, atom: Remainder, domain: Domain, effort: number): number {
  let bounded: SymInt = int(a.offset);
  for (const term of a.terms) {
    const others = without(term.atoms, [atom]);
    if (others === null) bounded = add(bounded, monomial(term.coefficient, term.atoms));
    else if (!allNonNegative(others, domain, effort)) return -Infinity;
    else if (term.coefficient < 0)
      bounded = add(bounded, mul(monomial(term.coefficient, others), sub(atom.right, ONE)));
  }
  return lowest(bounded, domain, effort - 1);
}

/**
 * `l - r + 1 <= r * (l // r) <= l` and `l <= r * ceil_div(l, r) <= l + r - 1`: `r * a` is bounded without the quotient,
 * and with it `a`, since r >= 1.
 */
function byQuotient(a: SymInt, atom: Quotient, domain: Domain, effort: number): number {
  const whole = atom.kind === 'floorDiv';
  const slack = domain.exact(atom.left, atom.right) ? ZERO : sub(atom.right, ONE);
  const least = whole ? sub(atom.left, slack) : atom.left;
  const most = whole ? atom.left : add(atom.left, slack);
  const scale = factorNeeded(a, atom);
  let bounded: SymInt = mul(int(a.offset), scale);
  for (const term of a.terms) {
    const others = without(term.atoms, [atom]);
    const scaled = mul(monomial(term.coefficient, others ?? term.atoms), scale);
    if (others === null) {
      bounded = add(bounded, scaled);
      continue;
    }
    const rest = divideExactly(scaled, atom.right);
    if (rest === null || !rest.terms.concat(term).every((t: Term) => allNonNegative(t.atoms, domain, effort)))
      return -Infinity;
    if (rest.terms.length + (rest.offset === 0 ? 0 : 1) !== 1) return -Infinity;
    bounded = add(bounded, mul(rest, term.coefficient > 0 ? least : most));
  }
  const low = lowest(bounded, domain, effort - 1);
  if (same(scale, ONE)) return low;
  if (scale.constant !== null) return low === -Infinity ? low : Math.ceil(low / scale.constant);
  if (low >= 1) return 1;
  if (low >= 0) return 0;
  return lowest(add(bounded, sub(scale, ONE)), domain, effort - 1) >= 0 ? 0 : -Infinity;
}

/** ONE where every term with the quotient has its divisor as a factor already, else the divisor. */
function factorNeeded(a: SymInt, atom: Quotient): SymInt {
  const divisible = a.terms.every((term) => {
    const others = without(term.atoms, [atom]);
    return others === null || divideExactly(monomial(term.coefficient, others), atom.right) !== null;
  });
  return divisible ? ONE : atom.right;
}

function allNonNegative(atoms: readonly Atom[], domain: Domain, effort: number): boolean {
  return atoms.every((atom) => rangeOfAtom(atom, domain, effort - 1).low >= 0);
}

function replaceAtom(a: SymInt, atom: Atom, by: SymInt): SymInt {
  let result: SymInt = int(a.offset);
  for (const term of a.terms) {
    let factors: SymInt = int(term.coefficient);
    for (const one of term.atoms) factors = mul(factors, compareAtoms(one, atom) === 0 ? by : ofAtom(one));
    result = add(result, factors);
  }
  return result;
}

/** `a = (a - k * p) + k * p` with `p >= 0`: a known inequality pays for a term of `a` below 0. */
function byInequalities(a: SymInt, domain: Domain, effort: number): number {
  let best = -Infinity;
  for (const known of domain.nonNegative) {
    for (const term of known.terms) {
      if (term.coefficient > 0) continue;
      const mine = a.terms.find(
        (t) => t.coefficient < 0 && t.atoms.length === term.atoms.length && without(t.atoms, term.atoms) !== null,
      );
      if (mine === undefined || mine.coefficient % term.coefficient !== 0) continue;
      const rest = sub(a, mul(int(mine.coefficient / term.coefficient), known));
      // One more inequality may follow; all chains of them would be too many.
      best = Math.max(best, lowest(rest, domain, Math.min(effort - 1, 1)));
    }
  }
  return best;
}
