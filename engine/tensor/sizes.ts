import {
  type Decisions,
  divideExactly,
  type Facts,
  ONE,
  product,
  type SymInt,
  same,
  sub,
  type Truth,
} from '../symbols/index.ts';

/*
 * Questions about sizes and strides, with the common case first: known numbers are compared at once, everything else
 * goes through `ask`.
 *
 * Law: a size that is not a known 0 is taken as at least 1. A tensor without elements is contiguous, dense and viewable
 * as anything, so a guard for it would stand on every answer and interest nobody.
 */

export type Ints = readonly SymInt[];

/** The entry at an index that is in range by construction. */
export const at = (values: Ints, index: number): SymInt => values[index] ?? ONE;

export const isZero = (value: SymInt): boolean => value.constant === 0;

export function anyZero(shape: Ints): boolean {
  for (let d = 0; d < shape.length; d++) if (at(shape, d).constant === 0) return true;
  return false;
}

export function isOne(value: SymInt, ask: Decisions): Truth {
  return value.constant !== null ? value.constant === 1 : ask.isOne(value);
}

export function equal(a: SymInt, b: SymInt, ask: Decisions): Truth {
  if (a.constant !== null && b.constant !== null) return a.constant === b.constant;
  if (same(a, b)) return true;
  if (a.constant !== null) return ask.equal(b, a);
  const ratio = ratioOf(a, b, ask.facts);
  return ratio === null ? ask.equal(a, b) : isOne(ratio, ask);
}

/** `equal` of two sizes or strides, of which one that is not a known 0 is at least 1. */
export function equalSize(a: SymInt, b: SymInt, ask: Decisions): Truth {
  if (a.constant === 0 || b.constant === 0 || (a.constant !== null && b.constant !== null))
    return a.constant === b.constant;
  return isProductOfSymbols(sub(a, b)) ? false : equal(a, b, ask);
}

/** `T*d` and `(T - 1)*d` differ by `d`, which is not 0. */
function isProductOfSymbols(value: SymInt): boolean {
  const [term, another] = value.terms;
  return value.offset === 0 && another === undefined && term?.atoms.every((atom) => atom.kind === 'symbol') === true;
}

/** Where one is a multiple of the other they are equal only for a factor of 1, which is the guard worth telling. */
function ratioOf(a: SymInt, b: SymInt, facts: Facts): SymInt | null {
  if (b.constant !== null) return null;
  return divideExactly(a, b, facts) ?? divideExactly(b, a, facts);
}

export function less(a: SymInt, b: SymInt, ask: Decisions): Truth {
  return a.constant !== null && b.constant !== null ? a.constant < b.constant : ask.less(a, b);
}

/** `less` of two sizes or strides that are at least 1: a multiple is then not less, whatever the symbols stand for. */
export function lessSize(a: SymInt, b: SymInt, ask: Decisions): Truth {
  return isMultiple(a, b, ask.facts) ? false : less(a, b, ask);
}

/** Whether `a` is `b` times something, for all values of the symbols. */
export function isMultiple(a: SymInt, b: SymInt, facts: Facts): boolean {
  if (a.constant !== null && b.constant !== null)
    return b.constant !== 0 && a.constant % b.constant === 0 && a.constant > 0;
  return same(a, b) || (!isZero(a) && divideExactly(a, b, facts) !== null);
}

/** Whether it is decided of every size that it is not 1. */
export const noneIsOne = (shape: Ints, ask: Decisions): boolean => shape.every((size) => isOne(size, ask) === false);

export function sameInts(a: Ints, b: Ints): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!same(at(a, i), at(b, i))) return false;
  return true;
}

/** Whether all are known numbers. */
export function allKnown(values: Ints): boolean {
  for (let i = 0; i < values.length; i++) if (at(values, i).constant === null) return false;
  return true;
}

export const numelOf = (shape: Ints): SymInt => product(shape);

/** All true: true; one false: false; else undefined. Stops at the first false. */
export function every<T>(items: readonly T[], question: (item: T, index: number) => Truth): Truth {
  let result: Truth = true;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item === undefined) continue;
    const answer = question(item, i);
    if (answer === false) return false;
    if (answer === undefined) result = undefined;
  }
  return result;
}

/** `demand` hears the pairs of sizes that PyTorch needs to be equal and that were not decided; they are then taken as equal. */
export interface Demands {
  readonly demand?: ((left: SymInt, right: SymInt) => void) | undefined;
}

/** `[2, -1, C]`-like text for an argument that was rejected; symbols are left out. */
export function shownInts(values: Ints): string {
  return `[${values.map((value) => value.constant ?? '?').join(', ')}]`;
}
