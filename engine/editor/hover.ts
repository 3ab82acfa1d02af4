import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import type { Span } from '../rules/finding.ts';
import { tensorsIn } from '../rules/flow.ts';
import type { CheckedFile } from '../rules/rule.ts';
import { is } from '../rules/tree.ts';
import { calleeText, causeText } from '../rules/wording.ts';
import type { Node } from '../syntax/ast.ts';
import { type Located, locate } from '../syntax/index.ts';
import { isFault, type Tensor } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { Card } from './card.ts';
import { describeTensor, type Viewpoint } from './describe.ts';

const MOST_TENSORS = 4;

/**
 * The card of the innermost expression, name or parameter at an offset that the analysis has something to say about. The
 * function in general comes first; where that knows nothing, a call of it that does.
 */
export function hover(file: CheckedFile, offset: number): { readonly span: Span; readonly card: Card } | null {
  const path = locate(file.module, offset).toReversed();
  const cards = file.traces
    .toSorted((a, b) => Number(a.context !== null) - Number(b.context !== null))
    .flatMap((trace) => cardAt(file, trace, path) ?? []);
  const depth = Math.min(...cards.map((each) => each.depth));
  const innermost = cards.filter((each) => each.depth === depth);
  return innermost.find(({ card }) => card.tensors.length > 0 || card.raises !== null) ?? innermost[0] ?? null;
}

interface Subject {
  readonly name: string;
  readonly event: TraceEvent | null;
  readonly value: Value | null;
}

interface Found {
  readonly span: Span;
  readonly card: Card;
  /** How far out the node stands that the card is about. */
  readonly depth: number;
}

function cardAt(file: CheckedFile, trace: FunctionTrace, path: readonly Located[]): Found | null {
  for (const [depth, { node, base }] of path.entries()) {
    const subject = subjectAt(trace, node, path.slice(depth + 1));
    const card = subject === null ? null : cardOf({ file, trace, event: subject.event }, subject, subject.name);
    if (card !== null)
      return { span: { path: file.path, start: base + node.start, end: base + node.end }, card, depth };
  }
  return null;
}

/** What the trace says of a node. A loop passes a site more than once: the last time is what holds when it is left. */
function subjectAt(trace: FunctionTrace, node: Located['node'], around: readonly Located[]): Subject | null {
  const parameter = trace.parameters.find((each) => each.node === node);
  if (parameter !== undefined) return { name: parameter.name, event: null, value: parameter.value };
  const events = trace.events.filter(
    (each) => each.event !== 'call' && (each.event === 'store' ? each.expression : each.node) === node,
  );
  // The value of a call that raises is unknown, and the call says why.
  const event = events.findLast((each) => !isUnknown(each)) ?? events[events.length - 1];
  if (event !== undefined && event.event !== 'return' && event.event !== 'call') return subjectOf(event, node);
  if (!is(node, 'Name')) return null;
  const parent = around[0]?.node;
  // The target of an assignment has no event of its own: that of the value says what it was bound to.
  const bound = trace.events.findLast(
    (each) => each.event === 'value' && each.bound === node.id && is(parent, 'Assign') && parent.value === each.node,
  );
  if (bound?.event === 'value') return { name: node.id, event: bound, value: bound.value };
  const within = around.find((each) => is(each.node, 'FunctionDef'))?.node ?? null;
  if (within !== trace.definition) return null;
  const read = trace.events.find(
    (each) => each.event === 'read' && each.name === node.id && each.node.start > node.start,
  );
  return read?.event === 'read' ? { name: node.id, event: read, value: read.tensor } : null;
}

const isUnknown = (event: TraceEvent) =>
  (event.event === 'value' || event.event === 'store') && event.value.kind === 'unknown';

function subjectOf(event: Exclude<TraceEvent, { event: 'return' | 'call' }>, node: Node): Subject {
  switch (event.event) {
    case 'op':
      return { name: calleeText(event), event, value: null };
    case 'read':
      return { name: event.name, event, value: event.tensor };
    case 'value':
      return { name: event.bound ?? nameOf(node), event, value: event.value };
    case 'store':
      return { name: nameOf(node), event, value: event.value };
  }
}

function cardOf(at: Viewpoint, subject: Subject, name: string): Card | null {
  const { event, value } = subject;
  const outputs = outputsOf(event, value);
  const blank: Card = { name, tensors: [], more: 0, unknown: null, raises: null, context: at.trace.context };
  if (outputs.length > 0) {
    const tensors = outputs.slice(0, MOST_TENSORS).map(({ path, tensor }) => describeTensor(at, tensor, path, name));
    return { ...blank, tensors, more: outputs.length - tensors.length };
  }
  if (event?.event === 'op' && isFault(event.result)) {
    if (event.result.fault === 'raises') {
      return { ...blank, raises: causeText(at.trace, event.result.cause, event.inputs[0]?.layout ?? null) };
    }
    return { ...blank, unknown: { reason: event.result.reason, advice: null } };
  }
  if (value?.kind !== 'unknown') return null;
  const advice = /^\w+$/.test(name) ? `a comment \`# ${name}: [B, T, C]\` with its shape would tell` : null;
  return { ...blank, unknown: { reason: value.reason, advice } };
}

function outputsOf(event: TraceEvent | null, value: Value | null): readonly { path: string; tensor: Tensor }[] {
  if (event?.event === 'op') return event.outputs;
  if (event?.event === 'value' && event.outputs.length > 0) return event.outputs;
  if (value === null) return [];
  const tensors = tensorsIn(value);
  return tensors.map((tensor, index) => ({ path: tensors.length === 1 ? '' : `[${index}]`, tensor }));
}

function nameOf(node: Node): string {
  if (is(node, 'Name')) return node.id;
  return is(node, 'Attribute') ? node.attr : 'the value';
}
