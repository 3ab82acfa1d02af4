import type { Body, Expression, For, Statement, While } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../../syntax/children.ts';

const known = new WeakMap<object, ReadonlySet<string>>();

/** The names that a turn of a loop may read as an earlier turn left them: those it reads before it has surely bound them. */
export function carriedNames(loop: For | While): ReadonlySet<string> {
  const found = known.get(loop);
  if (found) return found;
  const reads = new Set<string>();
  const bound = new Set<string>();
  if (loop.kind === 'For') bindTarget(loop.target, bound, reads);
  else read(loop.test, bound, reads);
  walk(loop.body, bound, reads);
  known.set(loop, reads);
  return reads;
}

const inner = new WeakMap<Body, boolean>();

/** Whether a function, class or lambda stands in a body: it may read the variables there at any time. */
export function holdsFunctions(body: Body): boolean {
  const found = inner.get(body);
  if (found !== undefined) return found;
  const holds = body.some(
    (node) =>
      node.kind === 'FunctionDef' ||
      node.kind === 'ClassDef' ||
      expressionsOf(node).some(holdsLambda) ||
      bodiesOf(node).some(holdsFunctions),
  );
  inner.set(body, holds);
  return holds;
}

const holdsLambda = (node: Expression): boolean => node.kind === 'Lambda' || partsOf(node).some(holdsLambda);

function walk(body: Body, bound: Set<string>, reads: Set<string>): void {
  for (const node of body) walkStatement(node, bound, reads);
}

/** Adds to `bound` what a statement binds on every way through it. */
function walkStatement(node: Statement, bound: Set<string>, reads: Set<string>): void {
  switch (node.kind) {
    case 'Assign':
      read(node.value, bound, reads);
      for (const target of node.targets) bindTarget(target, bound, reads);
      return;
    case 'AnnAssign':
      if (node.value) {
        read(node.value, bound, reads);
        bindTarget(node.target, bound, reads);
      }
      return;
    case 'For':
      read(node.iter, bound, reads);
      walk(node.body, bindTarget(node.target, new Set(bound), reads), reads);
      walk(node.orelse, new Set(bound), reads);
      return;
    case 'If': {
      read(node.test, bound, reads);
      const ways = [node.body, node.orelse].map((body) => {
        const way = new Set(bound);
        walk(body, way, reads);
        return { way, leaves: leaves(body) };
      });
      const on = ways.filter((way) => !way.leaves);
      const [first, ...others] = on;
      for (const name of first?.way ?? []) if (others.every(({ way }) => way.has(name))) bound.add(name);
      return;
    }
    case 'With':
      for (const { context, target } of node.items) {
        read(context, bound, reads);
        if (target) bindTarget(target, bound, reads);
      }
      walk(node.body, bound, reads);
      return;
    case 'Delete':
      for (const target of node.targets)
        if (target.kind === 'Name') bound.delete(target.id);
        else read(target, bound, reads);
      return;
    default:
      for (const part of expressionsOf(node)) read(part, bound, reads);
      for (const body of bodiesOf(node)) walk(body, new Set(bound), reads);
  }
}

/** The body ends by leaving the turn. */
function leaves(body: Body): boolean {
  const last = body.at(-1)?.kind;
  return last === 'Return' || last === 'Raise' || last === 'Continue' || last === 'Break';
}

function read(node: Expression, bound: ReadonlySet<string>, reads: Set<string>): void {
  if (node.kind === 'Name') {
    if (!bound.has(node.id)) reads.add(node.id);
  } else if (node.kind === 'Comprehension') {
    const within = new Set(bound);
    for (const { target, iter, ifs } of node.generators) {
      read(iter, within, reads);
      bindTarget(target, within, reads);
      for (const test of ifs) read(test, within, reads);
    }
    read(node.element, within, reads);
    if (node.value) read(node.value, within, reads);
  } else for (const part of partsOf(node)) read(part, bound, reads);
}

function bindTarget(target: Expression, bound: Set<string>, reads: Set<string>): Set<string> {
  if (target.kind === 'Name') bound.add(target.id);
  else if (target.kind === 'Tuple' || target.kind === 'List')
    for (const part of target.elts) bindTarget(part, bound, reads);
  else if (target.kind === 'Starred') bindTarget(target.value, bound, reads);
  else read(target, bound, reads);
  return bound;
}
