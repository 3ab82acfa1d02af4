import { lowerBound, upperBound } from './bounds.ts';
import { commonFactor, divideExactly, gcd, monomial } from './divide.ts';
import { type Divisible, domainOf, type Facts, isKnownDivisible, rangeIn } from './facts.ts';
import { floorDiv } from './laws.ts';
import { type Atom, compareAtoms, mul, neg, type SymInt, same, sub, withOffset } from './polynomial.ts';
import { simplify } from './simplify.ts';
import { symbolsOf } from './substitute.ts';

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
 * `by * (value // by) - value`, `by * ceil_div(value, by) - value`, `ceil_div(value, by) - value // by` and `value % by` are 0
 * exactly where `by` divides.
 */
export function divisibilityIn(zero: SymInt): readonly Divisible[] | null {
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
export function divisibilityInProducts(zero: SymInt, facts: Facts): readonly Divisible[] | null {
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
  const exact: Facts = { ...facts, divisible: [...facts.divisible, ...quotients] };
  return simplify(zero, exact).constant === 0 ? quotients : null;
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

/** The latest symbol that stands alone with coefficient ±1 and nowhere else. */
export function solve(zero: SymInt): { id: string; value: SymInt } | null {
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

/** A multiple and its divisor without the numbers and sizes that they share. */
export function cancel(value: SymInt, by: SymInt, facts: Facts): { value: SymInt; by: SymInt } {
  const common = commonFactor([commonFactor(withOffset(value)), commonFactor(withOffset(by))]);
  const factor = monomial(
    common.coefficient,
    common.atoms.filter((atom) => isNonZeroSize(atom, facts)),
  );
  return { value: divideExactly(value, factor) ?? value, by: divideExactly(by, factor) ?? by };
}
