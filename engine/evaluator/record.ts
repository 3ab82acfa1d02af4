import type { OpResult, Outcome } from '../ops/outcome.ts';
import type { Expression, Node } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Value } from '../values/value.ts';
import { isSequence } from './state/heap.ts';
import { type Activation, currentTensor, heapRead, type Run, reboundUnknown } from './state/run.ts';
import type { Site, StoreEvent } from './trace.ts';

export function site(run: Run, act: Activation, node: Node): Site {
  return { node, noGrad: run.grad === false, loops: act.loops, conditional: act.conditional > 0 };
}

export function recordOp(
  run: Run,
  act: Activation,
  node: Node,
  op: string,
  spelled: string,
  self: Expression | null,
  inputs: readonly Tensor[],
  outcome: Outcome,
  value: Value,
  args: readonly Value[] = inputs,
): void {
  if (run.muted > 0) return;
  act.events.push({
    event: 'op',
    ...site(run, act, node),
    op,
    spelled,
    self,
    inputs,
    arguments: args,
    result: outcome.result,
    outputs: tensorsIn(run, value),
    guards: outcome.guards,
    writes: outcome.writes,
    ints: [],
  });
}

/** A call of the program's own code, or of a module, that yields tensors. */
export function recordValue(
  run: Run,
  act: Activation,
  node: Node,
  value: Value,
  bound: string | null,
  inputs: readonly Tensor[] = [],
): void {
  if (run.muted > 0) return;
  act.events.push({ event: 'value', ...site(run, act, node), value, bound, inputs, outputs: tensorsIn(run, value) });
}

/** A call of a library's function that is no op, whatever it yields. */
export function recordCall(
  run: Run,
  act: Activation,
  node: Node,
  name: string,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  open: boolean,
  value: Value,
): void {
  if (run.muted > 0) return;
  act.events.push({ event: 'call', ...site(run, act, node), name, arguments: args, keywords, open, value });
}

export function recordRead(run: Run, act: Activation, node: Node, name: string, tensor: Tensor): void {
  if (run.muted > 0) return;
  act.events.push({ event: 'read', ...site(run, act, node), name, tensor });
}

export function recordStore(
  run: Run,
  act: Activation,
  node: Node,
  into: StoreEvent['into'],
  holder: string,
  value: Value,
  expression: Expression,
  outlives: boolean,
): void {
  if (run.muted > 0) return;
  act.events.push({ event: 'store', ...site(run, act, node), into, holder, value, expression, outlives });
}

/** The tensors of a result with their access paths, as deep as two containers. */
export function tensorsIn(run: Run, value: Value, path = '', depth = 0): { path: string; tensor: Tensor }[] {
  if (value.kind === 'tensor') return [{ path, tensor: currentTensor(run, value) }];
  if (value.kind === 'unknown') {
    const known = reboundUnknown(run, value);
    return known ? tensorsIn(run, known, path, depth) : [];
  }
  // What is left out on one way is what it is on the other.
  if (value.kind === 'either') {
    const [only, ...others] = value.options.filter(({ kind }) => kind !== 'none');
    return only?.kind === 'tensor' && others.length === 0 ? tensorsIn(run, only, path, depth) : [];
  }
  if (depth >= 2) return [];
  if (value.kind === 'tuple')
    return value.front ? [] : value.items.flatMap((item, i) => tensorsIn(run, item, `${path}[${i}]`, depth + 1));
  if (value.kind === 'ref') {
    const object = heapRead(run, value.ref);
    if (isSequence(object) && object.object === 'list' && !object.rest)
      return object.items.flatMap((item, i) => tensorsIn(run, item, `${path}[${i}]`, depth + 1));
  }
  return [];
}

export const isTensorResult = (result: OpResult): boolean => result.is !== 'value';
