import { lowerBound, upperBound } from './bounds.ts';
import { type Divisible, domainOf, type Facts, NO_FACTS } from './facts.ts';
import { learnAtLeast, learnAtMost, learnDivisible, learnEqual } from './learn.ts';
import { type SymInt, same, symbol, ZERO } from './polynomial.ts';
import { divideUnderFacts, simplify } from './simplify.ts';

/** The facts that hold on both of two branches: those of each that the other implies. */
export function meet(f: Facts, g: Facts): Facts {
  if (f === g) return f;
  if (f === NO_FACTS || g === NO_FACTS) return NO_FACTS;
  let both: Facts = Object.freeze({ ...NO_FACTS, factors: sharedFactors(f, g) });
  for (const id of new Set([...f.ranges.keys(), ...g.ranges.keys()])) both = withWiderRange(both, f, g, id);
  for (const [mine, other] of [
    [f, g],
    [g, f],
  ] as const)
    both = withImplied(both, mine, other);
  return both;
}

function withImplied(both: Facts, mine: Facts, other: Facts): Facts {
  let learned = both;
  for (const [id, value] of mine.equal) {
    if (same(simplify(symbol(id), other), simplify(value, other))) learned = learnEqual(learned, symbol(id), value);
  }
  for (const known of mine.divisible) {
    if (isImplied(known, other)) learned = learnDivisible(learned, known.value, known.by);
  }
  for (const zero of mine.zeros) {
    if (simplify(zero, other).constant === 0) learned = learnEqual(learned, zero, ZERO);
  }
  for (const bound of mine.nonNegative) {
    if (lowerBound(simplify(bound, other), domainOf(other)) >= 0) learned = learnAtLeast(learned, bound, 0);
  }
  return learned;
}

function isImplied({ value, by }: Divisible, facts: Facts): boolean {
  return divideUnderFacts(value, by, facts) !== null;
}

function withWiderRange(both: Facts, f: Facts, g: Facts, id: string): Facts {
  const [mine, other] = [f, g].map((facts) => rangeUnder(symbol(id), facts));
  if (mine === undefined || other === undefined) return both;
  let learned = both;
  const low = Math.min(mine.low, other.low);
  const high = Math.max(mine.high, other.high);
  if (low !== -Infinity) learned = learnAtLeast(learned, symbol(id), low);
  if (high !== Infinity) learned = learnAtMost(learned, symbol(id), high);
  return learned;
}

function rangeUnder(a: SymInt, facts: Facts): { low: number; high: number } {
  const simple = simplify(a, facts);
  return { low: lowerBound(simple, domainOf(facts)), high: upperBound(simple, domainOf(facts)) };
}

function sharedFactors(f: Facts, g: Facts): Facts['factors'] {
  const shared = new Map<string, readonly SymInt[]>();
  for (const [id, dims] of f.factors) {
    const others = g.factors.get(id);
    if (others?.length === dims.length && dims.every((dim, i) => same(dim, others[i] ?? ZERO))) shared.set(id, dims);
  }
  return shared;
}
