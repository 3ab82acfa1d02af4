import type { FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call, Comprehension, Node } from '../syntax/ast.ts';
import { isFault, resolve } from '../tensor/index.ts';
import { innermostLoop } from './control.ts';
import { eventsAfter, lastName, opEvents, producerOf } from './flow.ts';
import { withoutMethod } from './removal.ts';
import { type CheckedFile, mentions, type Report, type ReportFix, replace, rule } from './rule.ts';
import { bytesText, elementsPhrase, packedBytes } from './sizes.ts';
import { type Branch, branches, calleeName, callsIn, enclosing, is, rootOf, within } from './tree.ts';

const NAME = 'redundant-clone';

export const redundantClone = rule({
  name: NAME,
  summary: 'A clone() of what nobody else holds, or of what the next call copies anyway',
  severity: 'hint',
  docs: `
\`clone\` is for a tensor that must not change, or keep a larger storage alive, with another one. Where nothing else holds the
memory it copies for nothing:

- a result that was just made and has no name: \`(x + 1).clone()\`, \`x[idx].clone()\` with an index tensor;
- a piece that \`torch.cat\` or \`torch.stack\` copies into its result anyway, in the call itself or by way of a list;
- \`.contiguous().clone()\` and \`.clone().contiguous()\`, which copy twice where the tensor was not contiguous.
  \`.clone(memory_format=torch.contiguous_format)\` copies once, always.

To see it at run time: compare \`untyped_storage().data_ptr()\` before and after; two addresses, one of them never used again.

Not reported: a clone whose source is written before the pieces are joined, as a buffer that an environment or a loader
fills anew; pieces of a tensor that only this turn of the loop knows, which the clone lets go; a clone that is written in
place although autograd may need the original. Allow it where the copy is a boundary that you want to keep visible.`,
  guides: ['compile'],
  examples: [
    {
      bad: `
import torch

def shifted():
    x = torch.zeros(8)
    return (x + 1).clone()  # hint[redundant-clone]`,
      good: `
import torch

def shifted():
    x = torch.zeros(8)
    return (x + 1)`,
      fixed: true,
    },
    {
      bad: `
import torch

def rows(x: torch.Tensor):
    return x.t().contiguous().clone()  # hint[redundant-clone]`,
      good: `
import torch

def rows(x: torch.Tensor):
    return x.t().clone(memory_format=torch.contiguous_format)`,
      fixed: true,
    },
  ],
  *check(trace, file) {
    if (trace.context !== null) return;
    for (const event of opEvents(trace)) {
      if (!is(event.node, 'Call') || event.node.func.kind !== 'Attribute' || isFault(event.result)) continue;
      const report = reportOn(trace, file, event, event.node);
      if (report !== null) yield report;
    }
  },
});

function reportOn(trace: FunctionTrace, file: CheckedFile, event: OpEvent, call: Call): Report | null {
  if (event.op !== 'clone' && event.op !== 'contiguous') return null;
  const twice = copiesTwice(trace, file, event, call);
  if (twice !== null || event.op !== 'clone') return twice;
  if (isJoined(trace, file, event, call))
    return told(
      trace,
      file,
      event,
      call,
      `the join copies ${sizeOf(trace, event)} that clone has just copied; leave clone out`,
    );
  if (!isOfFresh(trace, event)) return null;
  return told(
    trace,
    file,
    event,
    call,
    `clone copies ${sizeOf(trace, event)} of a result that nothing else holds; leave it out`,
  );
}

/** `.contiguous().clone()`, and the other way round. */
function copiesTwice(trace: FunctionTrace, file: CheckedFile, event: OpEvent, call: Call): Report | null {
  const inner = call.func.kind === 'Attribute' ? call.func.value : null;
  if (!is(inner, 'Call') || inner.func.kind !== 'Attribute' || calleeName(inner) === event.op) return null;
  if (!/^(clone|contiguous)$/.test(inner.func.attr) || event.self !== inner) return null;
  if (hasArguments(inner) || hasArguments(call)) return null;
  if (event.op === 'contiguous' && !isFault(event.result) && event.result.is === 'same') return null;
  const first = withoutMethod(file, trace, inner);
  const spelled = '.clone(memory_format=torch.contiguous_format)';
  const fixes = [
    {
      title: `Copy once: ${spelled}`,
      safe: true,
      edits: first === null ? [] : [replace(first.start, call.end, spelled)],
    },
  ];
  return {
    node: event.node,
    message: `${inner.func.attr} and ${event.op} copy ${sizeOf(trace, event)} twice where the tensor is not contiguous; .clone(memory_format=torch.contiguous_format) copies once`,
    fixes: first !== null && mentions(file, '^\\s*import torch\\s*$') ? fixes : [],
    bytes: bytesOf(trace, event),
    unnecessary: true,
  };
}

const hasArguments = ({ args, keywords }: Call): boolean => args.length + keywords.length > 0;

