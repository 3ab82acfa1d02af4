import type { OpContext, Outcome } from '../../../engine/ops/index.ts';
import type { SampleArgument } from '../../../engine/ops/sample.ts';
import type { Parameter } from '../../../engine/ops/signature.ts';
import type { Value } from '../../../engine/values/value.ts';

/** The arguments of one call. */
export interface Given {
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

/** What stands for an argument: as in samples of ops; `again` is the very object of an earlier slot. */
export type Filling =
  | SampleArgument
  | { readonly is: 'again'; readonly slot: number }
  | { readonly is: 'value'; readonly value: Value };

/** A place for an argument; without `keyword` it is the next positional one. */
export interface Slot {
  readonly keyword: string | null;
  readonly name: string;
  /** The types that it takes, in the words of signatures. */
  readonly types: readonly string[];
  readonly filling: Filling;
}

export type Form = readonly Slot[];

/** Anything of the engine that makes an outcome of values: an op, a module, an operator, a subscript. */
export interface Subject {
  readonly name: string;
  /** Calls that PyTorch was asked for, to be varied. */
  readonly forms: readonly Form[];
  /** Parameters that may be given beside those of a form. */
  readonly optional: readonly Parameter[];
  readonly takesOut: boolean;
  call(given: Given, context: OpContext): Outcome;
}
