import type { BadExpression, SyntaxProblem } from '../ast.ts';
import { endAt, startAt, type Tape } from '../tape.ts';

/** What lowering a file carries along. */
export interface Lowering {
  readonly tape: Tape;
  readonly text: string;
  /** Where the frame starts that positions are relative to: the enclosing function, or 0. */
  base: number;
  /** How deep the expression or statement under way is nested. */
  depth: number;
  /** Whether the function under way has a `yield` of its own. */
  yields: boolean;
  /** Starts of the lines that were lost because they could not be read, with their ends. */
  readonly lost: ReadonlyMap<number, number>;
  readonly problems: SyntaxProblem[];
}

/**
 * Nothing is nested deeper than this, so that whoever walks the tree may recurse. What would be is a BadExpression or a
 * BadStatement. (An `elif` is nested in the `orelse` before it without counting.)
 */
export const MAX_DEPTH = 400;

export const textAt = (lowering: Lowering, entry: number): string =>
  lowering.text.slice(startAt(lowering.tape, entry), endAt(lowering.tape, entry));

export const startOf = (lowering: Lowering, entry: number): number => startAt(lowering.tape, entry) - lowering.base;

export const endOf = (lowering: Lowering, entry: number): number => endAt(lowering.tape, entry) - lowering.base;

export const bad = (lowering: Lowering, entry: number): BadExpression => ({
  kind: 'BadExpression',
  start: startOf(lowering, entry),
  end: endOf(lowering, entry),
});

/** A dotted name may have white space around its dots. */
export const dottedAt = (lowering: Lowering, entry: number): string => textAt(lowering, entry).replace(/[\s\\]+/g, '');
