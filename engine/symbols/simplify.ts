import { lowerBound } from './bounds.ts';
import { divideExactly, divideWithRemainder, monomial, without } from './divide.ts';
import { domainOf, type Facts, type Index, indexOf, MOST_REMEMBERED, NO_FACTS, originOf } from './facts.ts';
import { floorDiv, maximum, minimum } from './laws.ts';
import {
  add,
  type Extremum,
  int,
  intern,
  mul,
  ofAtom,
  operationsIn,
  polynomial,
  type SymInt,
  same,
  sub,
  type Term,
  withOffset,
  ZERO,
} from './polynomial.ts';
import { mapAtoms, mapOperands, mentions, operate, symbolsOf } from './substitute.ts';

/** An integer with more operations is left as it is: simplifying it takes long and tells little. */
const MOST_OPERATIONS = 24;

/**
 * What one question may cost, in integers simplified and terms rewritten. Facts can be told under which each integer leads
 * to larger ones without end; what is not simplified then is still equal.
 */
const MOST_WORK = 4000;

/** Work left for the question under way; null between questions. */
let work: number | null = null;

/**
 * `a` in simplest form under the facts; equal to `a` wherever they hold.
 *
 * 1. Symbols with a known value are replaced, operations are computed anew on simplified operands.
 * 2. Then every polynomial known to be 0 takes its greatest term out: `N * (C // N) - C = 0` turns `N * (C // N)` into `C`.
 */
export function simplify(a: SymInt, under: Facts): SymInt {
  if (a.constant !== null || under === NO_FACTS || a.operations > MOST_OPERATIONS) return a;
  if (!mentions(a, indexOf(under).told)) return a;
  const facts = originOf(under, a);
  const index = indexOf(facts);
  const asked = intern(a);
  let simple = index.simple.get(asked);
  if (simple === undefined) {
    if (index.simple.size >= MOST_REMEMBERED) index.simple.clear();
    // Facts that rewrite each other may ask for `a` on the way to `a`: then it is as simple as it gets.
    index.simple.set(asked, asked);
    simple = asOneQuestion(() => fixpoint(asked, facts, index));
    index.simple.set(asked, simple);
  }
  // Where nothing changes it, it is the polynomial asked for: callers compare by identity.
  return simple === asked ? a : simple;
}

/** All that `answer` simplifies shares the work of one question. */
export function asOneQuestion<Answer>(answer: () => Answer): Answer {
  if (work !== null) return answer();
  work = MOST_WORK;
  try {
    return answer();
  } finally {
    work = null;
  }
}

/** Rounds are few in practice; the limit only guards against facts that undo each other. */
function fixpoint(a: SymInt, facts: Facts, index: Index): SymInt {
  let simple = a;
  for (let round = 0; round < 6 && spend(); round++) {
    const next = reduce(rebuild(simple, facts), index.zeros);
    if (next === simple || same(next, simple)) break;
    if (next.operations > MOST_OPERATIONS) break;
    simple = next;
  }
  return simple;
}

function spend(): boolean {
  if (work === null) return true;
  return work-- > 0;
}

function rebuild(a: SymInt, facts: Facts): SymInt {
  return mapAtoms(a, (atom) => {
    if (atom.kind === 'symbol') return facts.equal.get(atom.id) ?? null;
    if (atom.kind === 'big') return null;
    const mapped = mapOperands(atom, (operand) => simplify(operand, facts));
    if (mapped !== null) return mapped;
    if ('items' in atom) return decidedItems(atom, facts);
    return dividedUnderFacts(atom.kind, atom.left, atom.right, facts);
  });
}

/** Drops each item that another one is known to beat. */
function decidedItems(atom: Extremum, facts: Facts): SymInt | null {
  const domain = domainOf(facts);
  const beats = (x: SymInt, y: SymInt) => lowerBound(atom.kind === 'max' ? sub(x, y) : sub(y, x), domain) >= 0;
  const kept: SymInt[] = [];
  atom.items.forEach((item, i) => {
    if (kept.some((other) => beats(other, item))) return;
    if (atom.items.slice(i + 1).some((other) => beats(other, item))) return;
    kept.push(item);
  });
  return kept.length === atom.items.length || kept.length === 0
    ? null
    : kept.reduce(atom.kind === 'max' ? maximum : minimum);
}

