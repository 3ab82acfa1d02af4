import type { FunctionTrace, OpEvent, TraceEvent } from '../evaluator/trace.ts';
import { type Beside, keptForBackward } from '../ops/kept-for-backward.ts';
import { lastName, producerOf, resultOf } from '../rules/flow.ts';
import { flowOn } from '../rules/saved-tensors.ts';
import { is } from '../rules/tree.ts';
import type { Statement } from '../syntax/ast.ts';
import { isFault, isFloat, type Tensor } from '../tensor/index.ts';

/** A tensor that the graph keeps: one that a call was given or gave back, or one beside them that nobody sees. */
export interface KeptTensor {
  readonly is: 'input' | 'output' | 'beside';
  /** Of a tensor beside, the one that it is as large as. */
  readonly tensor: Tensor;
  readonly beside: Beside | null;
}

/**
 * What autograd would keep of each call of the function until `backward()`, were a gradient asked of every floating tensor
 * that came in and is not known to need none. Calls of the program's own functions have accounts of their own.
 */
export function keptByCall(trace: FunctionTrace): ReadonlyMap<TraceEvent, readonly KeptTensor[]> {
  const flowing = new Set<number>();
  for (const { value } of trace.parameters) if (value.kind === 'tensor' && mayRequire(value)) flowing.add(value.id);
  const kept = new Map<TraceEvent, readonly KeptTensor[]>();
  for (const event of trace.events) {
    if (event.event !== 'op') continue;
    for (const tensor of event.inputs)
      if (tensor.storage.origin.is === 'attribute' && mayRequire(tensor)) flowing.add(tensor.id);
    // A call may hand on what it was given: what flows is asked before it is told what came out.
    for (const tensor of event.inputs)
      if (tensor.requiresGrad === true || isOfHiddenLayer(trace, tensor)) flowing.add(tensor.id);
    const own = ofCall(trace, event, flowing);
    if (own.length > 0) kept.set(event, own);
    flowOn(event, flowing);
  }
  return kept;
}

/** `loss.backward()`, after which the graph lets go of all. */
export function runsBackward(statement: Statement): boolean {
  if (statement.kind !== 'Expr' || statement.value.kind !== 'Call') return false;
  const { func, keywords } = statement.value;
  return func.kind === 'Attribute' && func.attr === 'backward' && keywords.every(({ arg }) => arg !== 'retain_graph');
}

/** What came out of a layer that a container called, which is no call of this function's own. */
const isOfHiddenLayer = (trace: FunctionTrace, tensor: Tensor): boolean => {
  const { origin } = tensor.storage;
  return (
    origin.is === 'fresh' && origin.op.startsWith('nn.') && mayRequire(tensor) && producerOf(trace, tensor) === null
  );
};

function ofCall(trace: FunctionTrace, event: OpEvent, flowing: ReadonlySet<number>): readonly KeptTensor[] {
  if (event.noGrad || isFault(event.result)) return [];
  const flows = (place: number): boolean => {
    const tensor = event.inputs[place];
    return tensor !== undefined && (flowing.has(tensor.id) || tensor.storage.origin.is === 'module-parameter');
  };
  const isFirst = is(event.node, 'BinOp')
    ? resultOf(trace, event.node.left) !== null
    : event.arguments[0]?.kind === 'tensor';
  const kept = keptForBackward(lastName(event.op), event.inputs.length, flows, isFirst);
  const cameOut = event.inner ?? event.outputs;
  const inputs = kept.inputs.flatMap((place) => event.inputs[place] ?? []);
  const outputs = kept.outputs.flatMap((place) => cameOut[place]?.tensor ?? []);
  const like = kept.beside === 'like input' ? event.inputs[0] : cameOut[0]?.tensor;
  return [
    ...inputs.map((tensor) => ({ is: 'input', tensor, beside: null }) as const),
    ...outputs.map((tensor) => ({ is: 'output', tensor, beside: null }) as const),
    ...(kept.beside === null || like === undefined
      ? []
      : [{ is: 'beside', tensor: like, beside: kept.beside } as const]),
  ];
}

const mayRequire = ({ requiresGrad, dtype }: Tensor): boolean =>
  requiresGrad !== false && (dtype === null || isFloat(dtype));
