import type { Expression, Node, Statement } from './ast.ts';

export type Branch = Statement | Expression;

/** Whether a node is of that kind; nodes of different kinds never pass for each other. */
export function is<K extends Branch['kind']>(
  node: Node | null | undefined,
  kind: K,
): node is Extract<Branch, { kind: K }> {
  return node !== null && node !== undefined && 'kind' in node && node.kind === kind;
}

/** `self.cache` for an attribute path of names, else null. */
export function dottedName(expression: Expression): string | null {
  if (expression.kind === 'Name') return expression.id;
  if (expression.kind !== 'Attribute') return null;
  const front = dottedName(expression.value);
  return front === null ? null : `${front}.${expression.attr}`;
}
