import type { Body, Expression, Keyword, Parameter, Parameters, Statement } from './ast.ts';

/** The parts of an expression, in source order as far as Python's own fields are. */
export function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'Name':
    case 'Constant':
    case 'BadExpression':
      return [];
    case 'JoinedStr':
      return node.values.filter((value) => typeof value !== 'string');
    case 'Attribute':
    case 'Starred':
    case 'Await':
      return [node.value];
    case 'Yield':
      return present([node.value]);
    case 'Subscript':
      return [node.value, node.slice];
    case 'Slice':
      return present([node.lower, node.upper, node.step]);
    case 'Call':
      return [node.func, ...node.args, ...valuesOf(node.keywords)];
    case 'BinOp':
      return [node.left, node.right];
    case 'UnaryOp':
      return [node.operand];
    case 'BoolOp':
      return node.values;
    case 'Compare':
      return [node.left, ...node.comparators];
    case 'IfExp':
      return [node.test, node.body, node.orelse];
    case 'Lambda':
      return [...parametersOf(node.args).flatMap(partsOfParameter), node.body];
    case 'Tuple':
    case 'List':
    case 'Set':
      return node.elts;
    case 'Dict':
      return [...present(node.keys), ...node.values];
    case 'Comprehension':
      return [
        ...present([node.element, node.value]),
        ...node.generators.flatMap((each) => [each.target, each.iter, ...each.ifs]),
      ];
    case 'NamedExpr':
      return [node.target, node.value];
  }
}

/**
 * The expressions that stand directly in a statement. Those of a FunctionDef in its own frame (parameters, `returns`) are not among
 * them: they are placed differently.
 */
export function expressionsOf(node: Statement): readonly Expression[] {
  switch (node.kind) {
    case 'FunctionDef':
      return node.decorators;
    case 'ClassDef':
      return [...node.decorators, ...node.bases, ...valuesOf(node.keywords)];
    case 'Return':
    case 'Expr':
      return present([node.value]);
    case 'Delete':
      return node.targets;
    case 'Assign':
      return [...node.targets, node.value];
    case 'AugAssign':
      return [node.target, node.value];
    case 'AnnAssign':
      return present([node.target, node.annotation, node.value]);
    case 'For':
      return [node.target, node.iter];
    case 'While':
    case 'If':
      return [node.test];
    case 'With':
      return node.items.flatMap((item) => present([item.context, item.target]));
    case 'Match':
      return [node.subject, ...node.cases.flatMap((each) => present([each.literal, each.guard]))];
    case 'Raise':
      return present([node.exception]);
    case 'Try':
      return present(node.handlers.map((handler) => handler.type));
    case 'Assert':
      return present([node.test, node.message]);
    case 'Import':
    case 'ImportFrom':
    case 'Global':
    case 'Pass':
    case 'Break':
    case 'Continue':
    case 'BadStatement':
      return [];
  }
}

/** The blocks of a statement. That of a FunctionDef is placed in its own frame. */
export function bodiesOf(node: Statement): readonly Body[] {
  switch (node.kind) {
    case 'FunctionDef':
    case 'ClassDef':
    case 'With':
      return [node.body];
    case 'For':
    case 'While':
    case 'If':
      return [node.body, node.orelse];
    case 'Match':
      return node.cases.map((each) => each.body);
    case 'Try':
      return [node.body, ...node.handlers.map((handler) => handler.body), node.orelse, node.finalbody];
    default:
      return [];
  }
}

/** All parameters in the order in which they are written. */
export function parametersOf(node: Parameters): readonly Parameter[] {
  return [...node.positional, ...present([node.vararg]), ...node.keywordOnly, ...present([node.kwarg])];
}

export const partsOfParameter = (node: Parameter): readonly Expression[] => present([node.annotation, node.default]);

const valuesOf = (keywords: readonly Keyword[]): Expression[] => keywords.map((keyword) => keyword.value);

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null);
}
