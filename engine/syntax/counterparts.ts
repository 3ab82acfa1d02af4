import type { Node } from './ast.ts';
import { isObject, PLACES } from './moved.ts';

/** The node that stands where another stood in an earlier tree: of the same kind, with the same fields. */
export type Counterparts = <Part extends Node>(of: Part) => Part | undefined;

/**
 * For a tree that says the same as an older one at other places, with other strings that stand for themselves; null where
 * it says something else. What the trees share has none.
 */
export function counterparts(old: Node, now: Node): Counterparts | null {
  const found = new Map<Node, Node>();
  if (!areAlike(old, now, found)) return null;
  // All fields were found to be alike.
  return <Part extends Node>(of: Part) => found.get(of) as Part | undefined;
}

function areAlike(old: unknown, now: unknown, found: Map<Node, Node>): boolean {
  if (!isObject(old) || !isObject(now) || old === now) return Object.is(old, now);
  if (Array.isArray(old))
    return (
      Array.isArray(now) && old.length === now.length && old.every((each, index) => areAlike(each, now[index], found))
    );
  if (isNode(old) && isNode(now)) found.set(old, now);
  const areRemarks = isRemark(old) && isRemark(now);
  for (const name in old) {
    if (PLACES.has(name) || name === 'docstring' || (areRemarks && name === 'value')) continue;
    if (!areAlike(Reflect.get(old, name), Reflect.get(now, name), found)) return false;
  }
  return true;
}

const isNode = (part: object): part is Node => 'start' in part;

/** A string that stands as a statement, a docstring above all. */
const isRemark = (part: object): boolean =>
  'kind' in part &&
  part.kind === 'Expr' &&
  'value' in part &&
  isObject(part.value) &&
  'literal' in part.value &&
  part.value.literal === 'str';
