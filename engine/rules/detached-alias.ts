import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Assign, Expression, Node } from '../syntax/ast.ts';
import { mayReach } from './control.ts';
import { resultOf } from './flow.ts';
import { keptParameters } from './parameter-snapshots.ts';
import { type CheckedFile, insert, type Report, rule } from './rule.ts';
import { type Branch, branches, dottedName, isPrimary, rootOf } from './tree.ts';

const NAME = 'detached-alias';

export const detachedAlias = rule({
  name: NAME,
  summary: 'A detached alias is kept as a snapshot, or written although the original is read on',
  severity: 'warning',
  docs: `
\`.detach()\`, \`.data\` and \`.numpy()\` leave the graph, not the memory: what they return shares the storage. A snapshot that is
taken so follows the original: \`shadow = [p.data for p in model.parameters()]\` always equals the parameters,
\`before = layer.weight.detach()\` is what the optimizer made of it. And a write to the alias changes the original.

Reported where the alias of a parameter is kept under a name that says snapshot (\`shadow\`, \`backup\`, \`old_…\`, \`before\`), where the
original is written, or an optimizer steps, before the alias is read again, and where a detached alias is written before the original is
read again.

Not reported: initialisation and updates through \`.data\`, aliases that are only read while nothing is written, and a swap
that puts another tensor into \`p.data\`.

\`.detach().clone()\` is a snapshot.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
def register(model):
    shadow = {}
    for name, p in model.named_parameters():
        shadow[name] = p.data  # warning[detached-alias]
    return shadow`,
      good: `
def register(model):
    shadow = {}
    for name, p in model.named_parameters():
        shadow[name] = p.data.clone()
    return shadow`,
      fixed: true,
    },
    {
      bad: `
import torch

def moved(steps: int):
    position = torch.zeros(3)
    before = position.detach()  # warning[detached-alias]
    position += steps
    return position - before`,
      good: `
import torch

def moved(steps: int):
    position = torch.zeros(3)
    before = position.detach().clone()
    position += steps
    return position - before`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const node of branches(rootOf(file, trace))) {
      const report = node.kind === 'Assign' ? changedAlias(trace, file, node) : null;
      if (report !== null) yield report;
    }
    yield* keptParameters(trace, file);
  },
});

/** `y = x.detach()` of which the one is written before the other is read. */
function changedAlias(trace: FunctionTrace, file: CheckedFile, node: Assign): Report | null {
  const [target, ...others] = node.targets;
  const original = originalOf(node.value);
  if (target?.kind !== 'Name' || others.length > 0 || original === null || startsWith(original, target.id)) return null;
  if (isApart(trace, node.value)) return null;
  const all = [...branches(rootOf(file, trace))].filter((each) => each.start >= node.end);
  const name = target.id;
  const change = all.find((each) => writes(each, original) || stepsOver(each, original)) ?? null;
  const read = change === null ? null : readAfter(trace, file, all, change, name);
  if (change !== null && read !== null && !isRebound(all, name, read) && !isRebound(all, original, change)) {
    return said(
      node,
      `\`${name}\` is no snapshot: ${changing(change, original)} changes it too; ${cloneOf(node.value)} makes one`,
    );
  }
  // `.data` is the way to say that the original is meant.
  if (node.value.kind === 'Attribute' || isArgument(trace, original)) return null;
  const written = all.find((each) => writes(each, name)) ?? null;
  const after = written === null ? null : readAfter(trace, file, all, written, original);
  if (written === null || after === null || isRebound(all, original, after) || isRebound(all, name, written))
    return null;
  return said(
    node,
    `\`${name}\` shares the memory of \`${original}\`: the write to it changes \`${original}\` too; write to a ${cloneOf(node.value)}`,
  );
}

function said(node: Assign, message: string): Report {
  const title = 'Take a copy: .clone()';
  return {
    node: node.value,
    message,
    fixes: isPrimary(node.value) ? [{ title, safe: false, edits: [insert(node.value.end, cloneOf(node.value))] }] : [],
  };
}

