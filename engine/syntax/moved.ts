import type { FunctionDef, Node } from './ast.ts';

/** Fields that hold a place. */
export const PLACES: ReadonlySet<string> = new Set(['start', 'end', 'nameStart', 'attrStart']);

/** What a function holds in its own frame: it stays as it is, and the very same, wherever the function goes. */
const OWN: ReadonlySet<string> = new Set<keyof FunctionDef>(['args', 'returns', 'body']);

/** A tree as it stands when `by` units more stand above it. */
export function moved<Tree extends Node>(tree: Tree, by: number): Tree {
  return by === 0 ? tree : copied(tree, by);
}

/** The same for a tree that is in another class now, wherever it stands: a function, not only what it holds, is another. */
export function copied<Part extends object>(part: Part, by: number): Part {
  const isFunction = 'kind' in part && part.kind === 'FunctionDef';
  const copy: Record<string, unknown> = {};
  for (const name in part) {
    const value: unknown = part[name];
    if (typeof value === 'number') copy[name] = PLACES.has(name) ? value + by : value;
    else if (!isObject(value) || (isFunction && OWN.has(name))) copy[name] = value;
    else if (Array.isArray(value)) copy[name] = value.map((each) => (isObject(each) ? copied(each, by) : each));
    else copy[name] = copied(value, by);
  }
  // The copy has the fields of what is copied, and values of the same types in them.
  return copy as Part;
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
