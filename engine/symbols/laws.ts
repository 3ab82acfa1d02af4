import { lowerBound, SIZES } from './bounds.ts';
import { commonFactor, divideExactly, divideWithRemainder, monomial } from './divide.ts';
import { compare, RANK } from './order.ts';
import {
  type Atom,
  add,
  int,
  mul,
  neg,
  ONE,
  ofAtom,
  polynomial,
  type SymInt,
  same,
  sub,
  within,
  withOffset,
  ZERO,
} from './polynomial.ts';

/**
 * A rewrite law: the other form of `a op b`, or null where the law says nothing. Laws are tried in order and the first
 * that speaks is taken. They hold for all integers under two assumptions: symbols are sizes (>= 0), and a divisor that is
 * not a number is >= 1.
 */
export type Law = (a: SymInt, b: SymInt) => SymInt | null;

export const floorDivLaws: readonly Law[] = [
  (a, b) => (b.constant === 1 ? a : null), //                                                             a // 1 = a
  (a, b) => onNumbers(a, b, (m, n) => (m - modulo(m, n)) / n),
  (a, b) => ((b.constant ?? 0) < 0 ? floorDiv(neg(a), neg(b)) : null), //                                 a // -n = -a // n
  (a, b) => divideExactly(a, b), //                                                                       (q * b) // b = q
  (a, b) => split(a, b, (q, r) => add(q, floorDiv(r, b))), //                                             (q * b + r) // b = q + r // b
  (a, b) => cancel(a, b, Math.floor, (x, y) => floorDiv(x, y)), //                                        (g * a) // (g * b) = a // b
  (a, b) => nested(a, b, 'floorDiv', (x, y) => floorDiv(x, y)), //                                        (a // m + k) // n = (a + k * m) // (m * n)
  (a, b) => (lowerBound(a, SIZES) >= 0 && lowerBound(sub(b, a), SIZES) >= 1 ? ZERO : null), //            0 <= a < b: a // b = 0
  (a, b) => (isRoundedUp(a, b) ? sub(ceilDiv(add(a, ONE), b), ONE) : null), //                            a // b = ceil((a + 1) / b) - 1, where that is simpler
];

export const modLaws: readonly Law[] = [
  (a, b) => onNumbers(a, b, modulo),
  (_, b) => (b.constant === 1 ? ZERO : null), //                                                          a % 1 = 0
  (a, b) => ((b.constant ?? 0) < 0 ? neg(mod(neg(a), neg(b))) : null), //                                 a % -n = -(-a % n)
  (a, b) => (divideExactly(a, b) === null ? null : ZERO), //                                              (q * b) % b = 0
  (a, b) => split(a, b, (_, r) => mod(r, b)), //                                                          (q * b + r) % b = r % b
  (a, b) => cancelMod(a, b), //                                                                           (g * a + k) % (g * b) = g * ((a + k // g) % b) + k % g
  (a, b) => nestedMod(a, b), //                                                                           (a % (m * n)) % n = a % n, (-(a % (m * n))) % n = -a % n
  (a, b) => (isNegated(a) ? sub(mul(b, ceilDiv(neg(a), b)), neg(a)) : null), //                           -a % b = b * ceil(a / b) - a
  (a, b) => (lowerBound(a, SIZES) >= 0 && lowerBound(sub(b, a), SIZES) >= 1 ? a : null), //               0 <= a < b: a % b = a
];

export const ceilDivLaws: readonly Law[] = [
  (a, b) => (b.constant === 1 ? a : null), //                                                             ceil(a / 1) = a
  (a, b) => onNumbers(a, b, (m, n) => -((-m - modulo(-m, n)) / n)),
  (a, b) => ((b.constant ?? 0) < 0 ? ceilDiv(neg(a), neg(b)) : null), //                                  ceil(a / -n) = ceil(-a / n)
  (a, b) => divideExactly(a, b), //                                                                       ceil(q * b / b) = q
  (a, b) => split(a, b, (q, r) => add(q, ceilDiv(r, b))), //                                              ceil((q * b + r) / b) = q + ceil(r / b)
  (a, b) => cancel(a, b, Math.ceil, (x, y) => ceilDiv(x, y)), //                                          ceil(g * a / (g * b)) = ceil(a / b)
  (a, b) => nested(a, b, 'ceilDiv', (x, y) => ceilDiv(x, y)), //                                          ceil((ceil(a / m) + k) / n) = ceil((a + k * m) / (m * n))
  (a, b) => (lowerBound(a, SIZES) >= 1 && lowerBound(sub(b, a), SIZES) >= 0 ? ONE : null), //             0 < a <= b: ceil(a / b) = 1
  (a, b) => (isRoundedDown(a, b) ? add(floorDiv(sub(a, ONE), b), ONE) : null), //                         ceil(a / b) = (a - 1) // b + 1, where that is simpler
];