/** A quotient that is exact, or in part exact, because a fact lets the dividend be written as a multiple. */
function dividedUnderFacts(
  kind: 'floorDiv' | 'mod' | 'ceilDiv',
  left: SymInt,
  right: SymInt,
  facts: Facts,
): SymInt | null {
  const { quotient, remainder } = wholePart(left, right, facts);
  if (quotient.constant !== 0) {
    if (remainder.constant === 0) return kind === 'mod' ? ZERO : unlessSame(quotient, kind, left, right);
    const rest = operate(kind, remainder, right);
    return kind === 'mod' ? rest : add(quotient, rest);
  }
  const domain = domainOf(facts);
  if (lowerBound(left, domain) < 0 || lowerBound(sub(right, left), domain) < (kind === 'ceilDiv' ? 0 : 1)) return null;
  if (kind === 'floorDiv') return ZERO;
  if (kind === 'mod') return left;
  return lowerBound(left, domain) >= 1 ? int(1) : null;
}

/** `C // N` is itself the quotient that makes `C` a multiple of `N`; `ceil_div(C, N)` becomes it. */
function unlessSame(quotient: SymInt, kind: 'floorDiv' | 'ceilDiv', left: SymInt, right: SymInt): SymInt | null {
  const self = ofAtom({ kind, left, right });
  return same(quotient, self) ? null : quotient;
}

/** `left = quotient * right + remainder` with as much in the quotient as one divisibility fact makes possible. */
export function wholePart(left: SymInt, right: SymInt, facts: Facts): { quotient: SymInt; remainder: SymInt } {
  let best = { quotient: ZERO, remainder: left };
  for (const { value, by } of facts.divisible) {
    // A divisor that is itself computed from the dividend, as in 3 * (A // 2) | A, would write A by A without end.
    if (value.operations > 0 || (by.operations > 0 && mentions(value, symbolsOf(by)))) continue;
    const multiple = mul(by, floorDiv(value, by));
    const [lead, another] = withOffset(value);
    if (lead === undefined || another !== undefined) {
      // A sum is only recognised as a whole: (h + 2) with 4 | h + 2.
      const times = divideExactly(left, value);
      const exact = times === null ? null : divideExactly(mul(times, multiple), right);
      if (exact !== null) return { quotient: exact, remainder: ZERO };
      continue;
    }
    const written = rewrite(left, lead, multiple);
    if (written === left) continue;
    const { quotient, remainder } = divideWithRemainder(written, right);
    const rest = reduce(remainder, [sub(multiple, value)]);
    if (rest.constant === 0) return { quotient, remainder: ZERO };
    if (best.quotient.constant === 0 && quotient.constant !== 0) best = { quotient, remainder: rest };
  }
  return best;
}

/** The polynomial division of `a` by `b` under the facts; null where a remainder is left. */
export function divideUnderFacts(a: SymInt, b: SymInt, facts: Facts): SymInt | null {
  const left = simplify(a, facts);
  const right = simplify(b, facts);
  const plain = divideExactly(left, right);
  if (plain !== null || right.constant === 0) return plain;
  const { quotient, remainder } = wholePart(left, right, facts);
  return remainder.constant === 0 ? simplify(quotient, facts) : null;
}

/** `a` without multiples of the greatest term of each zero. Each step
 * replaces a term by smaller ones (fewer operations, then lower in the term order), so it ends. */
export function reduce(a: SymInt, zeros: readonly SymInt[]): SymInt {
  let result = a;
  for (const zero of zeros) {
    const lead = leadOf(zero);
    if (lead === null) continue;
    const rest = sub(monomial(lead.coefficient, lead.atoms), zero);
    for (let steps = 0; steps < 64 && spend(); steps++) {
      const next = rewrite(result, lead, rest);
      if (next === result) break;
      result = next;
    }
  }
  return result;
}

/** Every term that is a multiple of `lead` with `lead` replaced once by `by`; `a` itself where there is none. */
function rewrite(a: SymInt, lead: Term, by: SymInt): SymInt {
  let result: SymInt | null = null;
  a.terms.forEach((term, i) => {
    const others = term.coefficient % lead.coefficient === 0 ? without(term.atoms, lead.atoms) : null;
    if (others === null) {
      if (result !== null) result = add(result, monomial(term.coefficient, term.atoms));
      return;
    }
    result ??= polynomial(a.terms.slice(0, i), a.offset);
    result = add(result, mul(monomial(term.coefficient / lead.coefficient, others), by));
  });
  return result ?? a;
}

/** The term to take out: the one with the most operations, then the highest degree; the terms are sorted by degree. */
function leadOf(zero: SymInt): Term | null {
  let lead: Term | null = null;
  for (const term of zero.terms) if (lead === null || operationsOf(term) > operationsOf(lead)) lead = term;
  return lead;
}

const operationsOf = (term: Term): number => term.atoms.reduce((all, atom) => all + operationsIn(atom), 0);
