import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Expression } from '../syntax/ast.ts';
import { resolve } from '../tensor/index.ts';
import { resultOf } from './flow.ts';
import { type CheckedFile, insert, quoted, type Report, replace, rule } from './rule.ts';
import { appendedBy, graphNames, type Loop, liveLosses, loopsAround, valuesBound } from './training.ts';
import { branches, calleeName, callsIn, dottedName, rootOf } from './tree.ts';

const NAME = 'scalar-tensor-accumulation';

/** Loops of fewer turns collect little. */
const MANY = 1000;

export const scalarTensorAccumulation = rule({
  name: NAME,
  summary: 'Tensors of one number each are collected by the thousand',
  severity: 'information',
  docs: `
A tensor of one number has a storage of its own: 512 bytes of a CUDA block, or about 450 bytes of host memory, for 4 bytes
of data. \`losses.append(loss.detach())\` in a training loop collects one a step.

Reported where a loop appends a detached loss, or another tensor without dims, to a list that it did not begin.

Not reported: loops of fewer than ${MANY} turns, as over a parameter such as \`topk=(1, 5)\`, lists that are stacked in the same function, terms that the loop adds to one
loss, losses with their graph, which \`retained-graph\` tells.

\`.item()\` gives a Python number. It waits for the device: where that matters, collect on the device and read the numbers
outside the loop (\`torch.stack(losses).tolist()\`).`,
  guides: ['storages'],
  examples: [
    {
      bad: `
def fit(model, optimizer, loader):
    losses = []
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())  # information[scalar-tensor-accumulation]
    return losses`,
      good: `
def fit(model, optimizer, loader):
    losses = []
    for x, y in loader:
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const call of callsIn(file, trace)) {
      const report = collects(trace, file, call);
      if (report !== null) yield report;
    }
  },
});

function collects(trace: FunctionTrace, file: CheckedFile, call: Call): Report | null {
  const appended = appendedBy(call);
  if (appended === null) return null;
  const { kept } = appended;
  const [loop, ...outer] = loopsAround(file, trace, call);
  const holder = dottedName(appended.holder);
  if (loop === undefined || holder === null || isShort(trace, [loop, ...outer]) || isBegun(loop, holder)) return null;
  if (!isDetachedLoss(loop, kept) && !isScalar(trace, loop, kept)) return null;
  if (isStacked(trace, file, holder) || isSummed(loop, kept)) return null;
  const source = quoted(file, trace, kept, 'a tensor of one number');
  return {
    node: call,
    message: `\`${holder}\` collects ${source}, a tensor of one number each turn: 512 bytes of a CUDA block for 4 bytes; collect .item()`,
    fixes: [{ title: 'Collect Python numbers: .item()', safe: false, edits: [asNumber(kept)] }],
  };
}

function asNumber(kept: Expression) {
  if (kept.kind === 'Call' && kept.func.kind === 'Attribute' && kept.func.attr === 'detach')
    return replace(kept.func.attrStart, kept.func.attrStart + 'detach'.length, 'item');
  return insert(kept.end, '.item()');
}

/** `loss.detach()` of a loss that the loop backpropagates: only a tensor of one number can be. */
function isDetachedLoss(loop: Loop, kept: Expression): boolean {
  const of =
    kept.kind === 'Call' && calleeName(kept) === 'detach' && kept.func.kind === 'Attribute' ? kept.func.value : null;
  return of?.kind === 'Name' && liveLosses(loop).has(of.id);
}

function isScalar(trace: FunctionTrace, loop: Loop, kept: Expression): boolean {
  if (kept.kind !== 'Name' && kept.kind !== 'Call') return false;
  const tensor = resultOf(trace, kept);
  if (
    tensor === null ||
    tensor.storage.origin.is !== 'fresh' ||
    graphNames(kept).some((name) => liveLosses(loop).has(name))
  )
    return false;
  const layout = resolve(tensor.layout, trace.facts);
  return layout.shape.length === 0 && !layout.front;
}

/** Whether the turns of the innermost loops are known to be few. */
function isShort(trace: FunctionTrace, loops: readonly Loop[]): boolean {
  let turns = 1;
  for (const loop of loops) {
    const known = loop.kind === 'For' ? turnsOf(defaultOf(trace, loop.iter)) : null;
    if (known === null) return false;
    turns *= known;
  }
  return turns < MANY;
}

/** What a parameter is where nothing is passed: `topk=(1, 5)` is long in no call. */
function defaultOf({ definition }: FunctionTrace, node: Expression): Expression {
  const parameters = definition ? [...definition.args.positional, ...definition.args.keywordOnly] : [];
  return (node.kind === 'Name' && parameters.find(({ name }) => name === node.id)?.default) || node;
}

function turnsOf(iter: Expression): number | null {
  if (iter.kind === 'List' || iter.kind === 'Tuple') return iter.elts.length;
  if (iter.kind !== 'Call' || calleeName(iter) !== 'range') return null;
  const bounds = iter.args.map((each) =>
    each.kind === 'Constant' && typeof each.value === 'number' ? each.value : null,
  );
  const [first, second] = bounds;
  if (bounds.includes(null) || first === undefined || first === null) return null;
  return second === undefined || second === null ? first : second - first;
}

const isBegun = (loop: Loop, holder: string): boolean =>
  valuesBound(loop, /^\w+/.exec(holder)?.[0] ?? holder).length > 0;

const isStacked = (trace: FunctionTrace, file: CheckedFile, holder: string): boolean =>
  [...branches(rootOf(file, trace))].some(
    (each) =>
      each.kind === 'Call' &&
      /^(stack|cat|concat|sum|tensor|mean|hstack|vstack)$/.test(calleeName(each) ?? '') &&
      each.args.some((argument) => dottedName(argument) === holder),
  );

/** A term that is added up with its graph is one of the few of a loss. */
const isSummed = (loop: Loop, kept: Expression): boolean =>
  kept.kind === 'Name' &&
  loop.body
    .flatMap((statement) => branches(statement))
    .some(
      (each) => each.kind === 'AugAssign' && each.op === '+' && each.value.kind === 'Name' && each.value.id === kept.id,
    );
