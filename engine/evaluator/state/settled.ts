import type { Value } from '../../values/value.ts';
import { branchSymbols, joinValues } from './join.ts';
import { currentTensor, type Run, reboundUnknown } from './run.ts';

/** A value with what later uses have told about it. */
export function settled(run: Run, value: Value): Value {
  if (value.kind === 'tensor') return currentTensor(run, value);
  if (value.kind === 'unknown') {
    const known = reboundUnknown(run, value);
    return known ? settled(run, known) : value;
  }
  return value;
}

export const joinAll = (run: Run, values: readonly Value[]): Value | null =>
  values.reduce<Value | undefined>((a, b) => joinValues(run, a, b, 'item', branchSymbols(run)), undefined) ?? null;

/** Tensors inside tuples too, as they are now: for values that leave a branch. */
export function settledDeep(run: Run, value: Value): Value {
  if (value.kind === 'tuple') return { ...value, items: value.items.map((item) => settledDeep(run, item)) };
  return settled(run, value);
}
