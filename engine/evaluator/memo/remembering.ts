import type { Form } from './forms.ts';
import type { Summary } from './summary.ts';
import type { Told } from './told.ts';

/** What an analysis keeps of the calls that it has evaluated, and what it watches to know that this still holds. */
export interface Memory {
  /** What calls came to, by what went in. */
  readonly summaries: Map<string, Summary>;
  readonly efforts: Map<object, Effort>;
  /** How often a call without tensors used up its steps, by its function. */
  readonly lost: Map<string, number>;
  /** What the evaluation under way has to tell so far. */
  told: Told[];
  /** Told of every object that is looked at, while a call is evaluated to be remembered. */
  watch: ((ref: number) => void) | null;
  /** Something was found out about an unknown of the program's top level. */
  programTold: boolean;
  /** The outermost of the calls under way because of which a call was cut off, by its place in the stack. */
  cutAt: number;
  /** What has a number below this stood when the function under analysis was begun. */
  settled: number;
  /** Objects among them that the function has written to. */
  readonly touched: Set<number>;
  /** Descriptions of such objects; null for one that cannot be described by itself. */
  readonly forms: Map<number, Form | null>;
  /** A number for each of the texts of forms. */
  readonly alike: Map<string, number>;
  /** Objects whose forms are being made. */
  readonly described: Set<number>;
}

/** How often a function was evaluated to be remembered, and how many steps that took in all. */
export interface Effort {
  calls: number;
  steps: number;
}

export const newMemory = (): Memory => ({
  summaries: new Map(),
  efforts: new Map(),
  lost: new Map(),
  told: [],
  watch: null,
  programTold: false,
  cutAt: Number.POSITIVE_INFINITY,
  settled: 0,
  touched: new Set(),
  forms: new Map(),
  alike: new Map(),
  described: new Set(),
});
