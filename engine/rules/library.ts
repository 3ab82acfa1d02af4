import type { CallEvent, FunctionTrace } from '../evaluator/trace.ts';
import type { Call, Constant, Expression, Keyword } from '../syntax/ast.ts';
import type { Value } from '../values/value.ts';
import type { Edit } from './finding.ts';
import { type CheckedFile, insert, replace, sourceOf } from './rule.ts';
import { is } from './tree.ts';

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
