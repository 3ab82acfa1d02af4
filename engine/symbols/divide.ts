import { compareAtoms } from './order.ts';
import { type Atom, add, int, mul, polynomial, type SymInt, sub, type Term, withOffset, ZERO } from './polynomial.ts';

const MOST_STEPS = 256;

/** The quotient where `b` divides `a` as a polynomial, for all values of the symbols; else null. */
export function divideExactly(a: SymInt, b: SymInt): SymInt | null {
  if (b.constant === 0) return null;
  if (b.constant === 1) return a;
  if (a.constant !== null && b.constant !== null)
    return a.constant % b.constant === 0 ? int(a.constant / b.constant) : null;
  if (a.constant === 0) return ZERO;
  if (b.terms.length === 1 && b.offset === 0) return dividedByTerm(a, b);
  const { quotient, remainder } = divideWithRemainder(a, b);
  return remainder.constant === 0 ? quotient : null;
}

/** Each term is divided for itself, which keeps their order. */
function dividedByTerm(a: SymInt, b: SymInt): SymInt | null {
  const by = b.terms[0];
  if (by === undefined || a.offset !== 0) return null;
  const terms: Term[] = [];
  let offset = 0;
  for (const term of a.terms) {
    if (term.coefficient % by.coefficient !== 0) return null;
    const atoms = without(term.atoms, by.atoms);
    if (atoms === null) return null;
    if (atoms.length === 0) offset = term.coefficient / by.coefficient;
    else terms.push({ coefficient: term.coefficient / by.coefficient, atoms });
  }
  return polynomial(terms, offset);
}

/**
 * `a = quotient * b + remainder`, as polynomials.
 *
 * 1. The greatest term of what is left is divided by the greatest term of `b`, its coefficient rounded down.
 * 2. What its monomial or coefficient leaves goes into the remainder; the rest gets smaller in the term order.
 *
 * The remainder is smaller than `b` as a value only where `b` is a number; the identity always holds.
 */
export function divideWithRemainder(a: SymInt, b: SymInt): { quotient: SymInt; remainder: SymInt } {
  const lead = withOffset(b)[0];
  if (lead === undefined) return { quotient: ZERO, remainder: a };
  let rest = a;
  let quotient = ZERO;
  let remainder = ZERO;
  let steps = 0;
  for (let head = withOffset(rest)[0]; head !== undefined; head = withOffset(rest)[0]) {
    // A long division tells little; what is left of it is remainder as a whole.
    if (steps++ >= MOST_STEPS) return { quotient, remainder: add(remainder, rest) };
    const atoms = without(head.atoms, lead.atoms);
    const times = atoms === null ? 0 : Math.floor(head.coefficient / lead.coefficient);
    if (atoms !== null && times !== 0) {
      const step = monomial(times, atoms);
      quotient = add(quotient, step);
      rest = sub(rest, mul(step, b));
    }
    const left = monomial(head.coefficient - times * lead.coefficient, head.atoms);
    remainder = add(remainder, left);
    rest = sub(rest, left);
  }
  return { quotient, remainder };
}

export function monomial(coefficient: number, atoms: readonly Atom[]): SymInt {
  if (coefficient === 0) return ZERO;
  return atoms.length === 0 ? int(coefficient) : polynomial([{ coefficient, atoms }], 0);
}

/** The atoms of `all` without those of `some`, each taken once; null where one is missing. */
export function without(all: readonly Atom[], some: readonly Atom[]): readonly Atom[] | null {
  if (some.length === 0) return all;
  if (some.length > all.length) return null;
  const left: Atom[] = [];
  let next = 0;
  for (const atom of all) {
    const wanted = some[next];
    if (wanted !== undefined && compareAtoms(atom, wanted) === 0) next++;
    else left.push(atom);
  }
  return next === some.length ? left : null;
}

/** The greatest monomial, coefficient included, that divides every term. */
export function commonFactor(terms: readonly Term[]): { coefficient: number; atoms: readonly Atom[] } {
  let coefficient = 0;
  let atoms: readonly Atom[] | null = null;
  for (const term of terms) {
    coefficient = gcd(coefficient, Math.abs(term.coefficient));
    atoms = atoms === null ? term.atoms : shared(atoms, term.atoms);
  }
  return { coefficient, atoms: atoms ?? [] };
}

function shared(a: readonly Atom[], b: readonly Atom[]): readonly Atom[] {
  const both: Atom[] = [];
  let next = 0;
  for (const atom of a) {
    for (let other = b[next]; other !== undefined && compareAtoms(other, atom) < 0; other = b[next]) next++;
    const other = b[next];
    if (other !== undefined && compareAtoms(other, atom) === 0) {
      both.push(atom);
      next++;
    }
  }
  return both;
}

export function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
