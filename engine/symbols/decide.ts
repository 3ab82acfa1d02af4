import { type Domain, lowerBound, upperBound } from './bounds.ts';
import { commonFactor, divideExactly, gcd, monomial } from './divide.ts';
import { domainOf, type Facts, isKnownDivisible, rangeIn } from './facts.ts';
import { floorDiv } from './laws.ts';
import { type Atom, add, mul, ONE, ofAtom, type SymInt, same, sub, withOffset, ZERO } from './polynomial.ts';
import { isNonZeroSize, neverZero } from './recognise.ts';
import { simplify } from './simplify.ts';
import { mapAtoms, symbolsOf } from './substitute.ts';

/** undefined: it cannot be told. */
export type Truth = boolean | undefined;

/** The special case in which a decision would fall the other way: "copies unless H == 1" rests on `equal` of H and 1. */
export interface Guard {
  readonly relation: 'equal' | 'less';
  readonly left: SymInt;
  readonly right: SymInt;
}

/**
 * Answers about generic sizes: a symbol is at least 2 and unrelated to the others unless the facts say otherwise. Whatever
 * that decided is in `guards`; a claim built on the answers holds where no guard does.
 */
export interface Decisions {
  readonly facts: Facts;
  /** Grows with the questions. */
  readonly guards: readonly Guard[];
  equal(a: SymInt, b: SymInt): Truth;
  less(a: SymInt, b: SymInt): Truth;
  isOne(a: SymInt): Truth;
  isZero(a: SymInt): Truth;
  /** Leaves a case out of the claim that no question of these has decided. */
  leaveOut(guard: Guard): void;
  /** The same decisions under other facts; the guards go on in the same list. */
  under(facts: Facts): Decisions;
}

export function decide(facts: Facts): Decisions {
  const guards: Guard[] = [];
  const seen = new Set<string>();
  const record = (guard: Guard) => {
    const key = `${guard.relation} ${guard.left.key} ${guard.right.key}`;
    if (seen.has(key)) return;
    seen.add(key);
    guards.push(Object.freeze(guard));
  };
  return decisions(facts, guards, record);
}

function decisions(facts: Facts, guards: readonly Guard[], record: Remember): Decisions {
  const equal = (a: SymInt, b: SymInt) => generallyEqual(a, b, facts, record);
  return {
    facts,
    guards,
    leaveOut: record,
    equal,
    less: (a, b) => generallyLess(a, b, facts, record),
    isOne: (a) => equal(a, ONE),
    isZero: (a) => equal(a, ZERO),
    under: (more) => decisions(more, guards, record),
  };
}

/** What holds for every value of the symbols that satisfies the facts. */
export function always(relation: 'equal' | 'less', a: SymInt, b: SymInt, facts: Facts): Truth {
  if (a.constant !== null && b.constant !== null)
    return relation === 'equal' ? a.constant === b.constant : a.constant < b.constant;
  const difference = simplify(sub(b, a), facts);
  return relation === 'equal' ? alwaysZero(difference, facts) : alwaysPositive(difference, facts);
}

function alwaysPositive(difference: SymInt, facts: Facts): Truth {
  const domain = domainOf(facts);
  if (lowerBound(difference, domain) > 0) return true;
  return upperBound(difference, domain) <= 0 ? false : undefined;
}

function alwaysZero(difference: SymInt, facts: Facts): Truth {
  if (difference.constant !== null) return difference.constant === 0;
  if (neverZero(difference, facts) || neverIntegral(difference)) return false;
  return simplify(inFloors(difference), facts).constant === 0 ? true : undefined;
}

/** A common factor of the coefficients that does not divide the constant: `2 * x` is never 1. */
function neverIntegral(a: SymInt): boolean {
  return a.offset % a.terms.reduce((all, term) => gcd(all, Math.abs(term.coefficient)), 0) !== 0;
}

/** `a % b = a - b * (a // b)`, by which different forms of one value meet. */
function inFloors(a: SymInt): SymInt {
  return mapAtoms(a, (atom) =>
    atom.kind === 'mod' ? sub(atom.left, mul(atom.right, floorDiv(atom.left, atom.right))) : null,
  );
}

type Remember = (guard: Guard) => void;

