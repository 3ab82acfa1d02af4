import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { eventsAfter, opEvents } from './flow.ts';
import { askedForLast, formatIn, isConvolution, isLast } from './formats.ts';
import { repeats } from './repeats.ts';
import { roundTrip } from './round-trip.ts';
import { type CheckedFile, insert, quotable, type Report, type ReportFix, rule } from './rule.ts';
import { bytesText, elementsPhrase, packedBytes } from './sizes.ts';
import { is } from './tree.ts';
import { calleeText } from './wording.ts';

const NAME = 'layout-round-trip';

export const layoutRoundTrip = rule({
  name: NAME,
  summary: 'A change of layout that is undone again, or made anew in each turn of a loop',
  severity: 'warning',
  docs: `
A layout is changed by copying all elements. Three patterns pay for it without gaining anything:

- \`x.permute(0, 2, 3, 1).contiguous()\`, something that minds no order, \`.permute(0, 3, 1, 2).contiguous()\`: two copies that undo
  each other;
- \`.contiguous()\` on a channels_last tensor. Without an argument it means the order of the dims, so that it copies everything out of the
  format; a later layer with channels_last weights copies it back. Where no such layer is seen it is only information.
  \`.contiguous(memory_format=torch.channels_last)\` returns the tensor itself;
- \`x.to(memory_format=…)\` in a loop, of a tensor that does not change. Convert it once, in front.

To see it at run time: \`x.stride()\` before and after. For channels_last the stride of dim 1 is 1.

Not reported: a conversion at the entrance or at the exit of a network, one of each batch as it comes, \`.contiguous()\` right before a
\`view\` that needs it, and tensors that are channels_last by themselves, as the permuted view of an image or of tokens is.`,
  guides: ['layouts'],
  examples: [
    {
      bad: `
import torch

net = torch.nn.Conv2d(8, 8, 3).to(memory_format=torch.channels_last)

def block():
    x = torch.zeros(2, 8, 16, 16).to(memory_format=torch.channels_last)
    x = torch.relu(x).contiguous()  # warning[layout-round-trip]
    return net(x)`,
      good: `
import torch

net = torch.nn.Conv2d(8, 8, 3).to(memory_format=torch.channels_last)

def block():
    x = torch.zeros(2, 8, 16, 16).to(memory_format=torch.channels_last)
    x = torch.relu(x).contiguous(memory_format=torch.channels_last)
    return net(x)`,
      fixed: true,
    },
    {
      bad: `
import torch

def double(x: torch.Tensor):
    B, C, H, W = x.shape
    y = x.permute(0, 2, 3, 1).contiguous()
    return (y * 2).permute(0, 3, 1, 2).contiguous()  # warning[layout-round-trip]`,
      good: `
import torch

def double(x: torch.Tensor):
    B, C, H, W = x.shape
    return x * 2`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const [input, output] = [event.inputs[0], event.outputs[0]?.tensor];
      if (input === undefined || output === undefined || isFault(event.result) || event.result.is !== 'fresh') continue;
      const report =
        againInLoop(trace, file, event, input) ??
        thereAndBack(trace, file, event, input, output) ??
        outOfFormat(trace, file, event, input, output);
      if (report !== null) yield report;
    }
  },
});

/** `.contiguous()` of what was made channels_last on purpose. */
function outOfFormat(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  input: Tensor,
  output: Tensor,
): Report | null {
  if (event.op !== 'contiguous' || formatIn(event) !== null || isViewed(trace, event, output)) return null;
  const asked = askedForLast(trace, input);
  if (asked === null) return null;
  const back = convertedBack(trace, event, output);
  const layout = resolve(output.layout, trace.facts);
  const source = asked.at === null ? null : quotable(file, trace, asked.at);
  const related = [
    ...(asked.at === null
      ? []
      : [
          {
            node: asked.at,
            message: source === null ? 'channels_last from here' : `\`${source}\` makes it channels_last`,
          },
        ]),
    ...(back === null ? [] : [{ node: back.node, message: `${calleeText(back)} converts it back` }]),
  ];
  return {
    node: event.node,
    ...(back === null ? { severity: 'information' } : {}),
    message: `contiguous copies ${elementsPhrase(trace, layout, input.dtype)} out of channels_last${back === null ? '' : `, and ${calleeText(back)} copies them back`}; keep the format, or leave it out`,
    related,
    fixes: keepFormat(event, input),
    bytes: bytesText(trace, packedBytes(layout, input.dtype)),
    assumes: [],
  };
}

/** A view of it is what the copy is for. */
function isViewed(trace: FunctionTrace, event: OpEvent, output: Tensor): boolean {
  return eventsAfter(trace, event).some(
    (other) => other.event === 'op' && VIEWS.has(other.op) && other.inputs[0]?.id === output.id,
  );
}

/** The convolution that makes channels_last of it again, be it after other layers. */
function convertedBack(trace: FunctionTrace, event: OpEvent, output: Tensor): OpEvent | null {
  const reached = new Set([output.id]);
  for (const other of eventsAfter(trace, event)) {
    if (other.event !== 'op' || !other.inputs.some(({ id }) => reached.has(id))) continue;
    const isBack = other.outputs.some(({ tensor }) => isLast(trace, tensor));
    if (isBack) return isConvolution(other) ? other : null;
    for (const { tensor } of other.outputs) reached.add(tensor.id);
  }
  return null;
}

function keepFormat(event: OpEvent, input: Tensor): readonly ReportFix[] {
  if (!is(event.node, 'Call') || event.node.args.length > 0) return [];
  const format = input.layout.shape.length === 4 ? 'channels_last' : 'channels_last_3d';
  const text = `memory_format=torch.${format}`;
  return [{ title: `Keep the format: .contiguous(${text})`, safe: false, edits: [insert(event.node.end - 1, text)] }];
}

/** Permuted and packed, and here permuted back and packed again, with nothing between that minds the order. */
function thereAndBack(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  input: Tensor,
  output: Tensor,
): Report | null {
  if (event.op !== 'contiguous') return null;
  const trip = roundTrip(trace, input);
  if (trip === null) return null;
  const { first, original } = trip;
  const layout = resolve(original.layout, trace.facts);
  const source = quotable(file, trace, first.node);
  return {
    node: event.node,
    message: `contiguous copies ${elementsPhrase(trace, resolve(output.layout, trace.facts), input.dtype)} back into the order that an earlier copy took them out of; nothing between minds it; leave out both`,
    related: [{ node: first.node, message: source === null ? 'the first copy' : `\`${source}\` is the first copy` }],
    bytes: bytesText(trace, packedBytes(layout, input.dtype)),
    assumes: original.assumes,
  };
}

function againInLoop(trace: FunctionTrace, file: CheckedFile, event: OpEvent, input: Tensor): Report | null {
  const format = formatIn(event);
  if (format === null || !/^(to|contiguous)$/.test(event.op) || !repeats(trace, file, event)) return null;
  const layout = resolve(input.layout, trace.facts);
  return {
    node: event.node,
    message: `${calleeText(event)} copies ${elementsPhrase(trace, layout, input.dtype)} into ${format} in each turn of the loop, although its input does not change; convert it once, before the loop`,
    bytes: bytesText(trace, packedBytes(layout, input.dtype)),
    assumes: input.assumes,
  };
}

const VIEWS: ReadonlySet<string> = new Set([
  'view',
  'view_as',
  'reshape',
  'flatten',
  'unflatten',
  'ravel',
  'numpy',
  'data_ptr',
]);
