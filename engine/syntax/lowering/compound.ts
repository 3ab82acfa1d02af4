import type { Body, ExceptHandler, Expression, Node, Parameters, Statement, WithItem } from '../ast.ts';
import { hasToken, isBroken, kindAt, operands, startAt } from '../tape.ts';
import { callArguments, expression } from './expressions.ts';
import { bad, endOf, type Lowering, startOf, textAt } from './lowering.ts';
import { parameters } from './parameters.ts';
import { matchCase } from './patterns.ts';
import { bodyEnd, statements } from './statements.ts';

const COMPOUND: Readonly<Record<string, (lowering: Lowering, entry: number) => Statement>> = {
  function_definition: (lowering, entry) => functionDefinition(lowering, entry, []),
  class_definition: (lowering, entry) => classDefinition(lowering, entry, []),
  decorated_definition: decorated,
  if_statement: conditional,
  for_statement: forLoop,
  while_statement: whileLoop,
  with_statement: withStatement,
  try_statement: tryStatement,
  match_statement: matchStatement,
};

export const isCompound = (kind: string): boolean => Object.hasOwn(COMPOUND, kind);

/** A broken header gives a statement with unknown parts around a body that survives. */
export function lowerCompound(lowering: Lowering, entry: number, kind: string): Statement[] {
  const lowered = COMPOUND[kind]?.(lowering, entry);
  return lowered === undefined ? [] : [lowered];
}

/** A part of a header; `index` counts among the named children that are no errors. */
function header(lowering: Lowering, entry: number, index: number): Expression {
  const found = parts(lowering, entry)[index];
  if (found === undefined || isBroken(lowering.tape, found)) return bad(lowering, found ?? entry);
  if (lowering.lost.has(startAt(lowering.tape, entry))) return bad(lowering, found);
  return expression(lowering, found);
}

/** The named children, errors left out. */
function parts(lowering: Lowering, entry: number): number[] {
  const found = operands(lowering.tape, entry);
  return lowering.tape.broken === null ? found : found.filter((child) => !isError(lowering, child));
}

function isError(lowering: Lowering, entry: number): boolean {
  const kind = kindAt(lowering.tape, entry);
  return kind === 'ERROR' || kind === 'MISSING';
}

/** The statements of the block, or of each block, that is a child of `entry`. */
function block(lowering: Lowering, entry: number): Statement[] {
  const body: Statement[] = [];
  for (const child of operands(lowering.tape, entry)) {
    if (kindAt(lowering.tape, child) === 'block') statements(lowering, child, body);
  }
  return body;
}

/** The body of the clause of this kind, or none. */
function clause(lowering: Lowering, entry: number, kind: string): Statement[] {
  const found = parts(lowering, entry).find((child) => kindAt(lowering.tape, child) === kind);
  return found === undefined ? [] : block(lowering, found);
}

function place(lowering: Lowering, entry: number, ...bodies: Body[]): Node {
  const last = bodies.findLast((body) => body.length > 0);
  return { start: startOf(lowering, entry), end: bodyEnd(last ?? [], endOf(lowering, entry)) };
}

// ---- definitions ------------------------------------------------------------------------------------

function decorated(lowering: Lowering, entry: number): Statement {
  const { tape } = lowering;
  const decorators: Expression[] = [];
  for (const child of parts(lowering, entry)) {
    const kind = kindAt(tape, child);
    if (kind === 'decorator') decorators.push(header(lowering, child, 0));
    else if (kind === 'class_definition') return classDefinition(lowering, child, decorators);
    else if (kind === 'function_definition') return functionDefinition(lowering, child, decorators);
  }
  return { kind: 'BadStatement', start: startOf(lowering, entry), end: endOf(lowering, entry) };
}

const NO_PARAMETERS: Parameters = { positional: [], positionalOnly: 0, vararg: null, keywordOnly: [], kwarg: null };

function functionDefinition(lowering: Lowering, entry: number, decorators: Expression[]): Statement {
  const { tape } = lowering;
  const outer = { base: lowering.base, yields: lowering.yields };
  const start = startOf(lowering, entry);
  const names = parts(lowering, entry);
  const name = names.find((child) => kindAt(tape, child) === 'identifier') ?? entry;
  const nameStart = startOf(lowering, name);
  lowering.base = startAt(tape, entry);
  lowering.yields = false;
  const list = names.find((child) => kindAt(tape, child) === 'parameters');
  const returnType = names.find((child) => kindAt(tape, child) === 'type');
  const args = list === undefined || isBroken(tape, list) ? NO_PARAMETERS : parameters(lowering, list);
  const returns = returnType === undefined || isBroken(tape, returnType) ? null : expression(lowering, returnType);
  const body = block(lowering, entry);
  const end = bodyEnd(body, endOf(lowering, entry)) + lowering.base - outer.base;
  const isGenerator = lowering.yields;
  lowering.base = outer.base;
  lowering.yields = outer.yields;
  return {
    kind: 'FunctionDef',
    start,
    end,
    name: name === entry ? '' : textAt(lowering, name),
    nameStart,
    args,
    returns,
    decorators,
    body,
    docstring: docstring(body),
    isAsync: kindAt(tape, entry + 1) === 'async',
    isGenerator,
  };
}

function classDefinition(lowering: Lowering, entry: number, decorators: Expression[]): Statement {
  const { tape } = lowering;
  const names = parts(lowering, entry);
  const name = names.find((child) => kindAt(tape, child) === 'identifier') ?? entry;
  const list = names.find((child) => kindAt(tape, child) === 'argument_list');
  const { args, keywords } =
    list === undefined || isBroken(tape, list) ? { args: [], keywords: [] } : callArguments(lowering, list);
  const body = block(lowering, entry);
  return {
    kind: 'ClassDef',
    ...place(lowering, entry, body),
    name: name === entry ? '' : textAt(lowering, name),
    nameStart: startOf(lowering, name),
    bases: args,
    keywords,
    decorators,
    body,
    docstring: docstring(body),
  };
}

