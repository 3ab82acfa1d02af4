import type { Expression, FunctionDef, Module, Parameter, Statement } from './ast.ts';
import { bodiesOf, expressionsOf, parametersOf, partsOf, partsOfParameter } from './children.ts';

/** A node with the offset in the file of the frame that its positions are relative to. */
export type Located =
  | { readonly is: 'statement'; readonly node: Statement; readonly base: number }
  | { readonly is: 'expression'; readonly node: Expression; readonly base: number }
  | { readonly is: 'parameter'; readonly node: Parameter; readonly base: number };

/** The nodes that hold an offset of the file, from the outermost statement in. An offset at the end of a node belongs to it too. */
export function locate(module: Module, offset: number): readonly Located[] {
  const path: Located[] = [];
  let candidates: readonly Located[] = module.body.map((node) => ({ is: 'statement', node, base: 0 }));
  for (;;) {
    const next = candidates.find((each) => holds(each, offset)) ?? candidates.find((each) => endsAt(each, offset));
    if (next === undefined) return path;
    path.push(next);
    candidates = inside(next);
  }
}

/** The functions that hold an offset, the outermost first, with the offsets of their frames. */
export function enclosingFunctions(path: readonly Located[]): readonly { node: FunctionDef; base: number }[] {
  return path.flatMap(({ node, base }) =>
    'kind' in node && node.kind === 'FunctionDef' ? [{ node, base: base + node.start }] : [],
  );
}

const holds = (each: Located, offset: number): boolean =>
  startOf(each) <= offset - each.base && offset - each.base < each.node.end;

const endsAt = ({ node, base }: Located, offset: number): boolean => node.end + base === offset;

/** Decorators stand before the definition. */
function startOf({ is, node }: Located): number {
  if (is !== 'statement' || (node.kind !== 'FunctionDef' && node.kind !== 'ClassDef')) return node.start;
  return node.decorators.reduce((least, each) => Math.min(least, each.start), node.start);
}

function inside({ is, node, base }: Located): readonly Located[] {
  const expression = (each: Expression, at = base): Located => ({ is: 'expression', node: each, base: at });
  const statement = (each: Statement, at = base): Located => ({ is: 'statement', node: each, base: at });
  switch (is) {
    case 'expression':
      return partsOf(node).map((each) => expression(each));
    case 'parameter':
      return partsOfParameter(node).map((each) => expression(each));
    case 'statement': {
      const outside = expressionsOf(node).map((each) => expression(each));
      if (node.kind !== 'FunctionDef')
        return [
          ...outside,
          ...bodiesOf(node)
            .flat()
            .map((each) => statement(each)),
        ];
      const own = base + node.start;
      const parameters = parametersOf(node.args).map((each): Located => ({ is: 'parameter', node: each, base: own }));
      const defaults = parametersOf(node.args).flatMap(partsOfParameter);
      return [
        ...outside,
        ...parameters,
        ...defaults.map((each) => expression(each, own)),
        ...(node.returns === null ? [] : [expression(node.returns, own)]),
        ...node.body.map((each) => statement(each, own)),
      ];
    }
  }
}
