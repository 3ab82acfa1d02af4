import { callOp, findOp } from '../../ops/index.ts';
import type { Node } from '../../syntax/ast.ts';
import { isFault } from '../../tensor/fault.ts';
import { unknown, type Value } from '../../values/value.ts';
import { recordOp } from '../record.ts';
import { type Activation, currentTensor, opContext, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { truthOf } from '../statements/narrow.ts';

/** Whether a value holds, where Python asks for it: `if`, `while`, `not`, `and`. A tensor answers for one element only. */
export function askTruth(run: Run, act: Activation, node: Node, value: Value): boolean | undefined {
  demandNumber(run, act, node, value, 'bool');
  return truthOf(run, value);
}

/** `bool(x)`, `int(x)`, `float(x)`: of a tensor with one element. */
export function demandNumber(run: Run, act: Activation, node: Node, value: Value, spelled: string): void {
  const known = settled(run, value);
  const op = known.kind === 'tensor' ? findOp('torch.Tensor.__bool__') : null;
  if (known.kind !== 'tensor' || op === null) return;
  const now = currentTensor(run, known);
  const outcome = callOp(op, [now], new Map(), opContext(run));
  if (isFault(outcome.result) && outcome.result.fault === 'raises')
    recordOp(run, act, node, op.canonical, spelled, null, [now], outcome, unknown('the call raises'));
}
