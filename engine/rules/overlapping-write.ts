import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Write } from '../ops/outcome.ts';
import { decide } from '../symbols/index.ts';
import type { Expression } from '../syntax/ast.ts';
import { type Cause, isFault, resolve } from '../tensor/index.ts';
import { crossingDims, sharedDims, shifted, spread } from './cells.ts';
import { opEvents, sharesStorage } from './flow.ts';
import { layoutMaker } from './origin.ts';
import { failuresOf } from './raising.ts';
import { type CheckedFile, insert, type Report, type ReportFix, rule } from './rule.ts';
import { assignmentOf, is, isPrimary, siteOf } from './tree.ts';
import { exceptions } from './unless.ts';
import { calleeText, causeText, dimsText } from './wording.ts';

const NAME = 'overlapping-write';

export const overlappingWrite = rule({
  name: NAME,
  summary: 'A write whose source and destination overlap, or whose destination overlaps itself',
  severity: 'error',
  docs: `
An elementwise op that reads memory which it also writes gives results that depend on the order of the elements.
PyTorch raises where it sees that (\`m += m.t()\`, \`x[1:] = x[:-1]\` of one dim) and goes on where finding out would be
too hard: overlapping windows made by \`unfold\` or \`as_strided\`, a shift within the columns of a matrix, a column that is
subtracted from all columns (\`m -= m[:, :1]\`). There the numbers depend on which element comes first, without a word, and
the finding is a warning.

\`.clone()\` of the source, or the op without the underscore, cures both. Reading and writing the same elements in the same
order (\`x.mul_(x)\`) is fine.`,
  examples: [
    {
      bad: `
import torch

def symmetrise():
    m = torch.rand(3, 3)
    m += m.t()  # error[overlapping-write]
    return m`,
      good: `
import torch

def symmetrise():
    m = torch.rand(3, 3)
    m += m.t().clone()
    return m`,
      fixed: true,
    },
    {
      bad: `
import torch

def scale_windows():
    x = torch.arange(6.0)
    w = x.unfold(0, 3, 1)
    w.mul_(2)  # warning[overlapping-write]
    return x`,
      good: `
import torch

def scale_windows():
    x = torch.arange(6.0)
    w = x.unfold(0, 3, 1)
    return w.mul(2)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const { event, cause } of failuresOf(NAME, trace, file)) {
      const target = event.inputs[0];
      const { text } = exceptions(trace, event.guards, () => false);
      yield {
        node: siteOf(file, trace, event),
        message: `${calleeText(event)} will raise: ${causeText(trace, cause, null)}${text}; .clone() it first`,
        fixes: isIndex(cause) ? cloneIndex(event) : cloneSource(trace, file, event, { safe: true }),
        assumes: target?.assumes ?? [],
      };
    }
    for (const event of opEvents(trace)) {
      if (isFault(event.result)) continue;
      for (const write of event.writes) yield* unseen(trace, file, event, write);
    }
  },
});

/** Overlaps that the runtime check gives up on. */
function* unseen(trace: FunctionTrace, file: CheckedFile, event: OpEvent, write: Write): Generator<Report> {
  if (write.becomes !== null) return;
  const ask = decide(trace.facts);
  const region = resolve(write.region, trace.facts);
  if (sharedDims(region, ask).length > 0) return;
  const crossing = crossingDims(region, ask);
  if (crossing !== null) {
    const { text } = exceptions(trace, ask.guards, () => false);
    yield {
      node: siteOf(file, trace, event),
      severity: 'warning',
      message: `${calleeText(event)} writes elements that overlap along ${dimsText(crossing)}, each as often as it is shared${text}; PyTorch does not raise: write a clone instead`,
      related: layoutMaker(trace, file, write.target),
      assumes: write.target.assumes,
    };
    return;
  }
  for (const source of event.inputs.slice(1)) {
    if (!sharesStorage(source, write.target)) continue;
    const layout = resolve(source.layout, trace.facts);
    // A copy puts into a cell that it reads what is there already.
    const within = ARITHMETIC.test(event.op) && spread(region, layout, ask) === true;
    if (!within && shifted(region, layout, ask) !== true) continue;
    const { text } = exceptions(trace, ask.guards, () => false);
    yield {
      node: siteOf(file, trace, event),
      severity: 'warning',
      message: `${calleeText(event)} reads elements that it also overwrites${text}: the result depends on their order, and PyTorch does not raise; clone the source`,
      related: layoutMaker(trace, file, source),
      // What came out so far hung on the order of the elements: the values change, as is meant.
      fixes: cloneSource(trace, file, event, { safe: false }),
      assumes: source.assumes,
    };
    return;
  }
}

const ARITHMETIC =
  /^(\+|-|\*|\/|\/\/|%|\*\*)=$|^(add|sub|subtract|mul|multiply|div|divide|true_divide|floor_divide|fmod|remainder|pow)_$/;

const isIndex = (cause: Cause): boolean => cause.is === 'partial-overlap' && cause.input === 'the index';

/** `x[x.clone()] = value` */
function cloneIndex({ node }: OpEvent): readonly ReportFix[] {
  if (!is(node, 'Subscript') || !isPrimary(node.slice)) return [];
  return [{ title: 'Clone the index: .clone()', safe: true, edits: [insert(node.slice.end, '.clone()')] }];
}

/** `.clone()` behind the value of `x[1:] = value`, `x += value` and `x.add_(value)`, where the syntax allows it. */
function cloneSource(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  { safe }: Pick<ReportFix, 'safe'>,
): readonly ReportFix[] {
  const source = sourceExpression(trace, file, event);
  if (source === null || !isPrimary(source)) return [];
  return [{ title: 'Clone the source: .clone()', safe, edits: [insert(source.end, '.clone()')] }];
}

function sourceExpression(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Expression | null {
  if (is(event.node, 'Call')) return event.node.args[0] ?? null;
  return assignmentOf(file, trace, event.node)?.value ?? null;
}
