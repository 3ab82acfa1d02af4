import type { FunctionDef, Lambda } from '../../syntax/ast.ts';
import { type Body, bodiesOf, type Expression, expressionsOf, partsOf } from '../../syntax/index.ts';

const known = new WeakMap<object, ReadonlySet<string>>();

/** The names that stand in a function, inner ones included: those among them that are not its own are looked up outside. */
export function freeNames(definition: FunctionDef | Lambda): ReadonlySet<string> {
  const found = known.get(definition);
  if (found) return found;
  const names = new Set<string>();
  if (definition.kind === 'Lambda') expression(definition.body, names);
  else body(definition.body, names);
  known.set(definition, names);
  return names;
}

function body(statements: Body, names: Set<string>): void {
  for (const node of statements) {
    for (const part of expressionsOf(node)) expression(part, names);
    if (node.kind === 'FunctionDef')
      for (const { default: value } of [...node.args.positional, ...node.args.keywordOnly])
        if (value) expression(value, names);
    for (const inner of bodiesOf(node)) body(inner, names);
  }
}

function expression(node: Expression, names: Set<string>): void {
  if (node.kind === 'Name') names.add(node.id);
  else for (const part of partsOf(node)) expression(part, names);
}