export const maximumLaws: readonly Law[] = [
  (a, b) => onNumbers(a, b, (m, n) => Math.max(m, n)),
  (a, b) => (same(a, b) ? a : null), //                                                                   max(a, a) = a
  (a, b) => (lowerBound(sub(a, b), SIZES) >= 0 ? a : null), //                                            a >= b: max(a, b) = a
  (a, b) => (lowerBound(sub(b, a), SIZES) >= 0 ? b : null), //                                            b >= a: max(a, b) = b
  (a, b) => absorbed('min', a, b) ?? absorbed('min', b, a), //                                            max(a, min(a, b)) = a
  (a, b) => flat('max', a, b, maximum), //                                                                max(max(a, b), c) = max(a, b, c)
];

export const minimumLaws: readonly Law[] = [
  (a, b) => onNumbers(a, b, (m, n) => Math.min(m, n)),
  (a, b) => (same(a, b) ? a : null), //                                                                   min(a, a) = a
  (a, b) => (lowerBound(sub(b, a), SIZES) >= 0 ? a : null), //                                            a <= b: min(a, b) = a
  (a, b) => (lowerBound(sub(a, b), SIZES) >= 0 ? b : null), //                                            b <= a: min(a, b) = b
  (a, b) => absorbed('max', a, b) ?? absorbed('max', b, a), //                                            min(a, max(a, b)) = a
  (a, b) => flat('min', a, b, minimum), //                                                                min(min(a, b), c) = min(a, b, c)
];

/** Python's `a // b`: rounded towards minus infinity. */
export const floorDiv: (a: SymInt, b: SymInt) => SymInt = (a, b) => divided('floorDiv', floorDivLaws, a, b);

/** Python's `a % b`: has the sign of `b`. */
export const mod: (a: SymInt, b: SymInt) => SymInt = (a, b) => divided('mod', modLaws, a, b);

/** `a / b` rounded towards plus infinity. */
export const ceilDiv: (a: SymInt, b: SymInt) => SymInt = (a, b) => divided('ceilDiv', ceilDivLaws, a, b);

export const maximum: (a: SymInt, b: SymInt) => SymInt = (a, b) =>
  rewritten(maximumLaws, a, b) ?? extremum('max', [a, b]);

export const minimum: (a: SymInt, b: SymInt) => SymInt = (a, b) =>
  rewritten(minimumLaws, a, b) ?? extremum('min', [a, b]);

interface Division {
  readonly kind: Kind;
  readonly a: SymInt;
  readonly b: SymInt;
  readonly result: SymInt;
}

type Kind = 'floorDiv' | 'mod' | 'ceilDiv';

/** Divisions lately made, by their hashes: the same sizes are divided again and again. */
const RECENT: (Division | undefined)[] = new Array(4096).fill(undefined);

function divided(kind: Kind, laws: readonly Law[], a: SymInt, b: SymInt): SymInt {
  if (a.constant !== null && b.constant !== null) return rewritten(laws, a, b) ?? quotient(kind, a, b);
  const slot = (a.hash ^ Math.imul(b.hash, 31) ^ RANK[kind]) & 4095;
  const recent = RECENT[slot];
  if (recent !== undefined && recent.kind === kind && same(recent.a, a) && same(recent.b, b)) return recent.result;
  const result = rewritten(laws, a, b) ?? quotient(kind, a, b);
  RECENT[slot] = { kind, a, b, result };
  return result;
}

function rewritten(laws: readonly Law[], a: SymInt, b: SymInt): SymInt | null {
  for (const law of laws) {
    const form = law(a, b);
    if (form !== null) return form;
  }
  return null;
}

function quotient(kind: Kind, left: SymInt, right: SymInt): SymInt {
  return within(ofAtom(Object.freeze({ kind, left, right })));
}

function extremum(kind: 'max' | 'min', items: readonly SymInt[]): SymInt {
  return within(ofAtom(Object.freeze({ kind, items: Object.freeze([...items].sort(compare)) })));
}

/** Python's `m % n` on numbers, exact over the whole safe range. */
export function modulo(m: number, n: number): number {
  const r = m % n;
  const signed = r !== 0 && r < 0 !== n < 0 ? r + n : r;
  return signed === 0 ? 0 : signed;
}

function onNumbers(a: SymInt, b: SymInt, operation: (m: number, n: number) => number): SymInt | null {
  if (a.constant === null || b.constant === null) return null;
  const value = operation(a.constant, b.constant);
  return Number.isNaN(value) || !Number.isFinite(value) ? null : int(value);
}

function split(a: SymInt, b: SymInt, form: (q: SymInt, r: SymInt) => SymInt): SymInt | null {
  if (b.constant === 0) return null;
  const { quotient: q, remainder: r } = divideWithRemainder(a, b);
  return q.constant === 0 ? null : form(q, r);
}

