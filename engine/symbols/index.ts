/** Integers that we may not know: canonical polynomials, facts about their symbols, and three-valued decisions. */

export { abbreviate, type Phrase } from './abbreviate.ts';
export type { Decisions, Guard, Truth } from './decide.ts';
export { always, decide } from './decide.ts';
export type { Facts } from './facts.ts';
export { NO_FACTS } from './facts.ts';
export { formatInt } from './format.ts';
export { ceilDiv, floorDiv, loneSymbol, maximum, minimum, mod } from './laws.ts';
export { factorsOf, learnAtLeast, learnAtMost, learnDivisible, learnEqual, learnFactors, learnNamed } from './learn.ts';
export {
  isTold,
  type Lesson,
  learnAgain,
  lessonsSince,
  subjectsOf,
  symbolsIn,
  textOfRelations,
  textOfSymbol,
} from './lessons.ts';
export { meet } from './meet.ts';
export type { SymInt } from './polynomial.ts';
export { add, int, mul, neg, ONE, ofAtom, product, same, sub, sum, symbol, ZERO } from './polynomial.ts';
export { simplify } from './simplify.ts';
export { evaluateInt, substitute, symbolsOf } from './substitute.ts';

import { divideExactly as divide } from './divide.ts';
import { type Facts, NO_FACTS } from './facts.ts';
import type { SymInt } from './polynomial.ts';
import { divideUnderFacts } from './simplify.ts';

/** The quotient where `b` divides `a` without remainder for all values of the symbols that satisfy the facts; else null. */
export function divideExactly(a: SymInt, b: SymInt, facts: Facts = NO_FACTS): SymInt | null {
  return facts === NO_FACTS ? divide(a, b) : divideUnderFacts(a, b, facts);
}
