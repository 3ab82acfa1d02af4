import type { FunctionTrace, TraceEvent } from '../evaluator/trace.ts';
import type { Span } from '../rules/finding.ts';
import { tensorsIn } from '../rules/flow.ts';
import type { CheckedFile } from '../rules/rule.ts';
import { branches, isExpressionOf } from '../rules/tree.ts';
import { calleeText, causeText } from '../rules/wording.ts';
import type { Node } from '../syntax/ast.ts';
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
  const around = file.traces.filter((trace) => covers(file, trace, offset));
  const innermost = around.reduce<number>((start, trace) => Math.max(start, startOf(trace)), -1);
  const traces = around
    .filter((trace) => startOf(trace) === innermost)
    .toSorted((a, b) => Number(a.context !== null) - Number(b.context !== null));
  const found = traces.flatMap((trace) => cardAt(file, trace, offset) ?? []);
  return found.find(({ card }) => card.tensors.length > 0 || card.raises !== null) ?? found[0] ?? null;
}

interface Subject {
  readonly node: Node;
  readonly name: string;
  readonly event: TraceEvent | null;
  readonly value: Value | null;
}

function cardAt(file: CheckedFile, trace: FunctionTrace, offset: number): { span: Span; card: Card } | null {
  const at = offset - trace.base;
  const subjects = [...subjectsOf(trace, at)].filter(({ node }) => node.start <= at && at <= node.end);
  const smallest = Math.min(...subjects.map(({ node }) => node.end - node.start));
  // A loop passes a site more than once: the last time is what holds when it is left.
  const subject = subjects.findLast(({ node }) => node.end - node.start === smallest);
  if (subject === undefined) return null;
  const { node, name, event } = subject;
  const card = cardOf({ file, trace, event }, subject, name);
  return card === null
    ? null
    : { span: { path: file.path, start: trace.base + node.start, end: trace.base + node.end }, card };
}

function* subjectsOf(trace: FunctionTrace, at: number): Generator<Subject> {
  for (const { name, node, value } of trace.parameters) yield { node, name, event: null, value };
  for (const event of trace.events) {
    switch (event.event) {
      case 'op':
        yield { node: event.node, name: calleeText(event), event, value: null };
        break;
      case 'read':
        yield { node: event.node, name: event.name, event, value: event.tensor };
        break;
      case 'value':
        yield* boundSubjects(event.node, event.bound, event, at);
        yield { node: event.node, name: event.bound ?? nameOf(event.node), event, value: event.value };
        break;
      case 'store':
        yield { node: event.expression, name: nameOf(event.expression), event, value: event.value };
        break;
      case 'return':
        break;
    }
  }
}

/** The target `y` of `y = …`, whose event may stand for the whole statement. */
function* boundSubjects(
  node: Node,
  bound: string | null,
  event: TraceEvent & { value: Value },
  at: number,
): Generator<Subject> {
  if (bound === null || node.start > at || at > node.end) return;
  for (const branch of branches(node)) {
    if (isExpressionOf(branch, 'Name') && branch.id === bound)
      yield { node: branch, name: bound, event, value: event.value };
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
  if (isExpressionOf(node, 'Name')) return node.id;
  return isExpressionOf(node, 'Attribute') ? node.attr : 'value';
}

function covers(file: CheckedFile, trace: FunctionTrace, offset: number): boolean {
  if (trace.definition === null) return true;
  const start = startOf(trace);
  return (
    start <= offset && offset <= start + (trace.definition.end - trace.definition.start) && offset <= file.text.length
  );
}

/** A function starts where its frame does; the module before everything. */
function startOf(trace: FunctionTrace): number {
  return trace.definition === null ? 0 : trace.base;
}
