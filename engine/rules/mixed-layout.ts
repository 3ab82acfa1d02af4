import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents } from './flow.ts';
import { askedForLast, isFirst, isLast } from './formats.ts';
import { type CheckedFile, quotable, type Report, rule } from './rule.ts';
import { elementsPhrase } from './sizes.ts';
import { calleeText } from './wording.ts';

const NAME = 'mixed-layout';

export const mixedLayout = rule({
  name: NAME,
  summary: 'Operands of one shape, one channels_last and one not',
  severity: 'information',
  docs: `
Arithmetic works on any strides, and so does \`cat\`. But the result has one layout: that of the first operand for arithmetic, row
by row for a \`cat\` unless all its inputs are channels_last. Where one operand is channels_last and the other is not, one of the
two is walked across its memory, and the format that was asked for may be lost from there on: the next convolution
converts again.

It happens where a branch makes its own tensor (\`torch.zeros(N, C, H, W)\`, a position table, a mask) or calls \`.contiguous()\`.
Bring the odd one into the format once, where it is made: \`torch.zeros_like(x)\` keeps the layout,
\`.to(memory_format=torch.channels_last)\` changes it.

To see it at run time: \`x.stride()\` of both operands; for channels_last the stride of dim 1 is 1.

Not reported: operands that are broadcast, sizes of 1 that make both layouts the same, and tensors that are channels_last
by themselves, as the permuted view of tokens is, since nobody asked for the format there.`,
  guides: ['layouts'],
  examples: [
    {
      bad: `
import torch

def join():
    a = torch.zeros(2, 8, 4, 4).to(memory_format=torch.channels_last)
    b = torch.zeros(2, 8, 4, 4)
    return torch.cat([a, b], 1)  # information[mixed-layout]`,
      good: `
import torch

def join():
    a = torch.zeros(2, 8, 4, 4).to(memory_format=torch.channels_last)
    b = torch.zeros_like(a)
    return torch.cat([a, b], 1)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      if (!MIXES.has(lastName(event.op)) || isFault(event.result)) continue;
      const report = mixed(trace, file, event);
      if (report !== null) yield report;
    }
  },
});

function mixed(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const last = event.inputs.find((input) => isLast(trace, input));
  const first = event.inputs.find((input) => isFirst(trace, input));
  if (last === undefined || first === undefined || !isOfOneShape(trace, event, last, first)) return null;
  const asked = askedForLast(trace, last);
  const output = event.outputs[0]?.tensor;
  if (asked === null || output === undefined) return null;
  const source = asked.at === null ? null : quotable(file, trace, asked.at);
  const outcome = isLast(trace, output)
    ? 'the result is channels_last'
    : isFirst(trace, output)
      ? 'the result is not'
      : 'the result is one of them';
  const layout = resolve(first.layout, trace.facts);
  return {
    node: event.node,
    message: `${calleeText(event)} reads one operand channels_last and one of ${elementsPhrase(trace, layout, first.dtype)} in the order of its dims; ${outcome}: bring both into one format first`,
    related:
      asked.at === null
        ? []
        : [
            {
              node: asked.at,
              message: source === null ? 'channels_last from here' : `\`${source}\` makes it channels_last`,
            },
          ],
    assumes: first.assumes,
  };
}

/** A cat may join different sizes along one dim; what arithmetic broadcasts is walked anew anyway. */
function isOfOneShape(trace: FunctionTrace, event: OpEvent, a: Tensor, b: Tensor): boolean {
  if (JOINS.has(lastName(event.op))) return true;
  const [left, right] = [a, b].map(({ layout }) => resolve(layout, trace.facts).shape);
  return left !== undefined && right !== undefined && left.every((size, dim) => size.key === right[dim]?.key);
}

const JOINS: ReadonlySet<string> = new Set(['cat', 'concat', 'concatenate']);

const MIXES: ReadonlySet<string> = new Set([
  ...JOINS,
  ...[
    '+',
    '-',
    '*',
    '/',
    'add',
    'sub',
    'mul',
    'div',
    'add_',
    'mul_',
    'sub_',
    'div_',
    '+=',
    '-=',
    '*=',
    '/=',
    'where',
    'lerp',
  ],
]);
