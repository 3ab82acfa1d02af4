import type { Facts } from '../../symbols/index.ts';
import { add, divideExactly, int, mul, type SymInt, simplify, sub } from '../../symbols/index.ts';
import type { Value } from '../../values/value.ts';
import { askedFor, symbolFor } from '../state/derived.ts';
import { heapRead, learnSame, type Run } from '../state/run.ts';
import { findInClass } from './classes.ts';

/**
 * A class that is one of several: `block.expansion` is one number, whichever class it turns out to be. Where each of them is
 * followed on a way of its own, that number is known there, and what the ways come to may be told by it.
 */
export function numberOfClasses(run: Run, options: readonly Value[], name: string, spelled: string): Value | null {
  const ids = classesOf(run, options);
  if (ids === null || ids.length < 2) return null;
  const values = ids.map((id) => constantOf(run, id, name));
  if (values.some((value) => value === null) || new Set(values).size === 1) return null;
  return { kind: 'int', value: symbolFor(run, `.${name}`, ids.map(int), spelled) };
}

/** Values by the class that they are or are instances of, with what to learn on the way of each; null where that tells nothing apart. */
export function byClass(run: Run, options: readonly Value[]): readonly ClassWay[] | null {
  const ids = classesOf(run, options);
  if (ids === null || ids.length < 2) return null;
  const names = [...(run.classes[ids[0] ?? 0]?.namespace.keys() ?? [])];
  const numbers = names.flatMap((name) => {
    const number = askedFor(run, `.${name}`, ids.map(int));
    return number ? [{ name, number }] : [];
  });
  const [first] = numbers;
  if (!first) return null;
  return ids.map((id) => ({
    options: options.filter((option) => classesOf(run, [option])?.[0] === id),
    by: first.number,
    learn: () => {
      for (const { name, number } of numbers) {
        const value = constantOf(run, id, name);
        if (value !== null) learnSame(run, number, int(value));
      }
    },
  }));
}

export interface ClassWay {
  readonly options: readonly Value[];
  /** A number that tells the ways apart. */
  readonly by: SymInt;
  readonly learn: () => void;
}

/** The classes of the program that some values are, or are instances of; null where one is neither. */
function classesOf(run: Run, options: readonly Value[]): readonly number[] | null {
  const ids = options.map((option) => {
    if (option.kind === 'program' && option.what === 'class') return option.id;
    const object = option.kind === 'ref' ? heapRead(run, option.ref) : undefined;
    return object?.object === 'instance' ? object.classId : null;
  });
  const known = ids.filter((id) => id !== null);
  return known.length < ids.length ? null : [...new Set(known)].toSorted((a, b) => a - b);
}

function constantOf(run: Run, id: number, name: string): number | null {
  const value = findInClass(run, id, name);
  return value?.kind === 'int' ? value.value.constant : null;
}

/**
 * The number that is `a` on one way and `b` on the other, made of one that differs between them: `planes` where the expansion
 * is 1 and `4*planes` where it is 4 is `planes*expansion`. Null where no such number is linear in it.
 */
export function between(by: SymInt, ways: readonly [Facts, Facts], a: SymInt, b: SymInt): SymInt | null {
  const [first, second] = ways;
  const [from, to] = [simplify(by, first).constant, simplify(by, second).constant];
  if (from === null || to === null || from === to) return null;
  const [x, y] = [simplify(a, first), simplify(b, second)];
  const slope = divideExactly(sub(y, x), int(to - from));
  return slope && add(x, mul(slope, sub(by, int(from))));
}
