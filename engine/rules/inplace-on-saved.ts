import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { refusedWrite } from '../ops/autograd.ts';
import { type Cause, isFault, type Tensor } from '../tensor/index.ts';
import { mayReach } from './control.ts';
import { eventsBefore, lastName, opEvents, sharesStorage } from './flow.ts';
import { failuresOf } from './raising.ts';
import { type CheckedFile, type Report, type ReportFix, replace, rule, sourceOf } from './rule.ts';
import { brokenBy, flowOn, type Saved, savedBy } from './saved-tensors.ts';
import { calleeName, callsIn, is, isPrimary, siteOf } from './tree.ts';
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

It also counts the writes to what an op has saved for its backward, and \`backward()\` raises where there was one: the outputs of
\`sigmoid\`, \`exp\`, \`tanh\`, \`softmax\`, \`relu\`, \`sqrt\`, the inputs of \`gelu\`, \`log\`, \`LayerNorm\`, both factors of a product.
That is a warning, in a module's \`forward\` and wherever the gradient is known to flow, save where a comment says "only for inference". Outputs of sums, dropouts and of \`gelu\`
may be written.

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
    {
      bad: `
import torch

x = torch.zeros(3, requires_grad=True)
y = x.sigmoid()
y *= 2  # warning[inplace-on-saved]`,
      good: `
import torch

x = torch.zeros(3, requires_grad=True)
y = x.sigmoid()
y = y * 2`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    yield* writesToSaved(trace, file);
    for (const { event, cause } of failuresOf(NAME, trace, file))
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, null)}; ${adviceFor(cause)}`,
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
        message: `${calleeText(event)} will raise unless grad mode is off: ${causeText(trace, cause, null)}; ${adviceFor(cause)}`,
      };
    }
  },
});

/** Whoever makes a leaf means it to have gradients; of one that comes from elsewhere, grad mode may well be off by plan. */
const isMadeHere = (trace: FunctionTrace, event: OpEvent, target: Tensor): boolean =>
  eventsBefore(trace, event).some(
    (before) => before.event === 'op' && before.outputs.some(({ tensor }) => sharesStorage(tensor, target)),
  );

/** In-place ops on what an earlier op saved, before anything is backpropagated. */
function* writesToSaved(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  if (trace.happens === 'guarded' || isForInference(trace, file)) return;
  const flowing = new Set<number>();
  const saved: Saved[] = [];
  for (const event of opEvents(trace)) {
    if (lastName(event.op) === 'backward') saved.length = 0;
    const broken = brokenBy(trace, event, saved);
    if (
      broken !== null &&
      !isOfLeaf(event) &&
      !isAlternative(broken, event) &&
      !isPutBack(trace, event) &&
      mayReach(file, trace, broken.by.node, event.node) &&
      !isBackpropagatedBetween(trace, file, broken.by, event)
    ) {
      yield {
        node: siteOf(file, trace, event),
        severity: 'warning',
        message: `${calleeText(event)} writes ${broken.as === 'output' ? 'the output of' : 'what went into'} ${calleeText(broken.by)}, which autograd has saved: backward will raise${DROPOUT.test(lastName(event.op)) ? ' where p is above 0' : ''}; write the result elsewhere, out of place`,
        related: [{ node: broken.by.node, message: 'it is saved here' }],
        fixes: outOfPlace(file, trace, event),
      };
    }
    flowOn(event, flowing);
    saved.push(...savedBy(event, flowing));
  }
}

/**
 * One call of what may be either layer gives both the same input, and only one of them runs; in a loop over them, or within a
 * Sequential, one may write what came out of another.
 */
const isAlternative = ({ as, by }: Saved, event: OpEvent): boolean =>
  by.node === event.node && (as === 'input' || (event.loops === 0 && event.inner === undefined));

/** `x[mask] += y` of what is not known: it may as well be a copy, which nobody has saved, that is put back. */
const isPutBack = (trace: FunctionTrace, { node }: OpEvent): boolean =>
  is(node, 'AugAssign') &&
  node.target.kind === 'Subscript' &&
  !opEvents(trace).some((each) => each.node === node.target);

/** A leaf that needs a gradient is refused before anybody asks what was saved. */
const isOfLeaf = ({ inputs: [input] }: OpEvent): boolean =>
  input?.requiresGrad === true && input.graph?.leaf === true && input.graph.view === 'none';

const DROPOUT = /dropout/i;

/** Whether the author says so in a comment: there nothing is backpropagated. */
function isForInference({ definition, base }: FunctionTrace, { module }: CheckedFile): boolean {
  const last = definition?.body.at(-1);
  return (
    last !== undefined &&
    module.comments.some(
      ({ start, text }) => base <= start && start < base + last.end && /\bonly\b.*\binference\b/i.test(text),
    )
  );
}

const isBackpropagatedBetween = (trace: FunctionTrace, file: CheckedFile, from: OpEvent, to: OpEvent): boolean =>
  callsIn(file, trace).some(
    (call) => calleeName(call) === 'backward' && call.start >= from.node.start && call.end <= to.node.start,
  );

function outOfPlace(file: CheckedFile, trace: FunctionTrace, { node }: OpEvent): readonly ReportFix[] {
  if (!is(node, 'AugAssign') || node.target.kind !== 'Name') return [];
  const { target, op, value } = node;
  const operand = sourceOf(file, trace, value);
  const right = isPrimary(value) || value.kind === 'Constant' ? operand : `(${operand})`;
  return [
    {
      title: `Make a new tensor: ${target.id} = ${target.id} ${op} …`,
      safe: false,
      edits: [replace(node.start, node.end, `${target.id} = ${target.id} ${op} ${right}`)],
    },
  ];
}

function adviceFor(cause: Cause): string {
  const leaf = cause.is === 'grad-write' && (cause.of === 'leaf' || cause.of === 'of-leaf');
  return leaf ? 'write it under torch.no_grad()' : 'make a new tensor, out of place';
}
