import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { refusedWrite } from '../ops/autograd.ts';
import { isFault, type Tensor } from '../tensor/index.ts';
import { eventsBefore, opEvents, sharesStorage } from './flow.ts';
import { failuresOf } from './raising.ts';
import { rule } from './rule.ts';
import { siteOf } from './tree.ts';
import { calleeText, causeText } from './wording.ts';

const NAME = 'inplace-on-saved';

export const inplaceOnSaved = rule({
  name: NAME,
  summary: 'An in-place op that autograd rejects',
  severity: 'error',
  docs: `
With grad mode on, autograd must be able to tell what a tensor was before it was written. It refuses

- a leaf that requires grad: a parameter, a tensor made with \`requires_grad=True\`;
- a view of such a leaf, also as \`w[0] = 1\`;
- a view that \`unbind\`, \`split\`, \`chunk\` or iterating over a tensor made together with others;
- a view that was made under \`no_grad\`, written with grad mode on.

The op without the underscore makes a new tensor. Values of parameters are set under \`torch.no_grad()\`, as
\`torch.nn.init\` does. Where a function may be called under \`no_grad\`, the finding is a warning.`,
  examples: [
    {
      bad: `
import torch

w = torch.zeros(3, requires_grad=True)
w.add_(1)  # error[inplace-on-saved]`,
      good: `
import torch

w = torch.zeros(3, requires_grad=True)
with torch.no_grad():
    w.add_(1)`,
      fixed: false,
    },
    {
      bad: `
import torch
from torch import nn

def weights():
    w = nn.Parameter(torch.empty(3))
    w.uniform_(-1, 1)  # warning[inplace-on-saved]
    return w`,
      good: `
import torch
from torch import nn

def weights():
    w = nn.Parameter(torch.empty(3))
    nn.init.uniform_(w, -1, 1)
    return w`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file))
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, null)}`,
      };
    for (const event of opEvents(trace)) {
      if (isFault(event.result) || event.noGrad || event.writes.length === 0) continue;
      const cause = refusedWrite(
        event.writes.filter(({ target }) => isMadeHere(trace, event, target)),
        event.inputs,
      );
      if (cause === null) continue;
      yield {
        node: siteOf(file, trace, event),
        severity: 'warning',
        message: `${calleeText(event)} will raise unless grad mode is off: ${causeText(trace, cause, null)}`,
      };
    }
  },
});

/** Whoever makes a leaf means it to have gradients; of one that comes from elsewhere, grad mode may well be off by plan. */
const isMadeHere = (trace: FunctionTrace, event: OpEvent, target: Tensor): boolean =>
  eventsBefore(trace, event).some(
    (before) => before.event === 'op' && before.outputs.some(({ tensor }) => sharesStorage(tensor, target)),
  );