const cloneOf = (value: Expression): string =>
  value.kind === 'Call' && value.func.kind === 'Attribute' && value.func.attr === 'numpy' ? '.copy()' : '.clone()';

/** `x` of `x.detach()`, `x.data`, `x.numpy()`, `x.detach().numpy()`. */
export function originalOf(value: Expression): string | null {
  if (value.kind === 'Attribute') return value.attr === 'data' ? dottedName(value.value) : null;
  if (value.kind !== 'Call' || value.func.kind !== 'Attribute' || value.args.length > 0) return null;
  const { attr, value: of } = value.func;
  if (attr !== 'detach' && attr !== 'numpy') return null;
  return dottedName(of) ?? originalOf(of);
}

/** What cannot share: the trace knows another storage. */
function isApart(trace: FunctionTrace, value: Expression): boolean {
  const inner = value.kind === 'Call' && value.func.kind === 'Attribute' ? value.func.value : null;
  const [of, result] = [inner === null ? null : resultOf(trace, inner), resultOf(trace, value)];
  return of !== null && result !== null && of.storage.id !== result.storage.id;
}

/** `x += 1`, `x[0] = 1`, `x.add_(1)`. */
function writes(node: Branch, name: string): boolean {
  if (node.kind === 'AugAssign') return nameWritten(node.target) === name;
  if (node.kind === 'Assign')
    return node.targets.some((target) => target.kind === 'Subscript' && nameWritten(target) === name);
  if (node.kind !== 'Call' || node.func.kind !== 'Attribute') return false;
  return /[a-z]_$/.test(node.func.attr) && !UNWRITING.has(node.func.attr) && nameWritten(node.func.value) === name;
}

const UNWRITING: ReadonlySet<string> = new Set(['requires_grad_', 'detach_', 'share_memory_']);

function nameWritten(target: Expression): string | null {
  return target.kind === 'Subscript' ? nameWritten(target.value) : dottedName(target);
}

/** `optimizer.step()` where the original is a parameter of a layer. */
function stepsOver(node: Branch, original: string): boolean {
  if (!/\.(weight|bias)$/.test(original) || node.kind !== 'Call' || node.func.kind !== 'Attribute') return false;
  const receiver = dottedName(node.func.value) ?? '';
  return node.func.attr === 'step' && /opt/i.test(receiver);
}

const changing = (change: Branch, original: string): string =>
  stepsOver(change, original) ? 'the step of the optimizer' : `the write to \`${original}\``;

function readAfter(
  trace: FunctionTrace,
  file: CheckedFile,
  all: readonly Branch[],
  change: Branch,
  name: string,
): Node | null {
  const read = all.find(
    (each) =>
      each.start >= change.end &&
      (each.kind === 'Name' || each.kind === 'Attribute') &&
      dottedName(each) === name &&
      !all.some((other) => other.kind === 'Assign' && other.targets.some((target) => target === each)) &&
      mayReach(file, trace, change, each),
  );
  return read ?? null;
}

const isRebound = (all: readonly Branch[], name: string, before: Node): boolean =>
  all.some(
    (each) =>
      each.kind === 'Assign' &&
      each.start < before.end &&
      each.targets.flatMap(leaves).some((target) => startsWith(name, dottedName(target))),
  );

const leaves = (target: Expression): readonly Expression[] =>
  target.kind === 'Tuple' || target.kind === 'List' ? target.elts.flatMap(leaves) : [target];

/** `x.data` is of `x`: where `x` is bound anew, it is another's. */
const startsWith = (name: string, head: string | null): boolean =>
  head !== null && (name === head || name.startsWith(`${head}.`));

/** Writes to a detached argument are told by `write-through-view`. */
const isArgument = (trace: FunctionTrace, name: string): boolean =>
  trace.parameters.some((parameter) => parameter.name === /^\w+/.exec(name)?.[0]);
