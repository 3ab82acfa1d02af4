import {
  always,
  type Decisions,
  divideExactly,
  type Facts,
  floorDiv,
  learnEqual,
  mul,
  type SymInt,
  same,
  simplify,
  ZERO,
} from '../symbols/index.ts';
import { isFault, type Result, raises } from './fault.ts';
import { spliced } from './layout.ts';
import { simplifyInts } from './resolve.ts';
import { allKnown, anyZero, at, type Demands, type Ints, isZero, numelOf, shownInts } from './sizes.ts';

/** A requested shape with its -1 filled in, and the facts that hold once PyTorch has accepted it. */
export interface Sized {
  readonly shape: Ints;
  readonly facts: Facts;
  /** Several sizes of each shape are unrelated but for their products: whether their dims line up cannot be told. */
  readonly unrelated?: boolean;
}

/** The shape that `view` and `reshape` make of `size`, where one -1 stands for what is left of the elements of `old`. */
export function inferSize(size: Ints, old: Ints, ask: Decisions, options: Demands = {}): Result<Ints> {
  const sized = resolveSize(size, old, ask.facts, options);
  return isFault(sized) ? sized : sized.shape;
}

export function resolveSize(size: Ints, old: Ints, facts: Facts, options: Demands): Result<Sized> {
  let hole = -1;
  for (let i = 0; i < size.length; i++) {
    const n = at(size, i).constant;
    if (n === null || n >= 0) continue;
    if (n < -1 || hole >= 0) {
      const expects = n < -1 ? 'sizes of at least -1' : 'one -1 at most';
      return raises({ is: 'argument', name: 'size', got: shownInts(size), expects });
    }
    hole = i;
  }
  const asked = hole < 0 ? size : spliced(size, hole, 1, []);
  const left = allKnown(old) && allKnown(asked) ? { from: old, to: asked } : leftOver(old, asked);
  const from = numelOf(left.from);
  const to = numelOf(left.to);
  const filled = (value: SymInt): Ints => spliced(size, hole, 1, [value]);
  if (isZero(from) && hole >= 0) {
    if (isZero(to)) {
      return raises({ is: 'argument', name: 'size', got: shownInts(size), expects: 'no -1 beside a size of 0' });
    }
    return { shape: filled(ZERO), facts };
  }
  const differs = () => raises({ is: 'numel-differs', from: numelOf(old), to: size });
  if (hole < 0) {
    if (same(from, to)) return { shape: size, facts };
    const equal = always('equal', from, to, facts);
    if (equal === false) return differs();
    return equal === true
      ? { shape: size, facts, unrelated: areOnlyKnownEqual(left.from, left.to, facts) }
      : demandEqual(size, left, facts, options);
  }
  if (isZero(to)) return differs();
  // `(H // p) * p` may be told as `H` by then, of which `H // p` is no factor any more.
  const plain = divideExactly(from, to);
  if (plain !== null) return { shape: filled(plain), facts };
  const exact = divideExactly(from, to, facts);
  if (exact !== null)
    return { shape: filled(exact), facts, unrelated: areOnlyKnownEqual(left.from, [...left.to, exact], facts) };
  if (from.constant !== null && to.constant !== null) return differs();
  const paired = pairUp(left);
  const quotient = divideExactly(numelOf(paired.from), numelOf(paired.to), facts);
  if (quotient !== null) return { shape: filled(quotient), facts: demandPairs(paired, facts, options) };
  const rounded = simplify(floorDiv(from, to), facts);
  if (always('equal', mul(to, rounded), from, facts) === true) return { shape: filled(rounded), facts };
  const known = demanded(mul(to, rounded), from, facts, options);
  return { shape: filled(rounded), facts: known, unrelated: areUnrelated(paired.from, [...paired.to, rounded], known) };
}

function demanded(left: SymInt, right: SymInt, facts: Facts, options: Demands): Facts {
  options.demand?.(left, right);
  return learnEqual(facts, left, right);
}

interface LeftOver {
  readonly from: Ints;
  readonly to: Ints;
}

