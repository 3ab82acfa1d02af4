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
import { anyZero, at, type Demands, type Ints, isZero, numelOf, shownInts } from './sizes.ts';

/** A requested shape with its -1 filled in, and the facts that hold once PyTorch has accepted it. */
export interface Sized {
  readonly shape: Ints;
  readonly facts: Facts;
}

/** The shape that `view` and `reshape` make of `size`, where one -1 stands for what is left of the elements of `old`. */
export function inferSize(size: Ints, old: Ints, ask: Decisions, options: Demands = {}): Result<SymInt[]> {
  const sized = resolveSize(size, old, ask.facts, options);
  return isFault(sized) ? sized : [...sized.shape];
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
  const asked = hole < 0 ? size : size.filter((_, i) => i !== hole);
  const [from, to] = leftOver(old, asked);
  const filled = (value: SymInt): Ints => (hole < 0 ? size : size.map((n, i) => (i === hole ? value : n)));
  if (isZero(from) && hole >= 0) {
    if (isZero(to)) {
      return raises({ is: 'argument', name: 'size', got: shownInts(size), expects: 'no -1 beside a size of 0' });
    }
    return { shape: filled(ZERO), facts };
  }
  const differs = raises({ is: 'numel-differs', from: numelOf(old), to: size });
  if (hole < 0) {
    if (same(from, to)) return { shape: size, facts };
    const equal = always('equal', from, to, facts);
    if (equal === false) return differs;
    return { shape: size, facts: equal === true ? facts : demanded(from, to, facts, options) };
  }
  if (isZero(to)) return differs;
  const exact = divideExactly(from, to, facts);
  if (exact !== null) return { shape: filled(exact), facts };
  if (from.constant !== null && to.constant !== null) return differs;
  const quotient = simplify(floorDiv(from, to), facts);
  return { shape: filled(quotient), facts: demanded(mul(to, quotient), from, facts, options) };
}

function demanded(left: SymInt, right: SymInt, facts: Facts, options: Demands): Facts {
  options.demand?.(left, right);
  return learnEqual(facts, left, right);
}

/** The numbers of elements of both shapes, the sizes that stand in both left out. */
function leftOver(old: Ints, asked: Ints): readonly [SymInt, SymInt] {
  if (anyZero(old) || anyZero(asked)) return [numelOf(old), numelOf(asked)];
  const to = [...asked];
  const from = old.filter((size) => {
    const twin = to.findIndex((other) => same(other, size));
    if (twin >= 0) to.splice(twin, 1);
    return twin < 0;
  });
  return [numelOf(from), numelOf(to)];
}
