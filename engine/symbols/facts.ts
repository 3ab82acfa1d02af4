import type { Domain, Range } from './bounds.ts';
import { floorDiv } from './laws.ts';
import { mul, type SymInt, same, sub } from './polynomial.ts';

/**
 * What is known of the symbols, as an immutable value. Everything stored is simplified under the rest.
 * Facts rest on the assumption that sizes which were cancelled or divided by are not 0.
 */
export interface Facts {
  /** Symbols that stand for another integer; no value contains a symbol that has an entry itself. */
  readonly equal: ReadonlyMap<string, SymInt>;
  /** Polynomials that are 0 and could not be solved for a symbol. */
  readonly zeros: readonly SymInt[];
  readonly ranges: ReadonlyMap<string, Range>;
  /** Polynomials that are at least 0. */
  readonly nonNegative: readonly SymInt[];
  readonly divisible: readonly Divisible[];
  readonly factors: ReadonlyMap<string, readonly SymInt[]>;
}

/** `value % by == 0`. */
export interface Divisible {
  readonly value: SymInt;
  readonly by: SymInt;
}

export const NO_FACTS: Facts = Object.freeze({
  equal: new Map(),
  zeros: [],
  ranges: new Map(),
  nonNegative: [],
  divisible: [],
  factors: new Map(),
});

const SIZE: Range = { low: 0, high: Infinity };

export const rangeIn = (facts: Facts, id: string): Range => facts.ranges.get(id) ?? SIZE;

export function isKnownDivisible(facts: Facts, value: SymInt, by: SymInt): boolean {
  return facts.divisible.some((known) => same(known.value, value) && same(known.by, by));
}

const domains = new WeakMap<Facts, Domain>();

/** The facts as bounds, for every value that the symbols may have. */
export function domainOf(facts: Facts): Domain {
  let domain = domains.get(facts);
  if (domain === undefined) {
    domain = {
      range: (id) => rangeIn(facts, id),
      nonNegative: facts.nonNegative,
      exact: (left, right) => isKnownDivisible(facts, left, right),
    };
    domains.set(facts, domain);
  }
  return domain;
}

const rules = new WeakMap<Facts, readonly SymInt[]>();

/** All polynomials known to be 0: those remembered, and `by * (value // by) - value` for what is divisible. */
export function zerosOf(facts: Facts): readonly SymInt[] {
  let all = rules.get(facts);
  if (all === undefined) {
    const quotients = facts.divisible.map(({ value, by }) => sub(mul(by, floorDiv(value, by)), value));
    all = [...facts.zeros, ...quotients].filter((zero) => zero.constant === null);
    rules.set(facts, all);
  }
  return all;
}
