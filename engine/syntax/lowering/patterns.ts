import type { Body, Expression, MatchCase } from '../ast.ts';
import { hasToken, isBroken, isToken, kindAt, nextAt, operands, startAt } from '../tape.ts';
import { expression } from './expressions.ts';
import { dottedAt, type Lowering, startOf, textAt } from './lowering.ts';

export function matchCase(lowering: Lowering, entry: number, body: Body): MatchCase {
  const { tape } = lowering;
  const children = operands(tape, entry);
  const patterns = children.filter((child) => kindAt(tape, child) === 'case_pattern');
  const guard = children.find((child) => kindAt(tape, child) === 'if_clause');
  const condition = guard === undefined || isBroken(tape, guard) ? undefined : operands(tape, guard)[0];
  const names: string[] = [];
  for (const pattern of patterns) captures(lowering, pattern, names);
  const [first] = patterns;
  const alone =
    patterns.length === 1 &&
    !hasToken(tape, entry, ',') &&
    !isBroken(tape, first ?? entry) &&
    !lowering.lost.has(startAt(tape, entry));
  return {
    names,
    literal: alone && first !== undefined ? literal(lowering, first) : null,
    irrefutable: alone && first !== undefined && guard === undefined && isIrrefutable(lowering, first),
    guard: condition === undefined ? null : expression(lowering, condition),
    body,
  };
}

/** The names that a pattern binds. A dotted name of one part binds, one of several is looked up. */
function captures(lowering: Lowering, entry: number, names: string[]): void {
  const { tape } = lowering;
  const kind = kindAt(tape, entry);
  const children = operands(tape, entry);
  switch (kind) {
    case 'dotted_name': {
      const name = dottedAt(lowering, entry);
      if (name !== '_' && !name.includes('.')) names.push(name);
      return;
    }
    case 'splat_pattern':
      for (const child of children) names.push(textAt(lowering, child));
      return;
    case 'as_pattern':
      for (const child of children) {
        if (kindAt(tape, child) === 'identifier') names.push(textAt(lowering, child));
        else captures(lowering, child, names);
      }
      return;
    case 'class_pattern':
    case 'keyword_pattern':
      for (const child of children.slice(1)) captures(lowering, child, names);
      return;
    default:
      for (const child of children) captures(lowering, child, names);
  }
}

/** The single child of a `case_pattern`, where it has only one. */
function only(lowering: Lowering, entry: number): number {
  return kindAt(lowering.tape, entry) === 'case_pattern' ? entry + 1 : entry;
}

function isIrrefutable(lowering: Lowering, entry: number): boolean {
  const { tape } = lowering;
  const pattern = only(lowering, entry);
  switch (kindAt(tape, pattern)) {
    case '_':
      return true;
    case 'dotted_name':
      return !dottedAt(lowering, pattern).includes('.');
    case 'as_pattern':
      return isIrrefutable(lowering, pattern + 1);
    case 'union_pattern':
      return children(lowering, pattern).some((child) => isIrrefutable(lowering, child));
    case 'tuple_pattern': {
      const inner = operands(tape, pattern);
      return inner[0] !== undefined && !hasToken(tape, pattern, ',') && isIrrefutable(lowering, inner[0]);
    }
    default:
      return false;
  }
}

function children(lowering: Lowering, entry: number): number[] {
  const { tape } = lowering;
  const found: number[] = [];
  for (let child = entry + 1; child < nextAt(tape, entry); child = nextAt(tape, child)) {
    if (!isToken(tape, child) || kindAt(tape, child) === '_') found.push(child);
  }
  return found;
}

/** The literal or dotted name that a pattern consists of. */
function literal(lowering: Lowering, entry: number): Expression | null {
  const { tape } = lowering;
  const pattern = only(lowering, entry);
  switch (kindAt(tape, pattern)) {
    case '-': {
      const number = operands(tape, entry)[0];
      if (number === undefined) return null;
      const operand = expression(lowering, number);
      return { kind: 'UnaryOp', start: startOf(lowering, entry), end: operand.end, op: '-', operand };
    }
    case 'integer':
    case 'float':
    case 'string':
    case 'concatenated_string':
    case 'true':
    case 'false':
    case 'none':
      return expression(lowering, pattern);
    case 'dotted_name':
      return dotted(lowering, pattern);
    default:
      return null;
  }
}

function dotted(lowering: Lowering, entry: number): Expression | null {
  const parts = textAt(lowering, entry).split('.');
  if (parts.length === 1) return null;
  const start = startOf(lowering, entry);
  let at = startAt(lowering.tape, entry);
  let value: Expression | null = null;
  for (const part of parts) {
    const attr = part.trim();
    const attrStart = at + part.indexOf(attr) - lowering.base;
    const end = attrStart + attr.length;
    value =
      value === null
        ? { kind: 'Name', start, end, id: attr }
        : { kind: 'Attribute', start, end, value, attr, attrStart };
    at += part.length + 1;
  }
  return value;
}
