import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Tensor } from '../tensor/index.ts';
import { innermostLoop } from './control.ts';
import { opEvents, producerOf } from './flow.ts';
import type { CheckedFile } from './rule.ts';
import { type Branch, is, namesBoundIn, namesIn, within } from './tree.ts';

/** Whether a loop runs the very same copy each time: nothing that the call reads is bound or written within the loop. */
export function repeats(trace: FunctionTrace, file: CheckedFile, event: OpEvent): boolean {
  const input = event.inputs[0];
  if (input === undefined) return false;
  // A short loop is unrolled, and its events know of none: the source does.
  const loop = innermostLoop(file, trace, event.node);
  if (loop === null) return false;
  const bound = namesBoundIn(loop);
  if ([...(is(event.node, 'Call') ? namesIn(event.node) : [])].some((name) => bound.has(name))) return false;
  const producer = producerOf(trace, input);
  const changes = opEvents(trace).some(
    (other) =>
      other.writes.some((write) => write.target.storage.id === input.storage.id) &&
      within(file, trace, other.node, loop),
  );
  // What a call within the loop returns may be another tensor each time; a view of an outer tensor is not.
  const fromOutside =
    producer === null || !within(file, trace, producer.node, loop) || viewsOuter(trace, file, input, loop);
  return fromOutside && !changes;
}

function viewsOuter(trace: FunctionTrace, file: CheckedFile, tensor: Tensor, loop: Branch): boolean {
  return opEvents(trace).some(
    (event) =>
      event.outputs.some((output) => output.tensor.storage.id === tensor.storage.id) &&
      !within(file, trace, event.node, loop),
  );
}