/** A result that an operation has just made, that has no name, and that is not written while autograd may need it. */
function isOfFresh(trace: FunctionTrace, event: OpEvent): boolean {
  const [input, output] = [event.inputs[0], event.outputs[0]?.tensor];
  if (input === undefined || output === undefined || event.self?.kind === 'Name') return false;
  const producer = producerOf(trace, input);
  if (producer === null || producer.node !== event.self || isFault(producer.result)) return false;
  // What a module gives may be kept by a hook, and what came from an array shares its memory.
  if (producer.result.is !== 'fresh' || /^[A-Z]|numpy|^as_tensor$|^frombuffer$/.test(lastName(producer.op)))
    return false;
  const isWritten = eventsAfter(trace, event).some(
    (other) => other.event === 'op' && other.writes.some(({ target }) => target.storage.id === output.storage.id),
  );
  return !isWritten || producer.inputs.length === 0;
}

/** Whether the clone is a piece of what `cat` or `stack` puts together, and would be the same piece without it. */
function isJoined(trace: FunctionTrace, file: CheckedFile, event: OpEvent, call: Call): boolean {
  const [around, outer] = enclosing(file, trace, call);
  if (around?.kind === 'List' || around?.kind === 'Tuple') return isJoin(trace, outer);
  if (around?.kind === 'Comprehension' && around.element === call) return isJoin(trace, outer) && isPlain(around);
  if (around?.kind !== 'Call' || calleeName(around) !== 'append' || around.func.kind !== 'Attribute') return false;
  const list = around.func.value;
  return list.kind === 'Name' && isOnlyJoined(trace, file, list.id) && staysAsItIs(trace, file, event, around);
}

function isJoin(trace: FunctionTrace, node: Node | undefined): boolean {
  return is(node, 'Call') && opEvents(trace).some((event) => event.node === node && JOINS.has(event.op));
}

/** What a call yields turn by turn may be one buffer, filled anew. */
function isPlain({ generators }: Comprehension): boolean {
  return generators.every(({ iter }) => iter.kind !== 'Call' || PLAIN.has(calleeName(iter) ?? ''));
}

/** Whether the list is made here, empty, is appended to, and is otherwise handed to `cat` or `stack` alone. */
function isOnlyJoined(trace: FunctionTrace, file: CheckedFile, name: string): boolean {
  let [made, joined] = [0, 0];
  for (const branch of branches(rootOf(file, trace))) {
    if (branch.kind !== 'Name' || branch.id !== name) continue;
    const [around, outer] = enclosing(file, trace, branch);
    const isMade =
      around?.kind === 'Assign' &&
      around.targets.includes(branch) &&
      around.value.kind === 'List' &&
      around.value.elts.length === 0;
    const isAppended = around?.kind === 'Attribute' && around.attr === 'append' && outer?.kind === 'Call';
    if (isMade) made++;
    else if (isJoin(trace, around)) joined++;
    else if (!isAppended) return false;
  }
  return made === 1 && joined > 0;
}

/** Whether the source lives longer than a turn of the loop, and nothing that the loop does can change it. */
function staysAsItIs(trace: FunctionTrace, file: CheckedFile, event: OpEvent, append: Call): boolean {
  const source = event.inputs[0];
  const loop = innermostLoop(file, trace, event.node);
  if (source === undefined || loop === null || source.storage.origin.is !== 'parameter') return false;
  const isWritten = opEvents(trace).some(({ writes }) =>
    writes.some(({ target }) => target.storage.id === source.storage.id),
  );
  const isHarmless = (call: Call) =>
    call === append || PLAIN.has(calleeName(call) ?? '') || opEvents(trace).some(({ node }) => node === call);
  return !isWritten && callsWithin(trace, file, loop).every(isHarmless);
}

function callsWithin(trace: FunctionTrace, file: CheckedFile, loop: Branch): readonly Call[] {
  return callsIn(file, trace).filter((call) => within(file, trace, call, loop));
}

function told(trace: FunctionTrace, file: CheckedFile, event: OpEvent, call: Call, message: string): Report {
  return {
    node: event.node,
    message,
    fixes: removed(trace, file, call),
    bytes: bytesOf(trace, event),
    assumes: [],
    unnecessary: true,
  };
}

function removed(trace: FunctionTrace, file: CheckedFile, call: Call): readonly ReportFix[] {
  const edit = withoutMethod(file, trace, call);
  return edit === null ? [] : [{ title: 'Remove .clone()', safe: false, edits: [edit] }];
}

function sizeOf(trace: FunctionTrace, event: OpEvent): string {
  const copy = event.outputs[0]?.tensor;
  return copy === undefined || copy.layout.front
    ? 'all elements'
    : elementsPhrase(trace, resolve(copy.layout, trace.facts), copy.dtype);
}

function bytesOf(trace: FunctionTrace, event: OpEvent): string | null {
  const copy = event.outputs[0]?.tensor;
  if (copy === undefined || copy.layout.front) return null;
  return bytesText(trace, packedBytes(resolve(copy.layout, trace.facts), copy.dtype));
}

const JOINS: ReadonlySet<string> = new Set(['cat', 'concat', 'concatenate', 'stack', 'hstack', 'vstack', 'dstack']);

const PLAIN: ReadonlySet<string> = new Set(['range', 'len', 'zip', 'enumerate', 'reversed', 'int', 'min', 'max']);
