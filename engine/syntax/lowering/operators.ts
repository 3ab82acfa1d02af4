import type { BinaryOperator, BoolOp, Compare, ComparisonOperator, Expression, IfExp, Node, UnaryOp } from '../ast.ts';
import { kindAt, nextAt, type Tape } from '../tape.ts';
import { expression } from './expressions.ts';
import { bad, endOf, type Lowering, MAX_DEPTH, startOf } from './lowering.ts';

export function comparison(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  const ops: ComparisonOperator[] = [];
  const values: Expression[] = [];
  const end = nextAt(tape, entry);
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    const kind = kindAt(tape, child);
    if (isComparison(kind)) ops.push(kind);
    else if (kind === '<>') ops.push('!=');
    else values.push(expression(lowering, child));
  }
  const [left, ...comparators] = values;
  if (left === undefined) return bad(lowering, entry);
  const place = { start: startOf(lowering, entry), end: endOf(lowering, entry) };
  return unstarred({ kind: 'Compare', ...place, left, ops, comparators });
}

/** A star before the first operand takes the whole expression. */
export function unstarred(node: BoolOp | Compare | IfExp): Expression {
  const first = node.kind === 'BoolOp' ? node.values[0] : node.kind === 'Compare' ? node.left : node.body;
  if (first?.kind !== 'Starred') return node;
  const { value } = first;
  const place = { start: value.start, end: node.end };
  return { kind: 'Starred', start: node.start, end: node.end, value: withFirst(node, place, value) };
}

function withFirst(node: BoolOp | Compare | IfExp, place: Node, first: Expression): Expression {
  switch (node.kind) {
    case 'BoolOp':
      return { ...node, ...place, values: [first, ...node.values.slice(1)] };
    case 'Compare':
      return { ...node, ...place, left: first };
    case 'IfExp':
      return { ...node, ...place, body: first };
  }
}

function isComparison(kind: string): kind is ComparisonOperator {
  return /^(?:[<>]=?|[=!]=|is|is not|in|not in)$/.test(kind);
}

/** `a and b and c` is one BoolOp of three values. */
export function booleanOperands(lowering: Lowering, entry: number): { op: 'and' | 'or'; values: Expression[] } {
  const { tape } = lowering;
  const operator = (at: number) => kindAt(tape, nextAt(tape, at + 1));
  const op = operator(entry) === 'or' ? 'or' : 'and';
  const rights: number[] = [];
  let at = entry;
  while (kindAt(tape, at) === 'boolean_operator' && operator(at) === op) {
    rights.push(nextAt(tape, nextAt(tape, at + 1)));
    at = at + 1;
  }
  const values = [at, ...rights.reverse()].map((value) => expression(lowering, value));
  return { op, values };
}

export function unaryOperator(lowering: Lowering, entry: number): UnaryOp['op'] {
  const token = kindAt(lowering.tape, entry + 1);
  return token === '+' || token === '-' || token === '~' ? token : 'not';
}

function operatorAt(tape: Tape, entry: number): string {
  return kindAt(tape, entry) === 'binary_operator' ? kindAt(tape, nextAt(tape, entry + 1)) : '';
}

/** The operands of a row of equal operators that takes from the left. */
function row(tape: Tape, entry: number, op: BinaryOperator): number[] {
  const rights: number[] = [];
  let at = entry;
  while (operatorAt(tape, at) === op) {
    rights.push(nextAt(tape, nextAt(tape, at + 1)));
    at = at + 1;
  }
  return [at, ...rights.reverse()];
}

/** tree-sitter-python 0.25 binds `^` tighter than `&`; in Python it is the other way round. */
export function isMixed({ tape }: Lowering, entry: number): boolean {
  if (operatorAt(tape, entry) !== '&') return false;
  return row(tape, entry, '&').some((operand) => operatorAt(tape, operand) === '^');
}

/** The operands of `a & b ^ c & d` in groups: those between two `^` belong together. */
export function mixed(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  const groups: Operand[][] = [[]];
  for (const operand of row(tape, entry, '&')) {
    const [first = operand, ...more] = row(tape, operand, '^');
    groups.at(-1)?.push(placed(lowering, first));
    for (const each of more) groups.push([placed(lowering, each)]);
  }
  if (groups.flat().length > MAX_DEPTH - lowering.depth) return bad(lowering, entry);
  return fold(
    '^',
    groups.map((group) => fold('&', group)),
  ).node;
}

/** An operand with its place, which its parentheses belong to. */
interface Operand {
  readonly node: Expression;
  readonly start: number;
  readonly end: number;
}

function placed(lowering: Lowering, entry: number): Operand {
  return { node: expression(lowering, entry), start: startOf(lowering, entry), end: endOf(lowering, entry) };
}

function fold(op: BinaryOperator, operands: readonly Operand[]): Operand {
  return operands.reduce((left, right) => {
    const place = { start: left.start, end: right.end };
    return { node: { kind: 'BinOp', ...place, op, left: left.node, right: right.node }, ...place };
  });
}

/** `a | b | c` in an annotation may come as `a | (b | c)`; without parentheses `|` takes from the left. */
export function union(lowering: Lowering, start: number, left: Expression, entry: number): Expression {
  const first = kindAt(lowering.tape, entry) === 'type' ? entry + 1 : entry;
  const rights = row(lowering.tape, first, '|').map((each) => placed(lowering, each));
  if (rights.length > MAX_DEPTH - lowering.depth) return bad(lowering, entry);
  return fold('|', [{ node: left, start, end: left.end }, ...rights]).node;
}
