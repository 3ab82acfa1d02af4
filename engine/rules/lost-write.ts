import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Expression } from '../syntax/ast.ts';
import { isFault, resolve, type Tensor } from '../tensor/index.ts';
import { lastName, opEvents, producerOf, resultAt, resultOf, viewChain } from './flow.ts';
import { type CheckedFile, type Report, rule } from './rule.ts';
import { branches, calleeName, enclosing, is, namesIn, rootOf, siteOf, within } from './tree.ts';
import { calleeText } from './wording.ts';

const NAME = 'lost-write';

/** Ops that give a copy where one may have expected the tensor itself. */
const COPIES: ReadonlySet<string> = new Set([
  'getitem',
  'reshape',
  'reshape_as',
  'flatten',
  'ravel',
  'contiguous',
  'to',
  'index_select',
  'masked_select',
]);

export const lostWrite = rule({
  name: NAME,
  summary: 'A write that goes to a copy which is dropped, or to a name instead of a tensor',
  severity: 'warning',
  docs: `
\`x[idx][0] = 1\` with a tensor \`idx\` writes into the copy that advanced indexing made, and the copy is gone; so is what
\`x.reshape(-1).clamp_(min=0)\` writes where the reshape had to copy, and what \`x.contiguous().add_(1)\` writes where \`x\` was not
contiguous. The original keeps its values, and nothing is raised.

\`for p, e in zip(model.parameters(), ema.parameters()): p = e\` binds a name: no parameter changes. \`p.data.copy_(e)\` writes.

Write through the tensor itself (\`x[idx, 0] = 1\`), or use \`view\`, which raises where it would have to copy.`,
  examples: [
    {
      bad: `
import torch

def mark():
    x = torch.zeros(4, 3)
    x[torch.tensor([0, 2])][:, 0] = 1  # warning[lost-write]
    return x`,
      good: `
import torch

def mark():
    x = torch.zeros(4, 3)
    x[torch.tensor([0, 2]), 0] = 1
    return x`,
      fixed: false,
    },
    {
      bad: `
import torch

def load(model, ema):
    for p, e in zip(model.parameters(), ema.parameters()):
        p = e  # warning[lost-write]`,
      good: `
import torch

def load(model, ema):
    for p, e in zip(model.parameters(), ema.parameters()):
        p.data.copy_(e)`,
      fixed: false,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const report = droppedCopy(trace, file, event);
      if (report !== null) yield report;
    }
    if (trace.context !== null) return;
    yield* writesByPlaces(trace, file);
    yield* reboundNames(trace, file);
  },
});

/** A write into an unnamed copy whose result nobody takes. */
function droppedCopy(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const write = event.writes.find((each) => each.becomes === null);
  if (write === undefined || event.self === null || !isDropped(trace, file, event)) return null;
  const copy = viewChain(trace, write.target).at(-1)?.of ?? write.target;
  const producer = producerOf(trace, copy);
  if (producer === null || !COPIES.has(lastName(producer.op)) || !isCopy(producer, copy)) return null;
  // `x[mask] += y` puts the copy back where it was taken from.
  if (is(event.node, 'AugAssign') && event.node.target === producer.node) return null;
  // A copy that was given a name before is kept by it.
  if (!within(file, trace, producer.node, event.self)) return null;
  return {
    node: siteOf(file, trace, event),
    message: `${calleeText(event)} writes to a copy that ${calleeText(producer)} made and that is dropped; the original keeps its values: write to it with one index, or keep the copy`,
    related: [{ node: producer.node, message: 'the copy is made here' }],
    assumes: producer.inputs[0]?.assumes ?? [],
  };
}

/**
 * `x[idx].zero_()` where only the index is known to be a tensor of places or a mask: whatever `x` is, that index copies. Of
 * no dims it may be a single place, of which a view is taken.
 */
function* writesByPlaces(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  for (const statement of branches(rootOf(file, trace))) {
    const call = statement.kind === 'Expr' && statement.value.kind === 'Call' ? statement.value : null;
    if (call?.func.kind !== 'Attribute' || !IN_PLACE.test(call.func.attr)) continue;
    const copy = call.func.value;
    if (copy.kind !== 'Subscript' || resultOf(trace, copy) !== null) continue;
    const index = resultOf(trace, copy.slice);
    if (index === null || resolve(index.layout, trace.facts).front || index.layout.shape.length === 0) continue;
    yield {
      node: call,
      message: `${call.func.attr} writes to a copy that the index made and that is dropped; the original keeps its values: write to it with one index, or keep the copy`,
      related: [{ node: copy, message: 'the copy is made here' }],
    };
  }
}

/** Methods that write a tensor, and are of nothing else. */
const IN_PLACE = /^(zero|fill|add|sub|mul|div|clamp|copy|normal|uniform|masked_fill|neg|abs|exp|sqrt)_$/;

function isCopy(producer: OpEvent, copy: Tensor): boolean {
  const output = producer.outputs.find(({ tensor }) => tensor.id === copy.id);
  if (output === undefined || isFault(producer.result)) return false;
  return resultAt(producer.result, output.path)?.is === 'fresh';
}

function isDropped(trace: FunctionTrace, file: CheckedFile, event: OpEvent): boolean {
  if (event.op === 'setitem' || is(event.node, 'AugAssign')) return true;
  const [parent] = enclosing(file, trace, event.node);
  return parent?.kind === 'Expr';
}

/** `for p, e in zip(a.parameters(), b.parameters()): p = e` as the loop's whole way to do something with `p`. */
function* reboundNames(trace: FunctionTrace, file: CheckedFile): Generator<Report> {
  for (const loop of branches(rootOf(file, trace))) {
    if (loop.kind !== 'For' || !iteratesParameters(loop.iter)) continue;
    // At the end of the body nothing can read the new value: the next turn binds the name again.
    const last = loop.body.at(-1);
    const bound = last?.kind === 'Assign' ? last.targets[0] : undefined;
    if (last === undefined || bound?.kind !== 'Name' || !namesIn(loop.target).has(bound.id)) continue;
    yield {
      node: last,
      message: `\`${bound.id} = …\` binds the name anew; the parameter keeps its values: write with .copy_(…) under torch.no_grad()`,
    };
  }
}

function iteratesParameters(iter: Expression): boolean {
  const around = [...branches(iter)];
  return around.some((each) => each.kind === 'Call' && /^(named_)?(parameters|buffers)$/.test(calleeName(each) ?? ''));
}
