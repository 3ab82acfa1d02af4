import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide } from '../symbols/index.ts';
import type { Node } from '../syntax/ast.ts';
import { isChannelsLast, isContiguous, isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, producerOf, resultAt } from './flow.ts';

/** What made a tensor channels_last because somebody asked for it; `at` is null where a comment says that it comes so. */
export interface Asked {
  readonly at: Node | null;
}

/** Whether the elements certainly lie in channels_last order, and in no other. */
export function isLast(trace: FunctionTrace, tensor: Tensor): boolean {
  const layout = resolve(tensor.layout, trace.facts);
  const ask = decide(trace.facts);
  return isChannelsLast(layout, ask) === true && isContiguous(layout, ask) === false;
}

/** Whether the elements certainly lie in the order of the dims, and the tensor could as well be channels_last. */
export function isFirst(trace: FunctionTrace, tensor: Tensor): boolean {
  const layout = resolve(tensor.layout, trace.facts);
  const ask = decide(trace.facts);
  const rank = layout.shape.length;
  if (layout.front || (rank !== 4 && rank !== 5)) return false;
  return isContiguous(layout, ask) === true && isChannelsLast(layout, ask) === false;
}

/**
 * Where a channels_last tensor got its format from: a conversion, or a layer whose weights have it. Null where it came
 * about by itself, as in the permuted view of an image or of a transformer's tokens: nobody asked for that.
 */
export function askedForLast(trace: FunctionTrace, tensor: Tensor): Asked | null {
  const seen = new Set<number>();
  for (let at = tensor; !seen.has(at.id) && isLast(trace, at); ) {
    seen.add(at.id);
    const producer = producerOf(trace, at);
    if (producer === null) {
      const { origin } = at.storage;
      return origin.is === 'parameter' && at.assumes.length === 0 && trace.context === null ? { at: null } : null;
    }
    if (formatIn(producer) !== null) return { at: producer.node };
    if (isFault(producer.result) || !keepsOrder(producer, at)) return null;
    const next = producer.inputs.find((input) => isLast(trace, input));
    if (next === undefined) return isConvolution(producer) ? { at: producer.node } : null;
    at = next;
  }
  return null;
}

/** The memory format among the arguments of a call, where one is given. */
export function formatIn(event: OpEvent): string | null {
  const format = event.arguments.find((value) => value.kind === 'memory-format');
  return format?.kind === 'memory-format' ? format.value : null;
}

export function isConvolution(event: OpEvent): boolean {
  return /^conv(_transpose)?[23]d$|^Conv(Transpose)?[23]d$/.test(lastName(event.op));
}

/** A new tensor, or a part of the old one, whose dims are those of the input in the same order. */
function keepsOrder(producer: OpEvent, output: Tensor): boolean {
  if (isFault(producer.result)) return false;
  const path = producer.outputs.find(({ tensor }) => tensor.id === output.id)?.path ?? '';
  const result = resultAt(producer.result, path);
  if (result?.is === 'fresh') return true;
  return result?.is === 'view' && PARTS.has(lastName(producer.op));
}

const PARTS: ReadonlySet<string> = new Set(['getitem', 'narrow', 'chunk', 'split', 'detach']);
