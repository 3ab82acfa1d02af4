import { unknown } from '../../values/value.ts';
import type { Run } from './run.ts';

/** A first look at a function: how long it goes on. */
export interface Look {
  /** Whether it has found out all that it is for; null where no look is under way. */
  readonly isEnough: (() => boolean) | null;
  /** It has: nothing more is executed. */
  ended: boolean;
}

export const newLook = (isEnough: Look['isEnough']): Look => ({ isEnough, ended: false });

/** Counts a step; false when the budget is used up, or nothing more is wanted. */
export function step(run: Run): boolean {
  if (run.look.ended) return false;
  run.steps++;
  if (run.budget-- > 0) return true;
  run.truncated = true;
  return false;
}

/** Whether a look is over: asked between statements, for what holds on all ways. */
export function isOver({ look, branches }: Run): boolean {
  look.ended ||= look.isEnough !== null && branches === 0 && look.isEnough();
  return look.ended;
}

export const OUT_OF_BUDGET = unknown('analysis budget');
