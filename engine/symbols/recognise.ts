import { lowerBound, upperBound } from './bounds.ts';
import { commonFactor, divideExactly, gcd, monomial, without } from './divide.ts';
import { type Divisible, domainOf, type Facts, isKnownDivisible, rangeIn } from './facts.ts';
import { ceilDiv, floorDiv } from './laws.ts';
import { compareAtoms } from './order.ts';
import {
  type Atom,
  add,
  int,
  mul,
  neg,
  ofAtom,
  type Quotient,
  type Remainder,
  type SymInt,
  same,
  sub,
  type Term,
  withOffset,
  ZERO,
} from './polynomial.ts';
import { mentions } from './substitute.ts';

/**
 * Divides out the numbers and the sizes that all terms share (sizes are taken as not 0); null where no integers can make
 * the polynomial 0, because a common factor of the coefficients does not divide the constant.
 */
export function withoutCommonFactor(a: SymInt, facts: Facts): SymInt | null {
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
 * `m * (value // m) - value`, `m * ceil_div(value, m) - value`, `ceil_div(value, m) - value // m` and `value % m` are 0 exactly
 * where `m` divides `value`. The quotient may be written otherwise: `N * (A // (C * N)) - A // C` is the first with `A // C`.
 */
export function divisibilityIn(zero: SymInt): readonly Divisible[] | null {
  for (const atom of atomsOf(zero)) {
    if (atom.kind !== 'floorDiv' && atom.kind !== 'mod' && atom.kind !== 'ceilDiv') continue;
    const exact = atom.kind === 'mod' ? remainderIn(zero, atom) : (multipleIn(zero, atom) ?? roundingsIn(zero, atom));
    if (exact !== null) return [exact];
  }
  return null;
}

function remainderIn(zero: SymInt, atom: Remainder): Divisible | null {
  const itself = ofAtom(atom);
  return same(zero, itself) || same(neg(zero), itself) ? { value: atom.left, by: atom.right } : null;
}

/** `m * quotient - value` where the quotient is that of `value` by `m`; `m` divides a divisor, so it is at least 1. */
function multipleIn(zero: SymInt, atom: Quotient): Divisible | null {
  const factor = cofactor(zero, atom);
  const by = (factor.terms[0]?.coefficient ?? factor.offset) < 0 ? neg(factor) : factor;
  if (by.constant === 1 || divideExactly(atom.right, by) === null) return null;
  const multiple = mul(by, ofAtom(atom));
  const value = sub(multiple, by === factor ? zero : neg(zero));
  const quotient = atom.kind === 'floorDiv' ? floorDiv(value, by) : ceilDiv(value, by);
  return same(quotient, ofAtom(atom)) ? { value, by } : null;
}

/** What `atom` is multiplied by in `a`. */
function cofactor(a: SymInt, atom: Atom): SymInt {
  let factor = ZERO;
  for (const term of a.terms) {
    const others = without(term.atoms, [atom]);
    if (others !== null) factor = add(factor, monomial(term.coefficient, others));
  }
  return factor;
}

function roundingsIn(zero: SymInt, { kind, left: value, right: by }: Quotient): Divisible | null {
  if (kind !== 'ceilDiv') return null;
  const gap = sub(ofAtom({ kind, left: value, right: by }), floorDiv(value, by));
  return same(zero, gap) || same(neg(zero), gap) ? { value, by } : null;
}

/**
 * `h * (H // h) * w * (W // w) - H * W` is 0 only where every division is exact: each factor `h * (H // h)` is at most its
 * `H`, none is 0, and with an `H` for every quotient both sides are equal.
 */
export function divisibilityInProducts(zero: SymInt, facts: Facts): readonly Divisible[] | null {
  const [first, second, third] = zero.terms;
  if (first === undefined || second === undefined || third !== undefined || zero.offset !== 0) return null;
  if (first.coefficient > 0 === second.coefficient > 0) return null;
  return wholesIn(first, second, facts) ?? wholesIn(second, first, facts);
}

/** The divisions in `rounded` where it would be `whole` if none of them left a remainder. */
function wholesIn(rounded: Term, whole: Term, facts: Facts): readonly Divisible[] | null {
  const quotients: Divisible[] = [];
  let over: SymInt = int(Math.abs(rounded.coefficient));
  let under: SymInt = int(Math.abs(whole.coefficient));
  for (const atom of rounded.atoms) {
    if (atom.kind === 'floorDiv' && isNeverZero(atom.left, facts)) {
      quotients.push({ value: atom.left, by: atom.right });
      over = mul(over, atom.left);
      under = mul(under, atom.right);
    } else if (isNonZeroSize(atom, facts)) over = mul(over, ofAtom(atom));
    else return null;
  }
  return quotients.length > 1 && same(over, mul(under, monomial(1, whole.atoms))) ? quotients : null;
}

/** A product of sizes, or what is above 0 anyway. */
function isNeverZero(a: SymInt, facts: Facts): boolean {
  const [term, another] = a.terms;
  const isProduct = term !== undefined && another === undefined && a.offset === 0 && term.coefficient > 0;
  if (isProduct && term.atoms.every((atom) => isNonZeroSize(atom, facts))) return true;
  return lowerBound(a, domainOf(facts)) > 0;
}

/** `min(a, b) == a` says that `a <= b`: the differences that are at least 0. */
export function orderIn(zero: SymInt): readonly SymInt[] | null {
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

/**
 * The latest symbol that stands alone with coefficient ±1 and nowhere else. A packed dim (its name starts with `*`) is
 * never replaced: only its own dims may take its place.
 */
export function solve(zero: SymInt): { id: string; value: SymInt } | null {
  let best: { atom: Atom & { kind: 'symbol' }; sign: number } | null = null;
  for (const term of zero.terms) {
    const [atom, another] = term.atoms;
    if (atom?.kind !== 'symbol' || another !== undefined || Math.abs(term.coefficient) !== 1) continue;
    if (atom.id.startsWith('*')) continue;
    if (best !== null && compareAtoms(atom, best.atom) < 0) continue;
    const { id } = atom;
    const rest = sub(zero, monomial(term.coefficient, term.atoms));
    if (!mentions(rest, { has: (other) => other === id })) best = { atom, sign: term.coefficient };
  }
  if (best === null) return null;
  const rest = sub(zero, monomial(best.sign, [best.atom]));
  return { id: best.atom.id, value: best.sign > 0 ? neg(rest) : rest };
}

/** A multiple and its divisor without the numbers and sizes that they share. */
export function cancel(value: SymInt, by: SymInt, facts: Facts): { value: SymInt; by: SymInt } {
  const common = commonFactor([commonFactor(withOffset(value)), commonFactor(withOffset(by))]);
  const factor = monomial(
    common.coefficient,
    common.atoms.filter((atom) => isNonZeroSize(atom, facts)),
  );
  return { value: divideExactly(value, factor) ?? value, by: divideExactly(by, factor) ?? by };
}
