import { lowerBound, upperBound } from './bounds.ts';
import { type Divisible, domainOf, type Facts, factsWith, type Known, NO_FACTS } from './facts.ts';
import { learnAtLeast, learnAtMost, learnDivisible, learnEqual } from './learn.ts';
import { type SymInt, same, symbol, ZERO } from './polynomial.ts';
import { divideUnderFacts, simplify } from './simplify.ts';

/**
 * The facts that hold on both of two branches: those that both have, and those of each that the other implies. Branches
 * usually have most of their facts in common, word for word.
 */
export function meet(f: Facts, g: Facts): Facts {
  if (f === g) return f;
  if (f === NO_FACTS || g === NO_FACTS) return NO_FACTS;
  const common: Known = {
    equal: sharedEntries(f.equal, g.equal, same),
    zeros: sharedItems(f.zeros, g.zeros, same),
    ranges: sharedEntries(f.ranges, g.ranges, (a, b) => a.low === b.low && a.high === b.high),
    nonNegative: sharedItems(f.nonNegative, g.nonNegative, same),
    divisible: sharedItems(f.divisible, g.divisible, (a, b) => same(a.value, b.value) && same(a.by, b.by)),
    factors: sharedEntries(f.factors, g.factors, sameDims),
  };
  if (isWhole(common, f)) return f;
  if (isWhole(common, g)) return g;
  let both = factsWith(common);
  for (const id of new Set([...f.ranges.keys(), ...g.ranges.keys()]))
    if (!common.ranges.has(id)) both = withWiderRange(both, f, g, id);
  for (const [mine, other] of [
    [f, g],
    [g, f],
  ] as const)
    both = withImplied(both, common, mine, other);
  return both;
}

const isWhole = (part: Known, whole: Known): boolean =>
  part.equal === whole.equal &&
  part.zeros === whole.zeros &&
  part.ranges === whole.ranges &&
  part.nonNegative === whole.nonNegative &&
  part.divisible === whole.divisible &&
  part.factors === whole.factors;

type Same<Item> = (a: Item, b: Item) => boolean;

/** The entries in both maps; the map itself where that is all of it. */
function sharedEntries<Item>(
  f: ReadonlyMap<string, Item>,
  g: ReadonlyMap<string, Item>,
  isSame: Same<Item>,
): ReadonlyMap<string, Item> {
  if (f === g) return f;
  const shared = new Map<string, Item>();
  for (const [id, item] of f) {
    const other = g.get(id);
    if (other !== undefined && (item === other || isSame(item, other))) shared.set(id, item);
  }
  return shared.size === f.size ? f : shared.size === g.size ? g : shared;
}

function sharedItems<Item>(f: readonly Item[], g: readonly Item[], isSame: Same<Item>): readonly Item[] {
  if (f === g) return f;
  const shared = f.filter((item) => g.some((other) => item === other || isSame(item, other)));
  return shared.length === f.length ? f : shared.length === g.length ? g : shared;
}

const sameDims = (f: readonly SymInt[], g: readonly SymInt[]): boolean =>
  f.length === g.length && f.every((dim, i) => same(dim, g[i] ?? ZERO));

function withImplied(both: Facts, common: Known, mine: Facts, other: Facts): Facts {
  let learned = both;
  for (const [id, value] of mine.equal) {
    if (common.equal.has(id)) continue;
    if (same(simplify(symbol(id), other), simplify(value, other))) learned = learnEqual(learned, symbol(id), value);
  }
  for (const known of mine.divisible) {
    if (!common.divisible.includes(known) && isImplied(known, other))
      learned = learnDivisible(learned, known.value, known.by);
  }
  for (const zero of mine.zeros) {
    if (!common.zeros.includes(zero) && simplify(zero, other).constant === 0) learned = learnEqual(learned, zero, ZERO);
  }
  for (const bound of mine.nonNegative) {
    if (!common.nonNegative.includes(bound) && lowerBound(simplify(bound, other), domainOf(other)) >= 0)
      learned = learnAtLeast(learned, bound, 0);
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
