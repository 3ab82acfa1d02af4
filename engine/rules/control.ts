import type { FunctionTrace } from '../evaluator/trace.ts';
import type { CheckedFile } from './rule.ts';
import { type Branch, calleeName, enclosing, isBranch, isExpressionOf, isKind, within } from './tree.ts';

/**
 * The innermost `for`, `while` or comprehension that runs `node` over and over; the iterable of a `for`, evaluated
 * once, is not run by it.
 */
export function innermostLoop(file: CheckedFile, trace: FunctionTrace, node: Branch): Branch | null {
  let inner: Branch = node;
  for (const at of enclosing(file, trace, node)) {
    if (isKind(at, 'For') && 'iter' in at && at.iter !== inner) return at;
    if (isKind(at, 'While') || isKind(at, 'Comprehension')) return at;
    inner = at;
  }
  return null;
}

/**
 * Whether control may come from one place to another further down: not where the two stand in different arms of a
 * branch, nor where what follows the first ends in a `return`, `raise`, `break` or `continue` before the second.
 */
export function mayReach(file: CheckedFile, trace: FunctionTrace, from: Branch, to: Branch): boolean {
  let inner: Branch = from;
  for (const at of enclosing(file, trace, from)) {
    const arm = armOf(at, inner);
    if (arm !== null) {
      const other = [to, ...enclosing(file, trace, to)].find((branch) =>
        arms(at).some((each) => each.includes(branch)),
      );
      if (other === undefined) {
        if (leaves(arm.at(-1))) return false;
      } else if (!arm.includes(other)) return false;
      else return true;
    }
    if (isKind(at, 'Return') || isKind(at, 'Raise')) return within(file, trace, to, at);
    inner = at;
  }
  return true;
}

/** The arms of an `if` or a conditional expression, each a list of what runs in it. */
function arms(branch: Branch): readonly (readonly unknown[])[] {
  if (!isKind(branch, 'If') && !isKind(branch, 'IfExp')) return [];
  return ['body' in branch ? branch.body : [], 'orelse' in branch ? branch.orelse : []].map((arm) =>
    Array.isArray(arm) ? arm : [arm],
  );
}

function armOf(branch: Branch, inner: Branch): readonly unknown[] | null {
  return arms(branch).find((arm) => arm.includes(inner)) ?? null;
}

function leaves(statement: unknown): boolean {
  return isBranch(statement) && ['Return', 'Raise', 'Break', 'Continue'].some((kind) => isKind(statement, kind));
}

/** Whether someone expects the code at `node` to raise: a `try` that catches, `pytest.raises`, `assertRaises`. */
export function failureIsExpected(file: CheckedFile, trace: FunctionTrace, node: Branch): boolean {
  let inner: Branch = node;
  for (const at of enclosing(file, trace, node)) {
    if (isKind(at, 'Try') && 'handlers' in at && Array.isArray(at.handlers) && at.handlers.length > 0) {
      if ('body' in at && Array.isArray(at.body) && at.body.includes(inner)) return true;
    }
    if (isKind(at, 'With') && 'items' in at && Array.isArray(at.items) && at.items.some(expectsFailure)) return true;
    inner = at;
  }
  return false;
}

function expectsFailure(item: unknown): boolean {
  if (!isBranch(item) || !('context' in item) || !isBranch(item.context)) return false;
  const { context } = item;
  if (!isExpressionOf(context, 'Call')) return false;
  return /^(raises|assertRaises|assertRaisesRegex|suppress)$/.test(calleeName(context) ?? '');
}
