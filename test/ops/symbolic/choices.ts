import fc from 'fast-check';

/** Where a draw takes its decisions from. The first of all choices is the plainest, so that what fails shrinks to it. */
export interface Choices {
  /** A number from 0 up to, and without, `count`. */
  below(count: number): number;
  /** True once in `count` times. */
  rarely(count: number): boolean;
  pick<T>(first: T, ...others: readonly T[]): T;
  among<T>(items: readonly T[]): T | undefined;
}

/** Beyond these everything is plain. */
const LONGEST = 160;

/** A stream of choices that fast-check makes, repeats and shrinks. */
export const streams = fc.array(fc.nat(5039), { minLength: LONGEST, maxLength: LONGEST, size: 'max' });

export function choicesFrom(stream: readonly number[]): Choices {
  let next = 0;
  const below = (count: number): number => (count < 2 ? 0 : (stream[next++] ?? 0) % count);
  const among = <T>(items: readonly T[]): T | undefined => items[below(items.length)];
  return {
    below,
    among,
    rarely: (count) => below(count) === count - 1,
    pick: (first, ...others) => (others.length === 0 ? first : (among([first, ...others]) ?? first)),
  };
}
