import type { FunctionTrace, OpEvent, TraceEvent } from '../evaluator/trace.ts';
import type { OpResult } from '../ops/outcome.ts';
import type { Expression } from '../syntax/ast.ts';
import { isFault } from '../tensor/fault.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Value } from '../values/value.ts';

/** One step back from a view to what it views. */
export interface ViewStep {
  readonly event: OpEvent;
  /** The view that came out. */
  readonly view: Tensor;
  /** The tensor that it was taken of. */
  readonly of: Tensor;
}

interface TraceIndex {
  /** The operation that a tensor came out of, by the tensor's identity. */
  readonly producers: ReadonlyMap<number, { readonly event: OpEvent; readonly path: string }>;
  /** What an expression came to, where that is one tensor; of a loop, the last time. */
  readonly results: ReadonlyMap<object, Tensor>;
  readonly positions: ReadonlyMap<TraceEvent, number>;
}

const indexes = new WeakMap<FunctionTrace, TraceIndex>();

export function opEvents(trace: FunctionTrace): readonly OpEvent[] {
  return trace.events.filter((event) => event.event === 'op');
}

/** `Flatten` of `nn.Flatten`, `rearrange` of `einops.rearrange`. */
export function lastName(op: string): string {
  return op.slice(op.lastIndexOf('.') + 1);
}

/** The operation that made the tensor, or null where it came in from outside. */
export function producerOf(trace: FunctionTrace, tensor: Tensor): OpEvent | null {
  return indexOf(trace).producers.get(tensor.id)?.event ?? null;
}

/** The chain from a view to the tensor that is none, the last view first; empty for a tensor that is no view. */
export function viewChain(trace: FunctionTrace, tensor: Tensor): readonly ViewStep[] {
  const steps: ViewStep[] = [];
  const seen = new Set<number>();
  for (let view = tensor; !seen.has(view.id); ) {
    seen.add(view.id);
    const producer = indexOf(trace).producers.get(view.id);
    if (producer === undefined || isFault(producer.event.result)) break;
    const result = resultAt(producer.event.result, producer.path);
    if (result?.is !== 'view' || result.of.id === view.id) break;
    steps.push({ event: producer.event, view, of: result.of });
    view = result.of;
  }
  return steps;
}

/** The first tensor of the function over the same storage: a parameter, or what an op made; null where it came by another way. */
export function firstOverStorage(trace: FunctionTrace, tensor: Tensor): Tensor | null {
  for (const { value } of trace.parameters) if (value.kind === 'tensor' && sharesStorage(value, tensor)) return value;
  for (const event of opEvents(trace))
    for (const output of event.outputs) if (sharesStorage(output.tensor, tensor)) return output.tensor;
  return null;
}

/** The tensor that an expression came to, where it came to one. */
export function resultOf(trace: FunctionTrace, expression: Expression): Tensor | null {
  return indexOf(trace).results.get(expression) ?? null;
}

/** The events after `event`, in order. */
export function eventsAfter(trace: FunctionTrace, event: TraceEvent): readonly TraceEvent[] {
  const position = indexOf(trace).positions.get(event);
  return position === undefined ? [] : trace.events.slice(position + 1);
}

export function eventsBefore(trace: FunctionTrace, event: TraceEvent): readonly TraceEvent[] {
  const position = indexOf(trace).positions.get(event);
  return position === undefined ? [] : trace.events.slice(0, position);
}

export function sharesStorage(a: Tensor, b: Tensor): boolean {
  return a.storage.id === b.storage.id;
}

/** The tensors in a value: itself, those of a tuple, those that it may be. */
export function tensorsIn(value: Value): readonly Tensor[] {
  switch (value.kind) {
    case 'tensor':
      return [value];
    case 'tuple':
      return value.items.flatMap(tensorsIn);
    case 'either':
      return value.options.flatMap(tensorsIn);
    default:
      return [];
  }
}

/** The result at a path such as `[0][1]`. */
export function resultAt(result: OpResult, path: string): OpResult | null {
  let at: OpResult | undefined = result;
  for (const [, index] of path.matchAll(/\[(\d+)\]/g)) {
    if (at === undefined || (at.is !== 'tuple' && at.is !== 'list')) return null;
    at = at.items[Number(index)];
  }
  return at ?? null;
}

function indexOf(trace: FunctionTrace): TraceIndex {
  const known = indexes.get(trace);
  if (known !== undefined) return known;
  const producers = new Map<number, { event: OpEvent; path: string }>();
  const positions = new Map<TraceEvent, number>();
  const results = new Map<object, Tensor>();
  trace.events.forEach((event, position) => {
    positions.set(event, position);
    const [only] = event.event === 'op' || event.event === 'value' ? event.outputs : [];
    if (only !== undefined) results.set(event.node, only.tensor);
    if (event.event === 'read') results.set(event.node, event.tensor);
    if (event.event !== 'op') return;
    for (const { path, tensor } of event.outputs) {
      // An op that hands back its very input is not where that tensor was made.
      if (!producers.has(tensor.id) && !event.inputs.some((input) => input.id === tensor.id)) {
        producers.set(tensor.id, { event, path });
      }
    }
  });
  const index = { producers, results, positions };
  indexes.set(trace, index);
  return index;
}
