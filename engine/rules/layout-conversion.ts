import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { decide } from '../symbols/index.ts';
import { isContiguous, isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents, resultOf } from './flow.ts';
import { isConvolution, isFirst, isLast } from './formats.ts';
import { layoutMaker } from './origin.ts';
import { type CheckedFile, insert, type Report, type ReportFix, rule } from './rule.ts';
import { bytesText, elementsPhrase, packedBytes } from './sizes.ts';
import { is, isPrimary } from './tree.ts';
import { calleeText, count } from './wording.ts';

const NAME = 'layout-conversion';

export const layoutConversion = rule({
  name: NAME,
  summary: 'A tensor that the callee converts for itself, each time it is given it',
  severity: 'information',
  docs: `
Some kernels want their input in one layout, and make a converted copy of it inside, unseen:

- a convolution whose weights are channels_last and whose input is not. One conversion is due somewhere; but where several
  layers read the same tensor, as the branches of an inception block do, each of them makes the copy for itself;
- \`torch.searchsorted\` and \`torch.bucketize\` on values or boundaries that are not contiguous. PyTorch warns of it once, at run time:
  *input value tensor is non-contiguous, this will lower the performance due to extra data copy*.

Convert once, in front: \`x = x.to(memory_format=torch.channels_last)\`, or \`.contiguous()\`, which packs.

To see it at run time: compare the \`stride()\` of what goes in and of what comes out, or look for copies in the profiler.

Not reported: a single convolution at the entrance of a channels_last network, which is where the conversion belongs.`,
  guides: ['layouts', 'compile'],
  examples: [
    {
      bad: `
import torch

def place(edges: torch.Tensor):
    x = torch.zeros(8, 16)
    return torch.bucketize(x.t(), edges)  # information[layout-conversion]`,
      good: `
import torch

def place(edges: torch.Tensor):
    x = torch.zeros(8, 16)
    return torch.bucketize(x.t().contiguous(), edges)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      if (isFault(event.result)) continue;
      const report = isConvolution(event) ? convertedAgain(trace, event) : packedInside(trace, file, event);
      if (report !== null) yield report;
    }
  },
});

/** The second of several convolutions that bring the same tensor into the format of their weights, and later ones. */
function convertedAgain(trace: FunctionTrace, event: OpEvent): Report | null {
  const input = event.inputs[0];
  if (input === undefined || !converts(trace, event)) return null;
  const others = opEvents(trace).filter(
    (other) => other.inputs[0]?.id === input.id && isConvolution(other) && converts(trace, other),
  );
  const nodes = [...new Set(others.map(({ node }) => node))];
  const [first] = nodes;
  if (first === undefined || first === event.node) return null;
  const layout = resolve(input.layout, trace.facts);
  return {
    node: event.node,
    message: `${calleeText(event)} has channels_last weights and copies ${elementsPhrase(trace, layout, input.dtype)} into that format; ${count(nodes.length, 'layer')} do so with this tensor; convert it once, in front of them`,
    related: [{ node: first, message: 'the same tensor is converted here' }],
    bytes: bytesText(trace, packedBytes(layout, input.dtype)),
    assumes: input.assumes,
  };
}

/** A result in another format than the input got it from the weights. */
function converts(trace: FunctionTrace, event: OpEvent): boolean {
  const [input, output] = [event.inputs[0], event.outputs[0]?.tensor];
  return input !== undefined && output !== undefined && isFirst(trace, input) && isLast(trace, output);
}

function packedInside(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  if (!PACKS_INPUTS.has(lastName(event.op))) return null;
  const input = event.inputs.find(
    ({ layout }) => isContiguous(resolve(layout, trace.facts), decide(trace.facts)) === false,
  );
  if (input === undefined) return null;
  const layout = resolve(input.layout, trace.facts);
  return {
    node: event.node,
    message: `${calleeText(event)} copies ${elementsPhrase(trace, layout, input.dtype)} of a tensor that is not contiguous at every call; pack it once with .contiguous()`,
    related: layoutMaker(trace, file, input),
    fixes: packed(trace, event, input),
    bytes: bytesText(trace, packedBytes(layout, input.dtype)),
    assumes: input.assumes,
  };
}

function packed(trace: FunctionTrace, event: OpEvent, input: Tensor): readonly ReportFix[] {
  if (!is(event.node, 'Call')) return [];
  const argument = event.node.args.find((each) => resultOf(trace, each)?.id === input.id);
  if (argument === undefined || !isPrimary(argument)) return [];
  return [{ title: 'Pack it in front: .contiguous()', safe: true, edits: [insert(argument.end, '.contiguous()')] }];
}

const PACKS_INPUTS: ReadonlySet<string> = new Set(['searchsorted', 'bucketize']);
