import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Expression } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/index.ts';
import { arrayWrites } from './array-writes.ts';
import { mayReach } from './control.ts';
import { eventsAfter, eventsBefore, opEvents, sharesStorage, tensorsIn, type ViewStep, viewChain } from './flow.ts';
import { overwrittenResidual } from './residual.ts';
import {
  type CheckedFile,
  insert,
  mentions,
  quotable,
  type Report,
  type ReportFix,
  replace,
  rule,
  sourceOf,
} from './rule.ts';
import { dottedName, enclosing, is, isPrimary, siteOf } from './tree.ts';
import { calleeText } from './wording.ts';

const NAME = 'write-through-view';

export const writeThroughView = rule({
  name: NAME,
  summary: 'A view is written in place while what it views lives on under its old meaning',
  severity: 'warning',
  docs: `
\`x = self.data[i]\` is a view: \`x -= x.mean()\` rewrites the dataset, and the next epoch finds other data. The same holds for
a slice or a \`.detach()\` of an argument, which belongs to the caller, for a tensor made by \`from_numpy\` of an array that
was passed in, and for an activation with \`inplace=True\` applied to a tensor that is kept as the residual.

Reported where a *named* view is written, goes on to be used as a value of its own, and what it views is an attribute, an
argument or an array of the caller. Of an argument only writes that do not look like one (\`x -= y\`, a write to a
\`.detach()\`) are reported, and any other where the argument itself is read afterwards.

Not reported, because there the write is the purpose: functions whose name says so (\`…_\`, \`init\`, \`reset\`, \`update\`), views
of module parameters and buffers, slots of a cache that are filled, writes after which the base itself is returned, and
tensors made in the same function.

\`.clone()\` where the view is taken, or the op without the underscore, leaves the original alone.`,
  guides: ['storages'],
  examples: [
    {
      bad: `
import torch

class Rows:
    def __init__(self):
        self.data = torch.arange(12.0).view(3, 4)

    def __getitem__(self, i):
        x = self.data[i]
        x -= x.mean()  # warning[write-through-view]
        return x`,
      good: `
import torch

class Rows:
    def __init__(self):
        self.data = torch.arange(12.0).view(3, 4)

    def __getitem__(self, i):
        x = self.data[i]
        x = x - x.mean()
        return x`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    for (const event of opEvents(trace)) {
      const report = throughView(trace, file, event) ?? overwrittenResidual(trace, file, event);
      if (report !== null) yield report;
    }
    if (!writingIsThePurpose(trace)) yield* arrayWrites(trace, file);
  },
});

export function throughView(trace: FunctionTrace, file: CheckedFile, event: OpEvent): Report | null {
  const write = event.writes.find((each) => each.becomes === null);
  if (write === undefined || event.self === null || writingIsThePurpose(trace)) return null;
  const name = namedTarget(event.self);
  if (name === null) return null;
  const view = valueNamed(trace, event, name) ?? write.target;
  if (!sharesStorage(view, write.target)) return null;
  const chain = viewChain(trace, view);
  const first = chain[chain.length - 1];
  if (first === undefined || !isAssigned(trace, file, chain)) return null;
  const base = baseOf(trace, file, event, chain, first);
  if (base === null || !usedAfterwards(trace, file, event, name) || returnsBase(trace, first.of)) return null;
  return {
    node: siteOf(file, trace, event),
    message: `\`${name}\` is a view of \`${base.name}\`: ${calleeText(event)} changes ${base.whose} too; write out of place, or to a .clone()`,
    related: [{ node: first.event.node, message: `a view of \`${base.name}\` is taken here` }],
    fixes: fixesFor(trace, file, event, name, chain),
  };
}

/** `x` in `x -= 1`, `x.add_(1)`, `x[0] = 1`, `x[:, 0] *= 2`. */
function namedTarget(self: Expression): string | null {
  if (self.kind === 'Name') return self.id;
  return self.kind === 'Subscript' && self.value.kind === 'Name' ? self.value.id : null;
}

/** The tensor that the name stood for when it was last read before the event. */
function valueNamed(trace: FunctionTrace, event: OpEvent, name: string): Tensor | null {
  for (const before of eventsBefore(trace, event).toReversed()) {
    if (before.event === 'read' && before.name === name) return before.tensor;
    if (before.event === 'value' && before.bound === name && before.value.kind === 'tensor') return before.value;
  }
  return null;
}

function isAssigned(trace: FunctionTrace, file: CheckedFile, chain: readonly ViewStep[]): boolean {
  return chain.some(({ event }) => {
    const around = [...enclosing(file, trace, event.node)];
    return around.some(({ kind }) => kind === 'Assign' || kind === 'AnnAssign' || kind === 'NamedExpr');
  });
}

interface Base {
  readonly name: string;
  readonly whose: string;
}

/** What is viewed, where it lives on beyond this function and a write to it is a surprise. */
function baseOf(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  chain: readonly ViewStep[],
  first: ViewStep,
): Base | null {
  const { origin } = first.of.storage;
  if (origin.is === 'module-parameter' || origin.is === 'buffer') return null;
  // `.data` is the way to say that the write is meant.
  if (chain.some((step) => step.event.op === 'data')) return null;
  const holder = first.event.self === null ? null : dottedName(first.event.self);
  if (holder?.includes('.') === true) {
    const getsItem = /(^|\.)__getitem__$/.test(trace.function);
    return getsItem || (readsWhatItWrites(event) && origin.is !== 'file')
      ? { name: holder, whose: 'the stored tensor' }
      : null;
  }
  if (origin.is === 'parameter' && !NAMED_FOR_WRITING.test(origin.name)) {
    // A file that says nothing of torch works on arrays.
    if (!mentions(file, 'torch')) return null;
    if (!looksApart(event, chain) && !isReadAfterwards(trace, file, event, first.of)) return null;
    return { name: origin.name, whose: "the caller's tensor" };
  }
  return null;
}

/**
 * Whether the write looks as if it stayed within the function: `x -= y` reads like `x = x - y`, and a `.detach()` like a
 * copy. An op with an underscore, or an index assignment, says that memory is written.
 */
function looksApart(event: OpEvent, chain: readonly ViewStep[]): boolean {
  return is(event.node, 'AugAssign') || chain.some((step) => step.event.op === 'detach');
}

/** A statement that reads the base as it writes, as `row[i] = rows[1, i]` in a loop, knows both for one memory. */
function isReadAfterwards(trace: FunctionTrace, file: CheckedFile, event: OpEvent, base: Tensor): boolean {
  const { start, end } = siteOf(file, trace, event);
  return eventsAfter(trace, event).some(
    (after) =>
      after.event === 'read' &&
      after.tensor.id === base.id &&
      (after.node.start < start || after.node.end > end) &&
      mayReach(file, trace, event.node, after.node),
  );
}

const NAMED_FOR_WRITING =
  /^(self|cls)$|out|cache|buf|dst|dest|result|target|grad|weight|param|bias|state|memory|workspace/i;

function writingIsThePurpose(trace: FunctionTrace): boolean {
  const name = trace.function.slice(trace.function.lastIndexOf('.') + 1);
  return (
    /_$|^_*(init|reset|update|fill|load|set|copy|write|store|zero|clip|clamp|scatter|insert|apply|prune)/i.test(name) &&
    !/__getitem__/.test(name)
  );
}

/** Whether the op computes the new elements from the old ones, as `-=` and `mul_` do and `copy_` and `x[i] = v` do not. */
function readsWhatItWrites(event: OpEvent): boolean {
  return !['setitem', 'copy_', 'fill_', 'zero_', 'set_', 'data'].includes(event.op);
}

/** Whether the written name is read again, as a value, in a later statement. */
function usedAfterwards(trace: FunctionTrace, file: CheckedFile, event: OpEvent, name: string): boolean {
  return eventsAfter(trace, event).some(
    (after) =>
      after.event === 'read' &&
      after.name === name &&
      after.node.start >= event.node.end &&
      mayReach(file, trace, event.node, after.node),
  );
}

function returnsBase(trace: FunctionTrace, base: Tensor): boolean {
  return trace.events.some(
    (event) => event.event === 'return' && tensorsIn(event.value).some((tensor) => tensor.id === base.id),
  );
}

function fixesFor(
  trace: FunctionTrace,
  file: CheckedFile,
  event: OpEvent,
  name: string,
  chain: readonly ViewStep[],
): readonly ReportFix[] {
  const { node } = event;
  if (is(node, 'AugAssign') && node.target.kind === 'Name') {
    const { op, value } = node;
    const operand = sourceOf(file, trace, value);
    const right = isPrimary(value) || value.kind === 'Constant' ? operand : `(${operand})`;
    const title = `Leave the original alone: ${name} = ${name} ${op} …`;
    return [{ title, safe: false, edits: [replace(node.start, node.end, `${name} = ${name} ${op} ${right}`)] }];
  }
  const taken = chain[0]?.event.node;
  if (!is(taken, 'Subscript') && !is(taken, 'Call')) return [];
  const source = quotable(file, trace, taken);
  return source === null
    ? []
    : [{ title: `Leave the original alone: ${source}.clone()`, safe: false, edits: [insert(taken.end, '.clone()')] }];
}
