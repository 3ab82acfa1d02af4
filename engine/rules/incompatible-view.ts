import { decide, type Facts, product } from '../symbols/index.ts';
import { type Cause, isFault, layoutOf, resolve, view } from '../tensor/index.ts';
import { layoutMaker } from './origin.ts';
import { type Failure, failuresOf } from './raising.ts';
import { insert, type ReportFix, replace, rule } from './rule.ts';
import { is, isPrimary } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText, causeText } from './wording.ts';

const NAME = 'incompatible-view';

export const incompatibleView = rule({
  name: NAME,
  summary: 'A view that the strides do not allow, so that it will raise',
  severity: 'error',
  docs: `
\`view\` never copies. It can merge two neighbouring dims only where stepping past the end of the inner one lands on the
next element of the outer one, that is where \`stride[i] == size[i + 1] * stride[i + 1]\`. After a transpose or a slice of
an inner dim that is no longer so, and PyTorch raises *view size is not compatible with input tensor's size and stride*.

A tensor that is not contiguous can still be viewed wherever the dims that merge do lie one behind the other, and
splitting a dim always works; such views are not reported. A dim of size 1 merges with anything, which is why code that
was tried with one head, one step or a batch of one fails later. The message names those sizes.

The rule also covers \`view(dtype)\` and \`view_as_complex\` on a last dim of the wrong stride, and \`as_strided\` beyond the
end of the storage.

\`.contiguous().view(…)\` makes the copy explicit. \`.reshape(…)\` copies too, without saying so. Where the input happens
to be contiguous neither copies.`,
  guides: ['card-and-ledger'],
  examples: [
    {
      bad: `
import torch

def merge_heads(B, H, T, D):
    y = torch.zeros(B, H, T, D)
    return y.transpose(1, 2).view(B, T, H * D)  # error[incompatible-view]`,
      good: `
import torch

def merge_heads(B, H, T, D):
    y = torch.zeros(B, H, T, D)
    return y.transpose(1, 2).contiguous().view(B, T, H * D)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const failure of failuresOf(NAME, trace, file)) {
      const { event, cause } = failure;
      const input = event.inputs[0];
      const layout = input === undefined ? null : resolve(input.layout, trace.facts);
      const { text, named } = exceptions(trace, event.guards, (facts) => stillFails(failure, facts));
      // Sizes that have more to do with each other than is known here may merge after all.
      if (!named) continue;
      yield {
        node: event.node,
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, layout)}${text}${adviceFor(cause)}`,
        related: input === undefined ? [] : layoutMaker(trace, file, input),
        fixes: fixesFor(failure),
        assumes: input?.assumes ?? [],
      };
    }
  },
});

/** The two dims that did not merge, alone: where they merge, or one of them has size 1, the view may be legal. */
function stillFails({ event, cause }: Failure, facts: Facts): boolean {
  const input = event.inputs[0];
  if (cause.is !== 'dims-do-not-merge' || input === undefined) return false;
  const { shape, stride } = resolve(input.layout, facts);
  const sizes = shape.slice(cause.dim, cause.dim + 2);
  const steps = stride?.slice(cause.dim, cause.dim + 2) ?? [];
  if (sizes.length !== 2 || steps.length !== 2) return false;
  const merged = view(layoutOf(sizes, steps), [product(sizes)], decide(facts));
  return isFault(merged) && merged.fault === 'raises';
}

function fixesFor({ event, cause }: Failure): readonly ReportFix[] {
  const call = event.node;
  if (!is(call, 'Call')) return [];
  const argument = call.args[0];
  if (event.op === 'view_as_complex' && argument !== undefined && isPrimary(argument)) {
    return [{ title: 'Copy first: .contiguous()', safe: true, edits: [insert(argument.end, '.contiguous()')] }];
  }
  if (call.func.kind !== 'Attribute' || (call.func.attr !== 'view' && call.func.attr !== 'view_as')) return [];
  const { attr, attrStart } = call.func;
  const packed = {
    title: `Copy first: .contiguous().${attr}(…)`,
    safe: true,
    edits: [insert(attrStart, 'contiguous().')],
  };
  if (cause.is !== 'dims-do-not-merge') return [packed];
  const twin = attr === 'view' ? 'reshape' : 'reshape_as';
  // It copies only where it must, so that a later write may or may not reach the original.
  const reshaped = {
    title: `Use .${twin}(…), which copies here`,
    safe: false,
    edits: [replace(attrStart, attrStart + attr.length, twin)],
  };
  return [packed, reshaped];
}

function adviceFor(cause: Cause): string {
  switch (cause.is) {
    case 'dims-do-not-merge':
      return '; use .reshape(…), which copies here';
    case 'last-stride':
      return '; call .contiguous() first';
    default:
      return '';
  }
}
