import { asksToKeep } from '../roots/contexts.ts';
import type { Run } from '../state/run.ts';
import type { CallKind, FunctionTrace } from '../trace.ts';
import type { Summary } from './summary.ts';

/** What an evaluation has to tell: the traces of the calls in it, and calls that were answered from memory. */
export type Told = Telling | Summary;

export interface Telling {
  readonly trace: FunctionTrace;
  /** Of which kind a call is; null for a function that was begun with. */
  readonly kind: CallKind | null;
}

/**
 * Evaluates, and hands over what there is to tell of it instead of telling it: the round of a loop may turn out not to be
 * the last one, and the first look at a function not the one that counts.
 */
export function heldBack(run: Run, evaluate: () => void): Told[] {
  const { told } = run.memory;
  const own: Told[] = [];
  run.memory.told = own;
  evaluate();
  run.memory.told = told;
  return own;
}

/** What was held back counts. A call that was answered from memory tells what its evaluation had to tell, once. */
export function tell(run: Run, told: readonly Told[]): void {
  for (const one of told)
    if ('trace' in one) {
      if (one.kind === null || asksToKeep(run, one.kind)) run.traces.push(one.trace);
    } else if (one.told !== null && one.told.length > 0) tell(run, one.told.splice(0));
}
