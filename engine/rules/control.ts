import type { FunctionTrace } from '../evaluator/trace.ts';
import type { Node, WithItem } from '../syntax/ast.ts';
import type { CheckedFile } from './rule.ts';
import { type Branch, calleeName, enclosing, within } from './tree.ts';

/**
 * The innermost `for`, `while` or comprehension that runs `node` over and over; the iterable of a `for`, evaluated
 * once, is not run by it.
 */
export function innermostLoop(file: CheckedFile, trace: FunctionTrace, node: Node): Branch | null {
  let inner = node;
  for (const at of enclosing(file, trace, node)) {
    if (at.kind === 'For' && at.iter !== inner) return at;
    if (at.kind === 'While' || at.kind === 'Comprehension') return at;
    inner = at;
  }
  return null;
}

/**
 * Whether control may come from one place to another further down: not where the two stand in different arms of a
 * branch, nor where what follows the first ends in a `return`, `raise`, `break` or `continue` before the second.
 */
export function mayReach(file: CheckedFile, trace: FunctionTrace, from: Node, to: Node): boolean {
  let inner = from;
  const around = [to, ...enclosing(file, trace, to)];
  for (const at of enclosing(file, trace, from)) {
    const arms = armsOf(at);
    const mine = arms.find((arm) => arm.includes(inner));
    if (mine !== undefined) {
      const other = arms.find((arm) => around.some((node) => arm.includes(node)));
      if (other !== undefined) return other === mine;
      if (leaves(mine.at(-1))) return false;
    }
    if (at.kind === 'Return' || at.kind === 'Raise') return within(file, trace, to, at);
    inner = at;
  }
  return true;
}

/** Whether someone expects the code at `node` to raise: a `try` that catches, `pytest.raises`, `assertRaises`. */
export function failureIsExpected(file: CheckedFile, trace: FunctionTrace, node: Node): boolean {
  let inner = node;
  for (const at of enclosing(file, trace, node)) {
    if (at.kind === 'Try' && at.handlers.length > 0 && has(at.body, inner)) return true;
    if (at.kind === 'With' && at.items.some(expectsFailure)) return true;
    inner = at;
  }
  return false;
}

/** The arms of an `if` or a conditional expression: the nodes that stand directly in each. */
function armsOf(branch: Branch): readonly (readonly Node[])[] {
  if (branch.kind === 'If') return [branch.body, branch.orelse];
  return branch.kind === 'IfExp' ? [[branch.body], [branch.orelse]] : [];
}

const has = (nodes: readonly Node[], node: Node): boolean => nodes.includes(node);

function leaves(node: Node | undefined): boolean {
  return node !== undefined && 'kind' in node && LEAVING.has(String(node.kind));
}

const LEAVING: ReadonlySet<string> = new Set(['Return', 'Raise', 'Break', 'Continue']);

function expectsFailure({ context }: WithItem): boolean {
  return (
    context.kind === 'Call' && /^(raises|assertRaises|assertRaisesRegex|suppress)$/.test(calleeName(context) ?? '')
  );
}