export function docstring(body: Body): string | null {
  const [first] = body;
  if (first?.kind !== 'Expr' || first.value.kind !== 'Constant' || first.value.literal !== 'str') return null;
  return typeof first.value.value === 'string' ? first.value.value : null;
}

// ---- control flow -----------------------------------------------------------------------------------

/** Each `elif` is an If alone in the `orelse` before it; a loop builds them, the last one first. */
function conditional(lowering: Lowering, entry: number): Statement {
  const { tape } = lowering;
  const branches = [entry, ...parts(lowering, entry).filter((child) => kindAt(tape, child) === 'elif_clause')];
  const lowered = branches.map((branch) => {
    const test = header(lowering, branch, 0);
    return { branch, test, body: block(lowering, branch) };
  });
  let orelse: Statement[] = clause(lowering, entry, 'else_clause');
  for (const { branch, test, body } of lowered.reverse()) {
    orelse = [{ kind: 'If', ...place(lowering, branch, body, orelse), test, body, orelse }];
  }
  return orelse[0] ?? { kind: 'BadStatement', start: startOf(lowering, entry), end: endOf(lowering, entry) };
}

function forLoop(lowering: Lowering, entry: number): Statement {
  const target = header(lowering, entry, 0);
  const iter = header(lowering, entry, 1);
  const body = block(lowering, entry);
  const orelse = clause(lowering, entry, 'else_clause');
  return { kind: 'For', ...place(lowering, entry, body, orelse), target, iter, body, orelse };
}

function whileLoop(lowering: Lowering, entry: number): Statement {
  const test = header(lowering, entry, 0);
  const body = block(lowering, entry);
  const orelse = clause(lowering, entry, 'else_clause');
  return { kind: 'While', ...place(lowering, entry, body, orelse), test, body, orelse };
}

function withStatement(lowering: Lowering, entry: number): Statement {
  const { tape } = lowering;
  const list = parts(lowering, entry).find((child) => kindAt(tape, child) === 'with_clause');
  const lost = lowering.lost.has(startAt(tape, entry));
  const items = list === undefined || lost ? [] : parts(lowering, list).flatMap((item) => withItems(lowering, item));
  const body = block(lowering, entry);
  return { kind: 'With', ...place(lowering, entry, body), items, body };
}

/** `with (a as b, c):` may come as one item that is a tuple. */
function withItems(lowering: Lowering, entry: number): WithItem[] {
  const { tape } = lowering;
  const value = kindAt(tape, entry) === 'with_item' ? operands(tape, entry)[0] : entry;
  if (value === undefined || isBroken(tape, entry)) return [{ context: bad(lowering, entry), target: null }];
  const inner = operands(tape, value);
  switch (kindAt(tape, value)) {
    case 'as_pattern': {
      const [context = value, target] = inner;
      return [
        {
          context: expression(lowering, context),
          target: target === undefined ? null : expression(lowering, target),
        },
      ];
    }
    case 'tuple':
    case 'parenthesized_expression':
      if (inner.some((child) => kindAt(tape, child) === 'as_pattern')) {
        return inner.flatMap((child) => withItems(lowering, child));
      }
      break;
  }
  return [{ context: expression(lowering, value), target: null }];
}

function tryStatement(lowering: Lowering, entry: number): Statement {
  const { tape } = lowering;
  const body = block(lowering, entry);
  const handlers: ExceptHandler[] = [];
  for (const child of parts(lowering, entry)) {
    if (kindAt(tape, child) === 'except_clause') handlers.push(handler(lowering, child));
  }
  const orelse = clause(lowering, entry, 'else_clause');
  const finalbody = clause(lowering, entry, 'finally_clause');
  const bodies = [body, ...handlers.map((each) => each.body), orelse, finalbody];
  return { kind: 'Try', ...place(lowering, entry, ...bodies), body, handlers, orelse, finalbody };
}

/** Python 2 had `except Class, name`. */
function handler(lowering: Lowering, entry: number): ExceptHandler {
  const { tape } = lowering;
  const values = parts(lowering, entry).filter((child) => kindAt(tape, child) !== 'block');
  const [value, second] = values;
  const alias = value !== undefined && kindAt(tape, value) === 'as_pattern';
  const [type, name] = alias ? operands(tape, value) : [value, second];
  return {
    type: type === undefined || isBroken(tape, type) ? null : expression(lowering, type),
    name: name === undefined ? null : textAt(lowering, name),
    body: block(lowering, entry),
  };
}

function matchStatement(lowering: Lowering, entry: number): Statement {
  const { tape } = lowering;
  const children = parts(lowering, entry);
  const subjects = children.filter((child) => kindAt(tape, child) !== 'block');
  const cases = children
    .filter((child) => kindAt(tape, child) === 'block')
    .flatMap((child) => parts(lowering, child))
    .filter((child) => kindAt(tape, child) === 'case_clause')
    .map((child) => matchCase(lowering, child, block(lowering, child)));
  const elts = subjects.map((child) => (isBroken(tape, child) ? bad(lowering, child) : expression(lowering, child)));
  const [first = bad(lowering, entry)] = elts;
  const tuple = elts.length > 1 || hasToken(tape, entry, ',');
  const end = tuple ? (elts.at(-1) ?? first).end : first.end;
  const subject: Expression = tuple ? { kind: 'Tuple', start: first.start, end, elts } : first;
  return { kind: 'Match', ...place(lowering, entry, ...cases.map((each) => each.body)), subject, cases };
}
