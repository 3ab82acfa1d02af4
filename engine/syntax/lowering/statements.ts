import type { BinaryOperator, Body, Expression, Node, Statement } from '../ast.ts';
import { endAt, isBroken, isToken, kindAt, nextAt, operands, startAt } from '../tape.ts';
import { isCompound, lowerCompound } from './compound.ts';
import { expression } from './expressions.ts';
import { importFrom, importNames } from './imports.ts';
import { bad, endOf, type Lowering, MAX_DEPTH, startOf, textAt } from './lowering.ts';

/** The statements among the children of `entry`: a block, a module, or the remains of one. */
export function statements(lowering: Lowering, entry: number, into: Statement[] = []): Statement[] {
  const { tape } = lowering;
  const end = nextAt(tape, entry);
  if (lowering.depth >= MAX_DEPTH) {
    into.push({ kind: 'BadStatement', start: startOf(lowering, entry), end: endOf(lowering, entry) });
    return into;
  }
  lowering.depth++;
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    if (!isToken(tape, child)) statement(lowering, child, into);
  }
  lowering.depth--;
  return into;
}

function statement(lowering: Lowering, entry: number, into: Statement[]): void {
  const { tape } = lowering;
  const kind = kindAt(tape, entry);
  const lostEnd = lowering.lost.get(startAt(tape, entry));
  if (isCompound(kind)) into.push(...lowerCompound(lowering, entry, kind));
  else if (lostEnd !== undefined) into.push(badStatement(lowering, entry, lostEnd - lowering.base));
  else if (kind === 'ERROR') remains(lowering, entry, into);
  else if (isBroken(tape, entry)) into.push(complain(lowering, entry, 'This line cannot be read.'));
  else into.push(simple(lowering, entry, kind));
}

function badStatement(lowering: Lowering, entry: number, end: number): Statement {
  return { kind: 'BadStatement', start: startOf(lowering, entry), end };
}

function complain(lowering: Lowering, entry: number, message: string): Statement {
  const { tape } = lowering;
  lowering.problems.push({ start: startAt(tape, entry), end: endAt(tape, entry), message });
  return badStatement(lowering, entry, endOf(lowering, entry));
}

/** Whole statements survive inside what could not be parsed. */
function remains(lowering: Lowering, entry: number, into: Statement[]): void {
  const { tape } = lowering;
  into.push(complain(lowering, entry, 'This code cannot be read.'));
  for (const child of operands(tape, entry)) {
    const kind = kindAt(tape, child);
    if (isCompound(kind) || SIMPLE.has(kind)) statement(lowering, child, into);
    else if (kind === 'block') statements(lowering, child, into);
  }
}

const SIMPLE = new Set(
  ['expression return delete raise pass break continue assert import import_from future_import global nonlocal']
    .flatMap((line) => line.split(' '))
    .map((name) => `${name}_statement`),
);

function simple(lowering: Lowering, entry: number, kind: string): Statement {
  const { tape } = lowering;
  const place: Node = { start: startOf(lowering, entry), end: endOf(lowering, entry) };
  switch (kind) {
    case 'expression_statement':
      return expressionStatement(lowering, entry, place);
    case 'return_statement':
      return { kind: 'Return', ...place, value: optional(lowering, entry, 0) };
    case 'import_statement':
      return { kind: 'Import', ...place, names: importNames(lowering, operands(tape, entry)) };
    case 'import_from_statement':
    case 'future_import_statement':
      return { kind: 'ImportFrom', ...place, ...importFrom(lowering, entry, kind) };
    case 'pass_statement':
      return { kind: 'Pass', ...place };
    case 'break_statement':
      return { kind: 'Break', ...place };
    case 'continue_statement':
      return { kind: 'Continue', ...place };
    case 'assert_statement':
      return { kind: 'Assert', ...place, test: required(lowering, entry), message: optional(lowering, entry, 1) };
    case 'raise_statement':
      return {
        kind: 'Raise',
        ...place,
        exception: kindAt(tape, entry + 2) === 'from' ? null : raised(lowering, entry),
      };
    case 'delete_statement': {
      const [targets] = operands(tape, entry);
      const list = targets !== undefined && kindAt(tape, targets) === 'expression_list' ? targets : entry;
      return { kind: 'Delete', ...place, targets: operands(tape, list).map((child) => expression(lowering, child)) };
    }
    case 'global_statement':
    case 'nonlocal_statement': {
      const names = operands(tape, entry).map((child) => textAt(lowering, child));
      return { kind: 'Global', ...place, nonlocal: kind === 'nonlocal_statement', names };
    }
    case 'type_alias_statement':
      return { kind: 'Assign', ...place, targets: [aliasName(lowering, entry)], value: required(lowering, entry, 1) };
    case 'print_statement':
    case 'exec_statement':
      return complain(lowering, entry, 'This statement is Python 2.');
    default:
      return complain(lowering, entry, 'This line cannot be read.');
  }
}

function optional(lowering: Lowering, entry: number, index: number): Expression | null {
  const found = operands(lowering.tape, entry)[index];
  return found === undefined ? null : expression(lowering, found);
}

function required(lowering: Lowering, entry: number, index = 0): Expression {
  return optional(lowering, entry, index) ?? bad(lowering, entry);
}

/** Python 2 had `raise Class, message`. */
function raised(lowering: Lowering, entry: number): Expression | null {
  const exception = optional(lowering, entry, 0);
  return exception?.kind === 'Tuple' ? (exception.elts[0] ?? exception) : exception;
}

/** `type X[T] = ...` binds X. */
function aliasName(lowering: Lowering, entry: number): Expression {
  const left = required(lowering, entry);
  return left.kind === 'Subscript' ? left.value : left;
}

function expressionStatement(lowering: Lowering, entry: number, place: Node): Statement {
  const { tape } = lowering;
  const first = entry + 1;
  switch (kindAt(tape, first)) {
    case 'assignment':
      return assignment(lowering, first, place);
    case 'augmented_assignment': {
      const [target = first, value = first] = operands(tape, first);
      const op = kindAt(tape, nextAt(tape, target)).slice(0, -1) as BinaryOperator;
      return {
        kind: 'AugAssign',
        ...place,
        target: expression(lowering, target),
        op,
        value: expression(lowering, value),
      };
    }
    default: {
      if (nextAt(tape, first) === nextAt(tape, entry)) {
        return { kind: 'Expr', ...place, value: expression(lowering, first) };
      }
      const elts = operands(tape, entry).map((child) => expression(lowering, child));
      return { kind: 'Expr', ...place, value: { kind: 'Tuple', ...place, elts } };
    }
  }
}

/** `a = b = value` nests to the right in tree-sitter. */
function assignment(lowering: Lowering, entry: number, place: Node): Statement {
  const { tape } = lowering;
  const targets: Expression[] = [];
  let at = entry;
  for (;;) {
    const [left = at, second, third] = operands(tape, at);
    const target = expression(lowering, left);
    if (kindAt(tape, nextAt(tape, left)) === ':') {
      const annotation = second === undefined ? bad(lowering, at) : expression(lowering, second);
      const value = third === undefined ? null : expression(lowering, third);
      return { kind: 'AnnAssign', ...place, target, annotation, value };
    }
    targets.push(target);
    if (second === undefined || kindAt(tape, second) !== 'assignment') {
      const value = second === undefined ? bad(lowering, at) : expression(lowering, second);
      return { kind: 'Assign', ...place, targets, value };
    }
    at = second;
  }
}

/** A body and where it ends, in the frame that its statements are placed in. */
export function bodyEnd(body: Body, otherwise: number): number {
  return body.at(-1)?.end ?? otherwise;
}
