/** Choices that a seed decides. */
export interface Chance {
  /** A whole number from 0 up to, but not, `n`. */
  below(n: number): number;
  between(low: number, high: number): number;
  happens(probability: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
  oneOf<T>(from: readonly T[]): T | undefined;
  shuffled<T>(items: readonly T[]): T[];
}

/** The generator `mulberry32`: 32 bits of state, enough for programs. */
export function chanceOf(seed: number): Chance {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    happens: (probability) => next() < probability,
    pick: (from) => from[below(from.length)] ?? from[0],
    oneOf: (from) => from[below(from.length)],
    shuffled(items) {
      const left = [...items];
      return items.flatMap(() => left.splice(below(left.length), 1));
    },
  };
}