/** The sizes of both shapes, those that stand in both left out. */
function leftOver(old: Ints, asked: Ints): LeftOver {
  if (anyZero(old) || anyZero(asked)) return { from: old, to: asked };
  const to = [...asked];
  const from = old.filter((size) => {
    const twin = to.findIndex((other) => same(other, size));
    if (twin >= 0) to.splice(twin, 1);
    return twin < 0;
  });
  return { from, to };
}

/** What is left once sizes `X` of the old shape are taken together with `p` and `X // p` of the new one. */
interface Paired extends LeftOver {
  readonly pairs: readonly { readonly whole: SymInt; readonly parts: SymInt }[];
}

function pairUp({ from, to }: LeftOver): Paired {
  const rest = [...to];
  const pairs: { whole: SymInt; parts: SymInt }[] = [];
  const unpaired = from.filter((whole) => {
    for (const [i, part] of rest.entries()) {
      const quotient = floorDiv(whole, part);
      const twin = rest.findIndex((other, j) => j !== i && same(other, quotient));
      if (twin < 0 || quotient.constant !== null) continue;
      rest.splice(Math.max(i, twin), 1);
      rest.splice(Math.min(i, twin), 1);
      pairs.push({ whole, parts: mul(part, quotient) });
      return false;
    }
    return true;
  });
  return { from: unpaired, to: rest, pairs };
}

/**
 * Both numbers of elements are equal from here on. Where all that differs are pairs, as in patches of an image, each has to
 * be exact: `p * (X // p)` is at most `X`, so no other pair makes up for one that is not. Beside a -1 that is not strictly
 * so, but nothing else gives the -1 a meaning.
 */
function demandEqual(shape: Ints, left: LeftOver, facts: Facts, options: Demands): Sized {
  const paired = pairUp(left);
  if (same(numelOf(paired.from), numelOf(paired.to))) return { shape, facts: demandPairs(paired, facts, options) };
  const known = demanded(numelOf(left.from), numelOf(left.to), facts, options);
  return { shape, facts: known, unrelated: areUnrelated(paired.from, paired.to, known) };
}

/** Whether more than one size of either shape is still open where the products are equal. */
function areUnrelated(from: Ints, to: Ints, facts: Facts): boolean {
  const left = leftOver(simplifyInts(from, facts), simplifyInts(to, facts));
  const open = withoutMultiples(left, facts);
  if (open.from.length <= 1 && open.to.length <= 1) return false;
  return left.from.length > 1 && left.to.length > 1 && !(allKnown(left.from) && allKnown(left.to));
}

/** Without a size and its multiple: what the others are to each other is then known too. Of `h * e == (h // s) * (e * s)` nothing is open. */
function withoutMultiples({ from, to }: LeftOver, facts: Facts): LeftOver {
  const rest = [...to];
  const open = from.filter((size) => {
    const at = rest.findIndex(
      (other) =>
        size.constant === null &&
        other.constant === null &&
        (divideExactly(other, size, facts) ?? divideExactly(size, other, facts)) !== null,
    );
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return { from: open, to: rest };
}

/** The same where the products are equal by what a view before has taught: of single sizes it says no more than it did there. */
function areOnlyKnownEqual(from: Ints, to: Ints, facts: Facts): boolean {
  const simple = { from: simplifyInts(to, facts), to: simplifyInts(from, facts) };
  // `heads` and `C // heads` of the old shape are `C` of the new one, where heads is known to divide C.
  const paired = pairUp(simple);
  const known = paired.pairs.every(({ whole, parts }) => always('equal', whole, parts, facts) === true);
  const { from: asked, to: old } = known ? paired : simple;
  if (same(numelOf(old), numelOf(asked))) return false;
  const split = pairUp({ from: old, to: asked });
  const merged = pairUp({ from: split.to, to: split.from });
  return areUnrelated(merged.to, merged.from, facts);
}

function demandPairs({ pairs }: Paired, facts: Facts, options: Demands): Facts {
  return pairs.reduce((known, { whole, parts }) => demanded(whole, parts, known, options), facts);
}
