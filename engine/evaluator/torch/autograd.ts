import {
  type Recording,
  recordedOutput,
  recordedWrite,
  refusedResult,
  refusedWrite,
  requiresGrad,
} from '../../ops/autograd.ts';
import { cannotRequire } from '../../ops/families/autograd.ts';
import { callOp, findOp } from '../../ops/index.ts';
import type { Outcome } from '../../ops/outcome.ts';
import { isFault, raises } from '../../tensor/fault.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { unknown, type Value } from '../../values/value.ts';
import { recordOp } from '../record.ts';
import { type Activation, currentTensor, nextId, opContext, type Run, rebindTensor } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import type { Spelling } from './torch.ts';

/** A call with these operands, as autograd sees it. */
export function recordingOf(run: Run, op: string, operands: readonly Value[]): Recording {
  const requires = requiresGrad(operands);
  // A view of what was written before may require grad by now, whatever was known when it was made.
  const open = requires === false && operands.some((value) => mayHaveBeenWritten(run, value));
  return { op, grad: run.grad, requires: open ? undefined : requires };
}

function mayHaveBeenWritten(run: Run, value: Value): boolean {
  if (value.kind === 'tuple') return value.items.some((item) => mayHaveBeenWritten(run, item));
  return value.kind === 'tensor' && run.written.has(value.storage.id);
}

/** A tensor that did not require grad before its memory was written may do so now. */
export const withoutStaleGrad = (run: Run, tensor: Tensor): Tensor =>
  tensor.requiresGrad === false && run.written.has(tensor.storage.id)
    ? { ...tensor, requiresGrad: null, graph: null }
    : tensor;

/** Results and writes that autograd does not let happen; the latter where it is certain that grad mode is on. */
export function refusedByAutograd(run: Run, outcome: Outcome, operands: readonly Value[]): Outcome {
  if (isFault(outcome.result)) return outcome;
  const certain = run.grad === true ? outcome.writes.filter(({ target }) => !isFrozen(run, target)) : [];
  const cause = refusedResult(outcome.result) ?? refusedWrite(certain, operands);
  return cause === null ? outcome : { ...outcome, result: raises(cause), writes: [] };
}

const isFrozen = (run: Run, { storage }: Tensor): boolean => run.frozen && storage.origin.is !== 'fresh';

export function recordWrite(run: Run, target: Tensor, recording: Recording): void {
  const now = currentTensor(run, target);
  const after = recordedWrite(now, recording);
  if (after === null) return;
  run.written.add(now.storage.id);
  if (now.requiresGrad !== after.requiresGrad) rebindTensor(run, { ...now, ...after });
}

/**
 * `torch.autograd.Function.apply`: grad mode is off while `forward` runs, and what comes out are results of one node of the
 * graph, also where `forward` returns an argument as it is.
 */
export function throughNode(run: Run, inputs: readonly Value[], forward: () => Value): Value {
  const { grad } = run;
  run.grad = false;
  const made = forward();
  run.grad = grad;
  const recording = { grad, requires: requiresGrad(inputs.map((value) => settled(run, value))) };
  const output = (value: Value): Value => {
    if (value.kind === 'tuple') return { ...value, items: value.items.map(output) };
    if (value.kind !== 'tensor') return value;
    const now = currentTensor(run, value);
    const { requiresGrad: requires, graph } = recordedOutput(now, recording);
    return { ...now, id: nextId(run), requiresGrad: requires, graph: now.storage.origin.is === 'fresh' ? graph : null };
  };
  return output(made);
}

/** What iterating over a tensor or unpacking it gives is what `unbind` gives. */
export function pieceOf(value: Value): Value {
  if (value.kind !== 'tensor' || value.graph?.view === 'without-grad') return value;
  return { ...value, graph: { leaf: value.graph?.leaf ?? false, view: 'one-of-many' } };
}

/** `x.requires_grad_(flag)` and `x.requires_grad = flag`. */
export function requireGrad(run: Run, act: Activation, tensor: Tensor, flag: Value, at: Spelling): Value {
  const op = findOp('torch.Tensor.requires_grad_');
  if (op === null) return tensor;
  const now = currentTensor(run, tensor);
  const outcome = callOp(op, [now, flag], new Map(), opContext(run));
  if (isFault(outcome.result) && outcome.result.fault === 'raises')
    recordOp(run, act, at.node, op.canonical, at.spelled, at.self, [now], outcome, unknown('the call raises'));
  const wanted = flag.kind === 'bool' ? flag.value : null;
  if (wanted !== true && now.storage.origin.is !== 'fresh') run.frozen = true;
  // What something was written into may have a graph by now, and stays what it is.
  const leaf = now.graph?.leaf && !run.written.has(now.storage.id);
  const graph = leaf ? now.graph : now.requiresGrad === true ? (now.graph ?? null) : null;
  if (wanted !== false) run.written.add(now.storage.id);
  if (now.requiresGrad !== wanted) rebindTensor(run, { ...now, requiresGrad: wanted, graph });
  return currentTensor(run, tensor);
}

/** `x.data = y`: what requires grad does not become a tensor of integers. */
export function refuseData(run: Run, act: Activation, tensor: Tensor, data: Tensor, at: Spelling): void {
  const refused =
    currentTensor(run, tensor).requiresGrad === true ? cannotRequire({ ...data, graph: null }, true) : null;
  if (refused === null) return;
  const outcome: Outcome = { result: refused, guards: [], writes: [], demands: [] };
  recordOp(run, act, at.node, 'data', at.spelled, at.self, [tensor], outcome, unknown('the call raises'));
}

/** `torch.set_grad_enabled(flag)` sets the mode where it is called; as a context manager it is set back at the end. */
export function setGradEnabled(run: Run, flag: Value): Value {
  run.grad = flag.kind === 'bool' ? flag.value : undefined;
  return { kind: 'str', value: 'set_grad_enabled' };
}
