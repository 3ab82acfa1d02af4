import type { Decisions, Facts, SymInt, Truth } from '../symbols/index.ts';
import type { Autocast } from '../values/value.ts';
import { isSince, type TorchVersion } from './versions.ts';

/** What an op may ask of the place where it is called. */
export interface OpContext {
  readonly facts: Facts;
  /** A new symbol for a size that nothing names; `hint` says what it counts. */
  fresh(hint: string): SymInt;
  readonly training: Truth;
  readonly grad: Truth;
  readonly torch: TorchVersion;
  /** The regions of `torch.autocast` around the call, the innermost last. */
  readonly autocast?: readonly Autocast[];
}

/** One call under way. Sizes that PyTorch needs equal and that are not decided are demanded and assumed equal. */
export interface Call {
  readonly ask: Decisions;
  demand(left: SymInt, right: SymInt): void;
  readonly context: OpContext;
}

/** Whether the torch that is modelled is `major.minor` or newer. */
export const since = ({ context }: Call, major: number, minor: number): boolean =>
  isSince(context.torch, [major, minor]);
