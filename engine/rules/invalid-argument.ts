import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Cause, Tensor } from '../tensor/index.ts';
import { producerOf } from './flow.ts';
import { failuresOf } from './raising.ts';
import { type CheckedFile, rule } from './rule.ts';
import { appendedBy } from './training.ts';
import { type Branch, branches, is, namesIn, rootOf, siteOf } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText, causeText } from './wording.ts';

const NAME = 'invalid-argument';

export const invalidArgument = rule({
  name: NAME,
  summary: 'An argument that PyTorch will reject for another reason than its shape',
  severity: 'error',
  docs: `
Dtypes that do not combine (\`mm\` never promotes), results that cannot be stored in the tensor that is written
(\`int_tensor.mul_(0.5)\`), dims that do not exist, steps, chunk counts, paddings, memory formats and devices out of range.

Only what is provable is reported.`,
  examples: [
    {
      bad: `
import torch

def halve():
    counts = torch.zeros(4, dtype=torch.int64)
    return counts.mul_(0.5)  # error[invalid-argument]`,
      good: `
import torch

def halve():
    counts = torch.zeros(4, dtype=torch.int64)
    return counts.mul(0.5)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file)) {
      const { text, named } = exceptions(trace, event.guards, () => false);
      if (!named || isFilledElsewhere(trace, file, event, cause) || isOfArray(trace, event, cause)) continue;
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, null)}${text}`,
      };
    }
  },
});

/** A list in an attribute that is empty as far as this function goes: hooks and callers fill it, as they fill a `ModuleList` that is gone through. */
function isFilledElsewhere(trace: FunctionTrace, file: CheckedFile, { node }: OpEvent, cause: Cause): boolean {
  if (cause.is !== 'argument' || cause.got !== '[]' || !is(node, 'Call')) return false;
  const [list] = node.args;
  if (list?.kind !== 'Name') return list?.kind === 'Attribute';
  return branches(rootOf(file, trace)).some(
    (loop) =>
      loop.kind === 'For' &&
      namesIn(loop.iter).has('self') &&
      loop.body.some((each) => branches(each).some((call) => isAppendTo(call, list.id))),
  );
}

function isAppendTo(call: Branch, name: string): boolean {
  const holder = call.kind === 'Call' ? appendedBy(call)?.holder : undefined;
  return holder?.kind === 'Name' && holder.id === name;
}

/** What nobody said to be a tensor and is read backwards is an array. */
const isOfArray = (trace: FunctionTrace, { inputs: [input] }: OpEvent, cause: Cause): boolean =>
  cause.is === 'argument' && cause.name === 'step' && input !== undefined && mayBeArray(trace, input, MOST_STEPS);

const MOST_STEPS = 8;

function mayBeArray(trace: FunctionTrace, tensor: Tensor, steps: number): boolean {
  const producer = steps > 0 ? producerOf(trace, tensor) : null;
  const { origin } = tensor.storage;
  if (producer === null) return origin.is === 'unknown' || (origin.is === 'parameter' && isUntyped(trace, tensor));
  return producer.inputs.length > 0 && producer.inputs.every((input) => mayBeArray(trace, input, steps - 1));
}

/** A parameter of which neither an annotation nor a comment says that it is a tensor. */
function isUntyped(trace: FunctionTrace, { storage: { origin }, dtype, layout }: Tensor): boolean {
  if (origin.is !== 'parameter' || dtype !== null || layout.shape.some(({ constant }) => constant !== null))
    return false;
  const parameters = trace.definition?.args.positional ?? [];
  return parameters.some(({ name, annotation }) => name === origin.name && annotation === null);
}
