import type { Storage } from '../../tensor/tensor.ts';
import type { Run } from '../state/run.ts';

/**
 * All that a call can see, as text in which symbols, objects, tensors and storages are numbered in the order in which they
 * occur: calls with one text differ in nothing but what those are called. The numberings say what the numbers stand for.
 */
export interface Description {
  readonly text: string;
  readonly symbols: Numbering<string>;
  readonly refs: Numbering<number>;
  readonly tensors: Numbering<number>;
  readonly storages: Numbering<number>;
  /** The storages, by their number. */
  readonly blocks: readonly Storage[];
}

export interface Numbering<Key> {
  readonly numbers: ReadonlyMap<Key, number>;
  readonly keys: readonly Key[];
}

/** What is larger than this is not described: comparing it would cost more than evaluating it again. */
export const MOST_VALUES = 4000;

/** A description under way. */
export interface Pen extends Description {
  readonly run: Run;
  readonly symbols: Growing<string>;
  readonly refs: Growing<number>;
  readonly tensors: Growing<number>;
  readonly storages: Growing<number>;
  readonly blocks: Storage[];
  /** What is written for a form is valid under any facts. */
  readonly form: boolean;
  values: number;
  /** The functions whose view of a frame is described. */
  readonly closures: Set<string>;
  /** An object around the one that is described occurs in it. */
  cyclic: boolean;
}

export interface Growing<Key> extends Numbering<Key> {
  readonly numbers: Map<Key, number>;
  readonly keys: Key[];
}

const growing = <Key>(): Growing<Key> => ({ numbers: new Map(), keys: [] });

export const newPen = (run: Run, form: boolean): Pen => ({
  run,
  text: '',
  symbols: growing(),
  refs: growing(),
  tensors: growing(),
  storages: growing(),
  blocks: [],
  form,
  values: 0,
  closures: new Set(),
  cyclic: false,
});

export function numbered<Key>({ numbers, keys }: Growing<Key>, key: Key): number {
  const found = numbers.get(key);
  if (found !== undefined) return found;
  numbers.set(key, keys.length);
  return keys.push(key) - 1;
}

/** Numbers of one numbering in another; nothing where all are new to it. */
export function together<Key>(into: Growing<Key>, { keys }: Numbering<Key>): string {
  const start = into.keys.length;
  for (const key of keys) numbered(into, key);
  if (into.keys.length - start === keys.length) return ';';
  let text = '';
  for (const key of keys) text += `,${into.numbers.get(key)}`;
  return text;
}
