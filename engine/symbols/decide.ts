import { type Domain, lowerBound, SIZES, upperBound } from './bounds.ts';
import { commonFactor, divideExactly, gcd, monomial } from './divide.ts';
import {
  type Answer,
  domainOf,
  type Facts,
  type Guard,
  indexOf,
  isKnownDivisible,
  MOST_REMEMBERED,
  NO_FACTS,
  originOf,
  type Question,
  rangeIn,
  type Truth,
} from './facts.ts';
import { floorDiv } from './laws.ts';
import { type Atom, add, intern, mul, ONE, ofAtom, type SymInt, same, sub, withOffset, ZERO } from './polynomial.ts';
import { isNonZeroSize, neverZero } from './recognise.ts';
import { simplify } from './simplify.ts';
import { mapAtoms, mentions, symbolsOf } from './substitute.ts';

export type { Guard, Truth } from './facts.ts';

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

export const decide = (facts: Facts): Decisions => new Asked(facts, []);

/** A class, since every op asks anew: its questions are made once. */
class Asked implements Decisions {
  readonly facts: Facts;
  readonly guards: Guard[];

  constructor(facts: Facts, guards: Guard[]) {
    this.facts = facts;
    this.guards = guards;
  }

  equal(a: SymInt, b: SymInt): Truth {
    return this.decided('equal', a, b);
  }

  less(a: SymInt, b: SymInt): Truth {
    return this.decided('less', a, b);
  }

  isOne(a: SymInt): Truth {
    return this.decided('equal', a, ONE);
  }

  isZero(a: SymInt): Truth {
    return this.decided('equal', a, ZERO);
  }

  leaveOut(guard: Guard): void {
    const { guards } = this;
    if (guards.some((other) => isCaseOf(guard, other))) return;
    for (let i = guards.length - 1; i >= 0; i--) {
      const other = guards[i];
      if (other !== undefined && isCaseOf(other, guard)) guards.splice(i, 1);
    }
    guards.push(Object.freeze(guard));
  }

  under(facts: Facts): Decisions {
    return facts === this.facts ? this : new Asked(facts, this.guards);
  }

  private decided(relation: Relation, a: SymInt, b: SymInt): Truth {
    if (a.constant !== null && b.constant !== null) return onNumbers(relation, a.constant, b.constant);
    if (same(a, b)) return relation === 'equal';
    const { truth, guard } = remembered(relation, a, b, this.facts);
    if (guard !== null) this.leaveOut(guard);
    return truth;
  }
}

/** True where whenever `guard` holds `other` does: `H * W * C == 1` beside `C == 1` says nothing more, nor `C == 0` beside `H * C == 0`. */
function isCaseOf(guard: Guard, other: Guard): boolean {
  if (guard === other) return true;
  if (guard.relation === other.relation && same(guard.left, other.left) && same(guard.right, other.right)) return true;
  if (guard.relation !== 'equal' || other.relation !== 'equal' || guard.right !== other.right) return false;
  if (guard.right === ONE) return lowerBound(other.left, SIZES) >= 0 && divideExactly(guard.left, other.left) !== null;
  return guard.right === ZERO && divideExactly(other.left, guard.left) !== null;
}

type Relation = Guard['relation'];

const onNumbers = (relation: Relation, a: number, b: number): boolean => (relation === 'equal' ? a === b : a < b);

/** What holds for every value of the symbols that satisfies the facts. */
export function always(relation: Relation, a: SymInt, b: SymInt, facts: Facts): Truth {
  if (a.constant !== null && b.constant !== null) return onNumbers(relation, a.constant, b.constant);
  if (same(a, b)) return relation === 'equal';
  return remembered(`always ${relation}`, a, b, facts).truth;
}

const answerOf: Record<Question, (a: SymInt, b: SymInt, facts: Facts) => Answer> = {
  equal: generallyEqual,
  less: generallyLess,
  'always equal': (a, b, facts) => unguarded(alwaysZero(simplify(sub(b, a), facts), facts)),
  'always less': (a, b, facts) => unguarded(alwaysPositive(simplify(sub(b, a), facts), facts)),
};

