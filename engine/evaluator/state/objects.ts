import type { Value } from '../../values/value.ts';
import { allocate, type Run } from './run.ts';

/** A new list: the items that are known, then any number of values like `rest`. */
export const listOf = (run: Run, items: readonly Value[], rest: Value | null): Value => ({
  kind: 'ref',
  ref: allocate(run, { object: 'list', items, rest, length: null }),
});

/** A new iterator over the items that are known, then any number of values like `rest`. */
export const iteratorOf = (run: Run, items: readonly Value[], rest: Value | null): Value => ({
  kind: 'ref',
  ref: allocate(run, { object: 'iterator', items, rest, length: null }),
});

/** A new object of no class that we follow: its attributes are all that is known. */
export const objectWith = (run: Run, attributes: ReadonlyMap<string, Value>): Value => ({
  kind: 'ref',
  ref: allocate(run, {
    object: 'instance',
    classId: null,
    torchClass: null,
    entry: null,
    attributes: new Map(attributes),
  }),
});
