import { divideWithRemainder } from './divide.ts';
import { add, mul, type SymInt } from './polynomial.ts';

/** A symbol that stands for a polynomial: the name that a program gives to a number of its own. */
export interface Phrase {
  readonly value: SymInt;
  readonly by: SymInt;
}

/** `a` with each phrase's value written by its symbol, wherever that makes it no longer: `n*n*C + C` as `N*C` for `N = n*n + 1`. */
export function abbreviate(a: SymInt, phrases: readonly Phrase[]): SymInt {
  return phrases.reduce(abbreviated, a);
}

function abbreviated(a: SymInt, { value, by }: Phrase): SymInt {
  if (a.constant !== null) return a;
  const { quotient, remainder } = divideWithRemainder(a, value);
  if (quotient.constant === 0) return a;
  const shorter = add(mul(abbreviated(quotient, { value, by }), by), remainder);
  return length(shorter) <= length(a) ? shorter : a;
}

const length = ({ terms, offset }: SymInt): number => terms.length + (offset === 0 ? 0 : 1);
