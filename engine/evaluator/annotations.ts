import type { Assign } from '../syntax/ast.ts';
import type { Value } from '../values/value.ts';
import type { Activation, Run } from './run.ts';

/** The value of an assignment with what a trailing shape comment says of it. */
export function evaluateShapeComment(run: Run, act: Activation, node: Assign, value: Value): Value {
  void run;
  void act;
  void node;
  return value;
}