function generallyEqual(a: SymInt, b: SymInt, facts: Facts, record: Remember): Truth {
  if (a.constant !== null && b.constant !== null) return a.constant === b.constant;
  if (a === b) return true;
  const difference = simplify(sub(a, b), facts);
  const sure = alwaysZero(difference, facts);
  if (sure !== undefined) return sure;
  const { left, right, factor } = cancelled(simplify(a, facts), simplify(b, facts), facts);
  const rest = factor === ONE ? difference : simplify(sub(left, right), facts);
  if (rest.constant !== null) {
    // Like 2 * B and B: they differ unless what they share is 0.
    if (rest.constant !== 0) record({ relation: 'equal', left: factor, right: ZERO });
    return rest.constant === 0;
  }
  const generic = genericDomain(facts, 2);
  if (lowerBound(rest, generic) <= 0 && upperBound(rest, generic) >= 0 && !isGeneric(rest, facts)) return undefined;
  record({ relation: 'equal', left, right });
  return false;
}

function generallyLess(a: SymInt, b: SymInt, facts: Facts, record: Remember): Truth {
  if (a.constant !== null && b.constant !== null) return a.constant < b.constant;
  if (a === b) return false;
  const difference = simplify(sub(b, a), facts);
  const sure = alwaysPositive(difference, facts);
  if (sure !== undefined) return sure;
  const { left, right, factor } = cancelled(simplify(a, facts), simplify(b, facts), facts);
  const rest = factor === ONE ? difference : simplify(sub(right, left), facts);
  if (rest.constant !== null) {
    if (rest.constant > 0) record({ relation: 'equal', left: factor, right: ZERO });
    return rest.constant > 0;
  }
  const generic = genericDomain(facts, 2);
  if (lowerBound(rest, generic) > 0) {
    // Where it cannot be greater either, only equality would turn the answer.
    const atMost = lowerBound(rest, genericDomain(facts, 1)) >= 0;
    record(atMost ? { relation: 'equal', left, right } : { relation: 'less', left: right, right: add(left, ONE) });
    return true;
  }
  if (upperBound(rest, generic) > 0) return undefined;
  record({ relation: 'less', left, right });
  return false;
}

/** Both sides without the sizes that all their terms share: `T * C` and `C` are compared as `T` and `1`. */
function cancelled(a: SymInt, b: SymInt, facts: Facts): { left: SymInt; right: SymInt; factor: SymInt } {
  const atoms = commonFactor([...withOffset(a), ...withOffset(b)]).atoms.filter((atom) => isNonZeroSize(atom, facts));
  if (atoms.length === 0) return { left: a, right: b, factor: ONE };
  const factor = monomial(1, atoms);
  return { left: divideExactly(a, factor) ?? a, right: divideExactly(b, factor) ?? b, factor };
}

/** The facts with symbols from `least` on, save where they say that a symbol is smaller. */
function genericDomain(facts: Facts, least: number): Domain {
  const known = domainOf(facts);
  return {
    ...known,
    range: (id) => {
      const range = rangeIn(facts, id);
      return range.high < least ? range : { low: Math.max(range.low, least), high: range.high };
    },
  };
}

/**
 * True where a difference that could be 0 is not 0 for generic sizes: it is made of symbols and quotients, and what is
 * rounded has no symbol in common with the rest. `%`, `max` and `min` take few values, so nothing is generic about them.
 */
function isGeneric(difference: SymInt, facts: Facts): boolean {
  const atoms = distinctAtoms(difference);
  return atoms.every((atom) => {
    if (atom.kind === 'symbol') return true;
    if (atom.kind !== 'floorDiv' && atom.kind !== 'ceilDiv') return false;
    if (isKnownDivisible(facts, atom.left, atom.right)) return true;
    if (![atom.left, atom.right].every((operand) => distinctAtoms(operand).every((inner) => isPlain(inner, facts))))
      return false;
    const mine = symbolsOf(ofAtom(atom));
    return !atoms.some((other) => other !== atom && [...symbolsOf(ofAtom(other))].some((id) => mine.has(id)));
  });
}

function isPlain(atom: Atom, facts: Facts): boolean {
  return atom.kind === 'symbol' || (atom.kind === 'floorDiv' && isKnownDivisible(facts, atom.left, atom.right));
}

function distinctAtoms(a: SymInt): readonly Atom[] {
  const found: Atom[] = [];
  for (const term of a.terms) {
    for (const atom of term.atoms) if (!found.some((other) => same(ofAtom(other), ofAtom(atom)))) found.push(atom);
  }
  return found;
}
