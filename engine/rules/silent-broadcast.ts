import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import { always } from '../symbols/index.ts';
import type { Expression, Node } from '../syntax/ast.ts';
import { resolve, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents, producerOf, resultOf } from './flow.ts';
import { type CheckedFile, insert, type Report, type ReportFix, rule } from './rule.ts';
import { written } from './sizes.ts';
import { enclosing, is, isPrimary } from './tree.ts';

const NAME = 'silent-broadcast';

/** Losses that broadcast their two tensors, as functions and as modules. */
const LOSSES = /^(mse_loss|l1_loss|smooth_l1_loss|huber_loss|MSELoss|L1Loss|SmoothL1Loss|HuberLoss)$/;

export const silentBroadcast = rule({
  name: NAME,
  summary: 'A prediction of shape (N, 1) against a target of shape (N,): the loss is taken of N * N pairs',
  severity: 'warning',
  docs: `
\`(N, 1)\` and \`(N,)\` broadcast to \`(N, N)\`: every prediction is compared with every target, the loss has a value, the model learns
the mean. \`F.mse_loss\` and its like only warn, and \`((pred - target) ** 2).mean()\` says nothing.

Reported for the two tensors of a loss, for a difference that is squared or made absolute and then averaged as a whole, and for
a difference or a comparison within \`+=\` and \`-=\`: \`correct += (pred == target).sum()\` counts pairs.

Not reported: any other broadcasting of the two shapes: pairwise differences, masks, statistics with \`keepdim\`.

\`.squeeze(-1)\` takes the last dim away; \`target.unsqueeze(-1)\` gives the target one.`,
  examples: [
    {
      bad: `
import torch
import torch.nn.functional as F

def loss():
    pred = torch.zeros(8, 1)
    target = torch.ones(8)
    return F.mse_loss(pred, target)  # warning[silent-broadcast]`,
      good: `
import torch
import torch.nn.functional as F

def loss():
    pred = torch.zeros(8, 1)
    target = torch.ones(8)
    return F.mse_loss(pred.squeeze(-1), target)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    const told = new Set<Node>();
    for (const event of opEvents(trace)) {
      const report = LOSSES.test(lastName(event.op)) ? ofLoss(trace, event) : ofMean(trace, event);
      if (report === null) continue;
      told.add(report.node);
      yield report;
    }
    for (const event of opEvents(trace)) {
      const report = told.has(event.node) ? null : ofUpdate(trace, file, event);
      if (report !== null) yield report;
    }
  },
});

function ofLoss(trace: FunctionTrace, event: OpEvent): Report | null {
  const [first, second] = event.inputs;
  const column = columnIn(trace, first, second);
  if (column === null || !is(event.node, 'Call')) return null;
  const [left, right] = event.node.args;
  return reportOf(event, column, column.at === 0 ? left : right);
}

/** `((pred - target) ** 2).mean()`, `(pred - target).abs().sum()`, over all pairs. */
function ofMean(trace: FunctionTrace, event: OpEvent): Report | null {
  if (!/^(mean|sum)$/.test(lastName(event.op)) || event.arguments.length !== 1) return null;
  const measured = madeBy(trace, event.inputs[0], /^(pow|square|abs|\*\*)$/);
  const difference = measured === null ? null : madeBy(trace, measured.inputs[0], /^(sub|-)$/);
  if (difference === null || !is(difference.node, 'BinOp')) return null;
  const column = columnIn(trace, difference.inputs[0], difference.inputs[1]);
  if (column === null) return null;
  return reportOf(difference, column, column.at === 0 ? difference.node.left : difference.node.right);
}

/** `correct += (pred == target).sum()`, `w -= rate * ((pred - y) * x).mean()`: what is added up is of all pairs. */
function ofUpdate(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const { node } = event;
  if (!/^(sub|eq|-|==)$/.test(lastName(event.op)) || (!is(node, 'BinOp') && !is(node, 'Compare'))) return null;
  const update = [...enclosing(file, trace, node)].find((at) => at.kind === 'AugAssign');
  if (update === undefined || (update.op !== '+' && update.op !== '-')) return null;
  const column = columnIn(trace, event.inputs[0], event.inputs[1]);
  const [left, right] = is(node, 'BinOp') ? [node.left, node.right] : [node.left, node.comparators[0]];
  const side = column?.at === 0 ? left : right;
  // Whoever makes the column in the same breath wants the pairs, and so does a sum that keeps them.
  if (column === null || side?.kind !== 'Name' || isColumnOnPurpose(trace, event.inputs[column.at])) return null;
  const target = resultOf(trace, update.target);
  return target !== null && target.layout.shape.length > 1 ? null : reportOf(event, column, side);
}

function isColumnOnPurpose(trace: FunctionTrace, column: Tensor | undefined): boolean {
  return madeBy(trace, column, /^(unsqueeze|getitem|expand|meshgrid)$/) !== null;
}

function madeBy(trace: FunctionTrace, tensor: Tensor | undefined, ops: RegExp): OpEvent | null {
  const event = tensor === undefined ? null : producerOf(trace, tensor);
  return event !== null && ops.test(lastName(event.op)) ? event : null;
}

interface Column {
  /** Which of the two has the last dim of size 1. */
  readonly at: 0 | 1;
  readonly rows: string;
}

function columnIn(trace: FunctionTrace, left: Tensor | undefined, right: Tensor | undefined): Column | null {
  if (left === undefined || right === undefined) return null;
  const rows = rowsAlike(trace, left, right);
  if (rows !== null) return { at: 0, rows };
  const swapped = rowsAlike(trace, right, left);
  return swapped === null ? null : { at: 1, rows: swapped };
}

/** N, where the one is (N, 1) and the other (N,), and N is not known to be 1. */
function rowsAlike(trace: FunctionTrace, column: Tensor, row: Tensor): string | null {
  const [one, other] = [resolve(column.layout, trace.facts), resolve(row.layout, trace.facts)];
  const [n, last, ...more] = one.shape;
  const [m, ...others] = other.shape;
  if (one.front || other.front || n === undefined || last?.constant !== 1 || m === undefined) return null;
  if (more.length > 0 || others.length > 0 || n.constant === 1) return null;
  return always('equal', n, m, trace.facts) === true ? written(trace, n) : null;
}

function reportOf({ node }: OpEvent, { rows }: Column, column: Expression | undefined): Report {
  const title = 'Take the last dim away: .squeeze(-1)';
  const fixes: readonly ReportFix[] =
    column !== undefined && isPrimary(column)
      ? [{ title, safe: false, edits: [insert(column.end, '.squeeze(-1)')] }]
      : [];
  return {
    node,
    message: `[${rows}, 1] against [${rows}] broadcasts to [${rows}, ${rows}]: every prediction is compared with every target; take the last dim away with .squeeze(-1)`,
    fixes,
  };
}
