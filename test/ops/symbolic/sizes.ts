import { add, floorDiv, int, mul, ONE, type SymInt, sub, symbol } from '../../../engine/symbols/index.ts';
import type { Choices } from './choices.ts';

/** Integers in place of the numbers of a form, and the numbers that their symbols had in it. */
export interface Sizes {
  of(number: number): SymInt;
  /** A symbol of its own, at first standing for `number`. */
  fresh(number: number): SymInt;
  readonly base: ReadonlyMap<string, number>;
}

/**
 * Law: put back the numbers of `base`, and every integer is the number that it stands for. So the relations between the
 * sizes of a form (a product, a sum, equal sizes) hold for the symbols too, be it by form or for these numbers only.
 */
export function sizesFor(numbers: readonly number[], choices: Choices): Sizes {
  const base = new Map<string, number>();
  const known = new Map<number, SymInt>();
  const fresh = (number: number): SymInt => {
    const id = `s${number}#${base.size}`;
    base.set(id, number);
    return symbol(id);
  };
  for (const number of [...new Set(numbers)].sort((a, b) => a - b))
    if (number > 1) known.set(number, composed(number, known, fresh, choices));
  const of = (number: number): SymInt => {
    if (number < 2) return number === 1 && choices.rarely(24) ? fresh(1) : int(number);
    const shared = known.get(number);
    if (shared === undefined) {
      const own = composed(number, known, fresh, choices);
      known.set(number, own);
      return own;
    }
    return choices.rarely(12) ? fresh(number) : shared;
  };
  return { of, fresh, base };
}

/** A symbol, the number itself, or what smaller sizes or another symbol make of it. */
function composed(
  number: number,
  known: ReadonlyMap<number, SymInt>,
  fresh: (number: number) => SymInt,
  choices: Choices,
): SymInt {
  const way = choices.below(16);
  if (way < 8) return product(number, known) ?? fresh(number);
  if (way < 10) return int(number);
  if (way === 10) return total(number, known) ?? fresh(number);
  if (way === 11) return number % 2 === 0 && number > 2 ? mul(int(2), fresh(number / 2)) : fresh(number);
  if (way === 12) return floorDiv(fresh(2 * number + choices.below(2)), int(2));
  if (way === 13) return add(fresh(number - 1), ONE);
  if (way === 14) return sub(fresh(number + 1), ONE);
  return fresh(number);
}

function product(number: number, known: ReadonlyMap<number, SymInt>): SymInt | null {
  for (const [factor, image] of known) {
    const other = known.get(number / factor);
    if (other !== undefined) return mul(image, other);
  }
  return null;
}

function total(number: number, known: ReadonlyMap<number, SymInt>): SymInt | null {
  for (const [part, image] of known) {
    const other = known.get(number - part);
    if (other !== undefined) return add(image, other);
  }
  return null;
}