const TRUE: Answer = Object.freeze({ truth: true, guard: null });
const FALSE: Answer = Object.freeze({ truth: false, guard: null });
const UNKNOWN: Answer = Object.freeze({ truth: undefined, guard: null });
const unguarded = (truth: Truth): Answer => (truth === undefined ? UNKNOWN : truth ? TRUE : FALSE);
const guarded = (truth: boolean, guard: Guard): Answer => Object.freeze({ truth, guard: Object.freeze(guard) });

/** Integers that one and the same integer is remembered to be compared with. */
const MOST_COMPARED = 64;

/** Where the facts say nothing of what is asked, once it is simplified, the answer is the one without facts. */
function remembered(question: Question, a: SymInt, b: SymInt, facts: Facts): Answer {
  const left = intern(simplify(a, facts));
  const right = intern(simplify(b, facts));
  const index = indexOf(facts);
  const isTold = mentions(left, index.told) || mentions(right, index.told);
  const under = isTold ? originOf(facts, left, right) : NO_FACTS;
  const { answers: all } = indexOf(under);
  all[question] ??= new Map();
  const byLeft = all[question];
  let answers = byLeft.get(left);
  let answer = answers?.get(right);
  if (answer === undefined) {
    if (answers === undefined || answers.size >= MOST_COMPARED) {
      answers = new Map();
      if (byLeft.size >= MOST_REMEMBERED) byLeft.clear();
      byLeft.set(left, answers);
    }
    answer = answerOf[question](left, right, under);
    answers.set(right, answer);
  }
  return answer;
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

function generallyEqual(a: SymInt, b: SymInt, facts: Facts): Answer {
  if (a.constant !== null && b.constant !== null) return unguarded(a.constant === b.constant);
  const difference = simplify(sub(a, b), facts);
  const sure = alwaysZero(difference, facts);
  if (sure !== undefined) return unguarded(sure);
  const { left, right, factor } = cancelled(a, b, facts);
  const rest = factor === ONE ? difference : simplify(sub(left, right), facts);
  // Like 2 * B and B: they differ unless what they share is 0.
  if (rest.constant === 0) return TRUE;
  if (rest.constant !== null) return guarded(false, { relation: 'equal', left: factor, right: ZERO });
  const generic = genericDomain(facts, 2);
  if (lowerBound(rest, generic) <= 0 && upperBound(rest, generic) >= 0 && !isGeneric(rest, facts)) return UNKNOWN;
  return guarded(false, { relation: 'equal', left, right });
}

function generallyLess(a: SymInt, b: SymInt, facts: Facts): Answer {
  if (a.constant !== null && b.constant !== null) return unguarded(a.constant < b.constant);
  const difference = simplify(sub(b, a), facts);
  const sure = alwaysPositive(difference, facts);
  if (sure !== undefined) return unguarded(sure);
  const { left, right, factor } = cancelled(a, b, facts);
  const rest = factor === ONE ? difference : simplify(sub(right, left), facts);
  if (rest.constant !== null)
    return rest.constant > 0 ? guarded(true, { relation: 'equal', left: factor, right: ZERO }) : FALSE;
  const generic = genericDomain(facts, 2);
  if (lowerBound(rest, generic) > 0) {
    // Where it cannot be greater either, only equality would turn the answer.
    const atMost = lowerBound(rest, genericDomain(facts, 1)) >= 0;
    return guarded(
      true,
      atMost ? { relation: 'equal', left, right } : { relation: 'less', left: right, right: add(left, ONE) },
    );
  }
  return upperBound(rest, generic) > 0 ? UNKNOWN : guarded(false, { relation: 'less', left, right });
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
  const { domain, generic } = indexOf(facts);
  const known = generic.get(least);
  if (known !== undefined) return known;
  const made: Domain = {
    ...domain,
    lows: new Map(),
    range: (id) => {
      const range = rangeIn(facts, id);
      return range.high < least ? range : { low: Math.max(range.low, least), high: range.high };
    },
  };
  generic.set(least, made);
  return made;
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