/** Where `b` is a number, a constant that the common factor does not divide is rounded the way the division rounds. */
function cancel(a: SymInt, b: SymInt, round: (x: number) => number, form: Law): SymInt | null {
  if (b.constant === 0) return null;
  const over = commonFactor(b.constant === null ? withOffset(a) : a.terms);
  const by = commonFactor(withOffset(b));
  const common = commonFactor([over, by]);
  if (common.coefficient === 1 && common.atoms.length === 0) return null;
  const factor = monomial(common.coefficient, common.atoms);
  const top = divideExactly(polynomial(a.terms, b.constant === null ? a.offset : 0), factor);
  const bottom = divideExactly(b, factor);
  if (top === null || bottom === null) return null;
  const rounded = b.constant === null ? ZERO : int(round(a.offset / common.coefficient));
  return form(add(top, rounded), bottom);
}

function cancelMod(a: SymInt, b: SymInt): SymInt | null {
  if (b.constant === 0) return null;
  const common = commonFactor([
    commonFactor(b.constant === null ? withOffset(a) : a.terms),
    commonFactor(withOffset(b)),
  ]);
  if (common.coefficient === 1 && common.atoms.length === 0) return null;
  const factor = monomial(common.coefficient, common.atoms);
  const constant = b.constant === null ? 0 : modulo(a.offset, common.coefficient);
  const top = divideExactly(sub(a, int(constant)), factor);
  const bottom = divideExactly(b, factor);
  return top === null || bottom === null ? null : add(mul(factor, mod(top, bottom)), int(constant));
}

/** The id where `a` is a symbol and nothing else, else null. */
export function loneSymbol(a: SymInt): string | null {
  const atom = a.offset === 0 ? loneAtom(a) : null;
  return atom?.kind === 'symbol' ? atom.id : null;
}

/** The one atom of `a = atom + offset`; null where `a` is anything else. */
export function loneAtom(a: SymInt): Atom | null {
  const [term, another] = a.terms;
  if (term === undefined || another !== undefined || term.coefficient !== 1 || term.atoms.length !== 1) return null;
  return term.atoms[0] ?? null;
}

/**
 * One value, one form: `(x + b - 1) // b` is written `ceil_div(x, b)`, and any other constant on top is written with `//`.
 * The whole part is split off before, so that a constant lies from 0 to b - 1, or is what stands beside an unknown `b`.
 */
function isRoundedUp(a: SymInt, b: SymInt): boolean {
  return b.constant === null ? a.offset === -1 : a.offset === b.constant - 1;
}

function isRoundedDown(a: SymInt, b: SymInt): boolean {
  return b.constant === null ? a.offset === 1 : a.offset >= 1 && a.offset < b.constant;
}

function nested(a: SymInt, b: SymInt, kind: 'floorDiv' | 'ceilDiv', form: Law): SymInt | null {
  const inner = loneAtom(a);
  if (inner === null || inner.kind !== kind || inner.right.constant === 0) return null;
  return form(add(inner.left, mul(int(a.offset), inner.right)), mul(inner.right, b));
}

function nestedMod(a: SymInt, b: SymInt): SymInt | null {
  const inner = loneAtom(a) ?? loneAtom(neg(a));
  if (inner === null || inner.kind !== 'mod' || divideExactly(inner.right, b) === null) return null;
  const left = loneAtom(a) === null ? neg(inner.left) : inner.left;
  return mod(add(left, int(a.offset)), b);
}

/** What fills `a` up to a multiple, `-a % b`: the padded size is that multiple then. */
const isNegated = (a: SymInt): boolean =>
  a.terms.length > 0 && a.offset <= 0 && a.terms.every(({ coefficient }) => coefficient < 0);

/** `a`, where `b` is the extremum of `a` and others. */
function absorbed(kind: 'max' | 'min', a: SymInt, b: SymInt): SymInt | null {
  const atom = b.offset === 0 ? loneAtom(b) : null;
  return atom?.kind === kind && atom.items.some((item) => same(item, a)) ? a : null;
}

function flat(kind: 'max' | 'min', a: SymInt, b: SymInt, join: (a: SymInt, b: SymInt) => SymInt): SymInt | null {
  const left = itemsOf(kind, a);
  const right = itemsOf(kind, b);
  if (left === null && right === null) return null;
  const items: SymInt[] = [];
  for (const item of [...(left ?? [a]), ...(right ?? [b])]) addItem(kind, items, item, join);
  const [only, another] = items;
  return only !== undefined && another === undefined ? only : extremum(kind, items);
}

/** Keeps `items` free of any that another one decides. */
function addItem(kind: 'max' | 'min', items: SymInt[], item: SymInt, join: (a: SymInt, b: SymInt) => SymInt): void {
  for (let i = 0; i < items.length; i++) {
    const other = items[i];
    if (other === undefined) continue;
    const joined = join(other, item);
    if (same(joined, other)) return;
    if (same(joined, item)) {
      items.splice(i, 1);
      addItem(kind, items, item, join);
      return;
    }
  }
  items.push(item);
}

function itemsOf(kind: 'max' | 'min', a: SymInt): readonly SymInt[] | null {
  const atom = a.offset === 0 ? loneAtom(a) : null;
  return atom !== null && atom.kind === kind ? atom.items : null;
}
