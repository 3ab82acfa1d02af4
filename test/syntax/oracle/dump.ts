import {
  type Body,
  type Expression,
  lineStarts,
  type Module,
  type Node,
  type Parameter,
  type Parameters,
  pythonPosition,
  type Statement,
} from '../../../engine/syntax/index.ts';

/** A module in the form of dump.py, so that the two can be compared row by row. */
export function dump(module: Module, text: string): string[] {
  const rows: string[] = [];
  const starts = lineStarts(text);
  let base = 0;

  function row(node: Node, ...says: string[]): void {
    const from = pythonPosition(text, starts, node.start + base);
    const to = pythonPosition(text, starts, node.end + base);
    rows.push([...says, `${from.line}:${from.column}-${to.line}:${to.column}`].join(' '));
  }

  const body = (statements: Body): void => {
    for (const each of statements) statement(each);
  };

  const all = (values: readonly (Expression | null)[]): void => {
    for (const each of values) if (each !== null) expression(each);
  };

  function parameters(node: Parameters): void {
    const one = (mark: string, each: Parameter): void => {
      row(each, mark + each.name);
      all([each.annotation, each.default]);
    };
    for (const each of node.positional) one('', each);
    rows.push(`/ ${node.positionalOnly}`);
    if (node.vararg !== null) one('*', node.vararg);
    for (const each of node.keywordOnly) one('=', each);
    if (node.kwarg !== null) one('**', node.kwarg);
  }

  const aliases = (names: readonly { name: string; asname: string | null }[]): string =>
    names.map(({ name, asname }) => `${name}:${asname ?? ''}`).join(',');

  function statement(node: Statement): void {
    switch (node.kind) {
      case 'FunctionDef': {
        all(node.decorators);
        row(node, node.isAsync ? 'async' : 'def', node.name, String(node.docstring !== null));
        const outer = base;
        base += node.start;
        parameters(node.args);
        all([node.returns]);
        body(node.body);
        rows.push(`generator ${node.isGenerator}`);
        base = outer;
        return;
      }
      case 'ClassDef':
        all(node.decorators);
        row(node, 'ClassDef', node.name, String(node.docstring !== null));
        all(node.bases);
        for (const each of node.keywords) {
          row(each, 'keyword', each.arg ?? '**');
          expression(each.value);
        }
        body(node.body);
        return;
      case 'Import':
        row(node, 'Import', aliases(node.names));
        return;
      case 'ImportFrom':
        row(node, 'ImportFrom', '.'.repeat(node.level) + node.module, aliases(node.names));
        return;
      case 'Global':
        row(node, 'Global', ...(node.nonlocal ? ['nonlocal'] : []), node.names.join(','));
        return;
      case 'AugAssign':
        row(node, 'AugAssign', node.op);
        all([node.target, node.value]);
        return;
    }
    row(node, node.kind);
    switch (node.kind) {
      case 'Return':
      case 'Expr':
        all([node.value]);
        return;
      case 'Delete':
        all(node.targets);
        return;
      case 'Assign':
        all([...node.targets, node.value]);
        return;
      case 'AnnAssign':
        all([node.target, node.annotation, node.value]);
        return;
      case 'For':
        all([node.target, node.iter]);
        body(node.body);
        body(node.orelse);
        return;
      case 'While':
      case 'If':
        expression(node.test);
        body(node.body);
        body(node.orelse);
        return;
      case 'With':
        for (const item of node.items) all([item.context, item.target]);
        body(node.body);
        return;
      case 'Match':
        expression(node.subject);
        for (const each of node.cases) {
          rows.push(`case ${[...each.names].sort().join(',')}`);
          all([each.guard]);
          body(each.body);
        }
        return;
      case 'Raise':
        all([node.exception]);
        return;
      case 'Try':
        body(node.body);
        for (const each of node.handlers) {
          rows.push(`except ${each.name ?? ''}`);
          all([each.type]);
          body(each.body);
        }
        body(node.orelse);
        body(node.finalbody);
        return;
      case 'Assert':
        all([node.test, node.message]);
        return;
      case 'Pass':
      case 'Break':
      case 'Continue':
      case 'BadStatement':
        return;
    }
  }

  function expression(node: Expression): void {
    row(
      node,
      node.kind === 'Yield' ? (node.from ? 'Yield from' : 'Yield') : node.kind,
      ...saysOf(node, text.slice(node.start + base, node.end + base)),
    );
    switch (node.kind) {
      case 'Name':
      case 'Constant':
      case 'JoinedStr':
      case 'BadExpression':
        return;
      case 'Attribute':
      case 'Starred':
      case 'Await':
      case 'Yield':
        all([node.value]);
        return;
      case 'Subscript':
        all([node.value, node.slice]);
        return;
      case 'Slice':
        all([node.lower, node.upper, node.step]);
        return;
      case 'Call':
        all([node.func, ...node.args]);
        for (const each of node.keywords) {
          row(each, 'keyword', each.arg ?? '**');
          expression(each.value);
        }
        return;
      case 'BinOp':
        all([node.left, node.right]);
        return;
      case 'UnaryOp':
        all([node.operand]);
        return;
      case 'BoolOp':
        all(node.values);
        return;
      case 'Compare':
        all([node.left, ...node.comparators]);
        return;
      case 'IfExp':
        all([node.test, node.body, node.orelse]);
        return;
      case 'Lambda':
        parameters(node.args);
        all([node.body]);
        return;
      case 'Tuple':
      case 'List':
      case 'Set':
        all(node.elts);
        return;
      case 'Dict':
        for (const [index, value] of node.values.entries()) {
          const key = node.keys[index] ?? null;
          if (key === null) rows.push('**');
          all([key, value]);
        }
        return;
      case 'Comprehension':
        all([node.element, node.value]);
        for (const each of node.generators) all([each.target, each.iter, ...each.ifs]);
        return;
      case 'NamedExpr':
        all([node.target, node.value]);
        return;
    }
  }

  body(module.body);
  return rows;
}

function saysOf(node: Expression, source: string): string[] {
  switch (node.kind) {
    case 'Name':
      return [node.id];
    case 'Attribute':
      return [node.attr];
    case 'BinOp':
    case 'UnaryOp':
    case 'BoolOp':
      return [node.op];
    case 'Compare':
      return [node.ops.join(',')];
    case 'Comprehension':
      return [node.form];
    case 'Constant':
      return [node.literal, ...constant(node.literal, node.value, source)];
    default:
      return [];
  }
}

function constant(literal: string, value: unknown, source: string): string[] {
  switch (literal) {
    case 'bool':
      return [String(value)];
    case 'int':
      return typeof value === 'number' && value < 2 ** 53 ? [String(value)] : [];
    case 'str':
    case 'bytes':
      return typeof value === 'string' && !source.includes('\\N') ? [asciiJson(value)] : [];
    default:
      return [];
  }
}

/** As Python's `json.dumps` writes a string. */
const asciiJson = (value: string): string =>
  JSON.stringify(value).replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
