import { always, type Decisions, type SymInt, same, ZERO } from '../../symbols/index.ts';
import { type Fault, raises } from '../../tensor/index.ts';

/** What a layout function may ask and tell: decisions about sizes, and pairs of sizes that the call needs to be equal. */
export interface Inquiry {
  readonly ask: Decisions;
  readonly demand: (left: SymInt, right: SymInt) => void;
}

/** Two sizes that must agree. Where they provably do not, PyTorch raises; where that is open, the call demands it. */
export function agree(left: SymInt, right: SymInt, what: string, { ask, demand }: Inquiry): Fault | null {
  if (same(left, right)) return null;
  const truth = always('equal', left, right, ask.facts);
  if (truth === true) return null;
  if (truth === false) return raises({ is: 'size-differs', what, left, right, broadcast: false });
  demand(left, right);
  return null;
}

/** Known to be 0. A size that might be is not asked about: an empty tensor is no case that a guard should warn of. */
export const isEmpty = (size: SymInt, { ask }: Inquiry): boolean => always('equal', size, ZERO, ask.facts) === true;
