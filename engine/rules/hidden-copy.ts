import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { OpResult } from '../ops/outcome.ts';
import { decide, type Facts, simplify } from '../symbols/index.ts';
import { isFault, type Layout, resolve, type Tensor, view } from '../tensor/index.ts';
import { explicitView } from './explicit-view.ts';
import { lastName, opEvents } from './flow.ts';
import { freeOrder } from './free-order.ts';
import { layoutMaker } from './origin.ts';
import { repeats } from './repeats.ts';
import { roundTrip } from './round-trip.ts';
import { type CheckedFile, type ReportFix, rule } from './rule.ts';
import { bytesText, elements, elementsPhrase, packedBytes } from './sizes.ts';
import { is } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText, mergeText } from './wording.ts';

const NAME = 'hidden-copy';

/** Ops that are a view where the strides allow it and a copy elsewhere, and whose name does not say so. */
const QUIET: ReadonlySet<string> = new Set(['reshape', 'reshape_as', 'flatten', 'ravel', 'unflatten', 'rearrange']);

export const hiddenCopy = rule({
  name: NAME,
  summary: 'A reshape that has to copy, because the strides do not merge',
  severity: 'information',
  docs: `
\`reshape\`, \`flatten\`, \`ravel\`, \`unflatten\`, \`nn.Flatten\` and einops patterns return a view where the strides allow it
and a packed copy elsewhere, with no sign of which. After a transpose or permute they usually copy everything. That is
often what is wanted, so the finding is only information: it says how many bytes move, which dims are in the way, and
for which sizes there would be no copy.

It is a warning where the copy is made again and again in a loop although its input does not change, where it restores an
order that an earlier \`contiguous()\` was called to leave, and where the same costs no copy: \`torch.stack(xs).transpose(0, 1)\`
is \`torch.stack(xs, dim=1)\`, which writes them in that order at once, and a maximum of all elements needs no reshape.

Not reported: reshapes that are views, empty tensors, dims of size 1 that make the reshape free, and an explicit
\`.contiguous()\` or \`.clone()\`, which asked for the copy. \`.contiguous().view(…)\` makes the copy explicit and computes
the same.`,
  guides: ['storages', 'compile'],
  examples: [
    {
      bad: `
import torch

def merge_heads():
    y = torch.zeros(2, 4, 8, 16)
    y = y.transpose(1, 2)
    return y.reshape(2, 8, 64)  # information[hidden-copy]`,
      good: `
import torch

def merge_heads():
    y = torch.zeros(2, 4, 8, 16)
    y = y.transpose(1, 2)
    return y.contiguous().view(2, 8, 64)`,
      fixed: true,
    },
    {
      bad: `
import torch

def features(n: int):
    parts = [torch.zeros(n, 16), torch.ones(n, 16)]
    return torch.stack(parts).transpose(0, 1).reshape(n, 32)  # warning[hidden-copy]`,
      good: `
import torch

def features(n: int):
    parts = [torch.zeros(n, 16), torch.ones(n, 16)]
    return torch.stack(parts, dim=1).reshape(n, 32)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const input = event.inputs[0];
      if (input === undefined || !QUIET.has(lastName(event.op).toLowerCase()) || isFault(event.result)) continue;
      const copy = copyIn(event.result);
      if (copy === null) continue;
      const packed = resolve(copy, trace.facts);
      if (elements(packed).constant === 0) continue;
      // An einops pattern permutes on its way: its result says nothing about which dims of the input are in the way.
      const plain = lastName(event.op).toLowerCase() !== 'rearrange';
      const { text } = exceptions(trace, event.guards, (facts) => plain && stillCopies(input, copy, facts));
      const again = repeats(trace, file, event);
      const free = plain ? freeOrder(trace, file, event) : null;
      const fixes = [...(free?.fixes ?? []), ...(free === null ? fixesFor(trace, file, event) : [])];
      const back = roundTrip(trace, input);
      const advice = again
        ? 'the loop repeats it although its input does not change: make it once, before the loop'
        : back !== null
          ? 'an earlier copy took them out of this order: leave out both'
          : free !== null
            ? free.advice
            : fixes.length > 0
              ? '.contiguous().view(…) says so where it is meant'
              : 'where it is meant there is nothing to do';
      yield {
        node: event.node,
        message: `${calleeText(event)} copies ${elementsPhrase(trace, packed, input.dtype)}${plain ? reason(trace, input, packed) : ''}${text}; ${advice}`,
        ...(again || back !== null || free !== null ? { severity: 'warning' } : {}),
        related: [
          ...layoutMaker(trace, file, input),
          ...(back === null ? [] : [{ node: back.first.node, message: 'the first copy' }]),
        ],
        fixes,
        bytes: bytesText(trace, packedBytes(packed, input.dtype)),
        assumes: input.assumes,
      };
    }
  },
});

function copyIn(result: OpResult): Layout | null {
  return result.is === 'fresh' ? result.layout : null;
}

function stillCopies(input: Tensor, copy: Layout, facts: Facts): boolean {
  const asView = view(resolve(input.layout, facts), resolve(copy, facts).shape, decide(facts));
  return isFault(asView) && asView.fault === 'raises';
}

/** ": dims 1 and 2 do not merge (…)", or nothing where it is not a matter of two dims. */
function reason(trace: FunctionTrace, input: Tensor, copy: Layout): string {
  const layout = resolve(input.layout, trace.facts);
  const asView = view(
    layout,
    copy.shape.map((size) => simplify(size, trace.facts)),
    decide(trace.facts),
  );
  if (!isFault(asView) || asView.fault !== 'raises' || asView.cause.is !== 'dims-do-not-merge') return '';
  return `: ${mergeText(trace, asView.cause, layout)}`;
}

function fixesFor(trace: FunctionTrace, file: CheckedFile, event: OpEvent): readonly ReportFix[] {
  const call = event.node;
  if (!is(call, 'Call') || call.func.kind !== 'Attribute' || event.self !== call.func.value) return [];
  const asView = explicitView(file, trace, call, call.func.value);
  if (asView === null) return [];
  const edit = { ...asView, text: `contiguous().${asView.text}` };
  return [{ title: 'Say that it copies: .contiguous().view(…)', safe: true, edits: [edit] }];
}
