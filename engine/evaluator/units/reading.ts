import type { Question } from '../roots/given.ts';
import type { FunctionInfo } from '../state/program.ts';
import type { Run } from '../state/run.ts';
import type { CallKind } from '../trace.ts';
import { hasWord, type Words } from './words.ts';

/** What an analysis took from the file around it: as long as that stays the same, it comes to the same. */
export interface Reading {
  /** The names of the file's top level that were looked up, also those that are not bound there. */
  readonly names: Set<string>;
  /** The words of which it was asked whether the file has them, with the answer. */
  readonly words: Map<string, boolean>;
  /** What was asked about what the file gives for parameters: by their names, with the answers. */
  readonly given: Readonly<Record<Question, Map<string, string>>>;
  /** The functions that were called without tensors, with how often they had been lost before. */
  readonly lost: Map<string, number>;
  /** The kinds of call that were met, and whether one was kept that had not been kept before. */
  readonly kinds: Map<string, { readonly kind: CallKind; readonly kept: boolean }>;
}

export const newReading = (): Reading => ({
  names: new Set(),
  words: new Map(),
  given: { often: new Map(), mostly: new Map(), bound: new Map(), none: new Map(), makers: new Map() },
  lost: new Map(),
  kinds: new Map(),
});

/**
 * The value of a name that is made when it is first asked for, for all that ask: what making it reads of the file that is
 * analysed, everybody reads who asks for it.
 */
export function readingOnce<Made>(run: Run, key: string, make: () => Made): Made {
  const { reading } = run;
  const names = new Set<string>();
  run.reading = { ...reading, names };
  const made = make();
  run.reading = reading;
  run.readBy.set(key, names);
  readAgain(run, key);
  return made;
}

export function readAgain(run: Run, key: string): void {
  for (const name of run.readBy.get(key) ?? []) run.reading.names.add(name);
}

export type Asked = Pick<ReadonlySet<string>, 'has'>;

/** The words of a file, with each question noted. */
export function asking(words: Words, { words: asked }: Reading): Asked {
  return {
    has(word) {
      const is = hasWord(words, word);
      asked.set(word, is);
      return is;
    },
  };
}

/** How often a call of the function has used up its steps in vain. */
export function timesLost(run: Run, info: FunctionInfo): number {
  const key = keyOf(info);
  const times = run.memory.lost.get(key) ?? 0;
  if (!run.reading.lost.has(key)) run.reading.lost.set(key, times);
  return times;
}

export function lose(run: Run, info: FunctionInfo): void {
  run.memory.lost.set(keyOf(info), (run.memory.lost.get(keyOf(info)) ?? 0) + 1);
}

/** The same for the same function of a later text. */
const keyOf = ({ file, qualname }: FunctionInfo): string => `${file.path} ${qualname}`;
