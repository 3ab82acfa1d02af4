import type { CallEvent, FunctionTrace, OpEvent } from '../evaluator/trace.ts';
import type { Call, Constant, Expression, Keyword } from '../syntax/ast.ts';
import type { Tensor } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { Edit } from './finding.ts';
import { opEvents, producerOf, sharesStorage } from './flow.ts';
import { type CheckedFile, insert, replace, sourceOf } from './rule.ts';
import { assignedTo, is } from './tree.ts';

/** A call of a library function, with its place in the source. */
export interface LibraryCall {
  readonly event: CallEvent;
  readonly call: Call;
}

/** The calls of the functions of these qualified names, in order. */
export function callsTo(trace: FunctionTrace, names: ReadonlySet<string>): readonly LibraryCall[] {
  return trace.events.flatMap((event) =>
    event.event === 'call' && names.has(event.name) && is(event.node, 'Call') ? [{ event, call: event.node }] : [],
  );
}

/** What was passed for a parameter; undefined where nothing was. */
export function passed({ event }: LibraryCall, name: string, position?: number): Value | undefined {
  return event.keywords.get(name) ?? (position === undefined ? undefined : event.arguments[position]);
}

export function keywordIn(call: Call, name: string): Keyword | null {
  return call.keywords.find(({ arg }) => arg === name) ?? null;
}

/** Whether the call says `name=True`. */
export function saysTrue(call: Call, name: string): boolean {
  return isLiteral(keywordIn(call, name)?.value, true);
}

export function isLiteral(expression: Expression | null | undefined, value: Constant['value']): boolean {
  return expression?.kind === 'Constant' && expression.value === value;
}

/** One more keyword behind the arguments of a call. */
export function addKeyword(file: CheckedFile, trace: FunctionTrace, call: Call, text: string): Edit {
  const last = Math.max(-1, ...[...call.args, ...call.keywords].map(({ end }) => end));
  const close = call.end - 1;
  if (last < 0) return insert(close, text);
  const between = sourceOf(file, trace, { start: last, end: close });
  return /^[\s,]*$/.test(between) ? insert(last, `, ${text}`) : insert(close, `, ${text}`);
}

/** A call without one of its keywords. */
export function dropKeyword(call: Call, keyword: Keyword): Edit {
  const others = [...call.args, ...call.keywords].filter((each) => each !== keyword);
  const before = Math.max(-1, ...others.map(({ end }) => end).filter((end) => end <= keyword.start));
  const after = Math.min(...others.map(({ start }) => start).filter((start) => start >= keyword.end));
  if (before >= 0) return replace(before, keyword.end, '');
  return replace(keyword.start, Number.isFinite(after) ? after : keyword.end, '');
}

/** The only value that a name is assigned in the function. */
export function boundTo(trace: FunctionTrace, file: CheckedFile, name: string): Expression | undefined {
  const values = assignedTo(file, trace, name);
  return values.length === 1 ? values[0] : undefined;
}

/** The device that a tensor is known to be on, also where only the call that made it says so. */
export function deviceOf(trace: FunctionTrace, tensor: Tensor): string | null {
  const producer = producerOf(trace, tensor);
  return tensor.device ?? (producer === null ? null : deviceSaid(producer));
}

/** `cuda` of `x.cuda()`, `x.to("cuda:0")`. */
export function deviceSaid({ op, arguments: given }: OpEvent): string | null {
  if (op === 'cuda') return 'cuda';
  if (op !== 'to') return null;
  const said = given.flatMap((value) => (value.kind === 'str' || value.kind === 'device' ? [value.value] : []));
  return said[0] ?? null;
}

/** Whether something in the function pins the storage of a tensor. */
export function isPinned(trace: FunctionTrace, tensor: Tensor): boolean {
  return opEvents(trace).some(
    ({ spelled, inputs, outputs }) =>
      spelled === 'pin_memory' &&
      [...inputs, ...outputs.map((output) => output.tensor)].some((each) => sharesStorage(each, tensor)),
  );
}
