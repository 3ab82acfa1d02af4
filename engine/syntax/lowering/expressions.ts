import type { BinaryOperator, Constant, Expression, Keyword, Slice } from '../ast.ts';
import { hasToken, isToken, kindAt, nextAt, operands, startAt } from '../tape.ts';
import { comprehension, dictionary } from './displays.ts';
import { number, string } from './literals.ts';
import { bad, endOf, type Lowering, MAX_DEPTH, startOf, textAt } from './lowering.ts';
import { booleanOperands, comparison, isMixed, mixed, unaryOperator, union, unstarred } from './operators.ts';
import { parameters } from './parameters.ts';

/** Lowers an expression, pattern or type that parsed without an error. */
export function expression(lowering: Lowering, entry: number): Expression {
  if (lowering.depth >= MAX_DEPTH) return bad(lowering, entry);
  lowering.depth++;
  const lowered = byKind(lowering, entry);
  lowering.depth--;
  return lowered;
}

function byKind(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  const start = startOf(lowering, entry);
  const end = endOf(lowering, entry);
  const kind = kindAt(tape, entry);
  switch (kind) {
    case 'identifier':
      return { kind: 'Name', start, end, id: textAt(lowering, entry) };
    case 'attribute':
    case 'call':
    case 'subscript':
    case 'binary_operator':
      return isMixed(lowering, entry) ? mixed(lowering, entry) : chain(lowering, entry);
    case 'string':
    case 'concatenated_string':
      return string(lowering, entry) ?? bad(lowering, entry);
    case 'integer':
    case 'float':
      return number(lowering, entry);
    case 'true':
    case 'false':
      return { kind: 'Constant', start, end, literal: 'bool', value: kind === 'true' };
    case 'none':
      return { kind: 'Constant', start, end, literal: 'none', value: null };
    case 'ellipsis':
      return { kind: 'Constant', start, end, literal: 'ellipsis', value: undefined } satisfies Constant;
    case 'parenthesized_expression':
    case 'type':
    case 'as_pattern':
    case 'as_pattern_target':
      return inside(lowering, entry);
    case 'comparison_operator':
      return comparison(lowering, entry);
    case 'boolean_operator':
      return unstarred({ kind: 'BoolOp', start, end, ...booleanOperands(lowering, entry) });
    case 'not_operator':
    case 'unary_operator':
      return { kind: 'UnaryOp', start, end, op: unaryOperator(lowering, entry), operand: operand(lowering, entry, 0) };
    case 'conditional_expression': {
      const body = operand(lowering, entry, 0);
      const test = operand(lowering, entry, 1);
      return unstarred({ kind: 'IfExp', start, end, test, body, orelse: operand(lowering, entry, 2) });
    }
    case 'tuple':
    case 'tuple_pattern':
      if (kind === 'tuple_pattern' && !hasToken(tape, entry, ',') && nextAt(tape, entry) > entry + 3) {
        return inside(lowering, entry);
      }
      return { kind: 'Tuple', start, end, elts: all(lowering, entry) };
    case 'expression_list':
    case 'pattern_list':
      return { kind: 'Tuple', start, end, elts: all(lowering, entry) };
    case 'list':
    case 'list_pattern':
      return { kind: 'List', start, end, elts: all(lowering, entry) };
    case 'set':
      return { kind: 'Set', start, end, elts: all(lowering, entry) };
    case 'dictionary':
      return dictionary(lowering, entry);
    case 'list_comprehension':
    case 'set_comprehension':
    case 'dictionary_comprehension':
    case 'generator_expression':
      return comprehension(lowering, entry, kind);
    case 'slice':
    case 'constrained_type':
      return slice(lowering, entry);
    case 'list_splat':
    case 'list_splat_pattern':
    case 'splat_type':
      return { kind: 'Starred', start, end, value: operand(lowering, entry, 0) };
    case 'named_expression': {
      const target = operand(lowering, entry, 0);
      if (target.kind !== 'Name') return bad(lowering, entry);
      return { kind: 'NamedExpr', start, end, target, value: operand(lowering, entry, 1) };
    }
    case 'lambda':
      return lambda(lowering, entry);
    case 'await':
      return { kind: 'Await', start, end, value: operand(lowering, entry, 0) };
    case 'yield': {
      lowering.yields = true;
      const value = operands(tape, entry)[0];
      const from = hasToken(tape, entry, 'from');
      return { kind: 'Yield', start, end, value: value === undefined ? null : expression(lowering, value), from };
    }
    case 'generic_type':
    case 'union_type':
    case 'member_type':
      return typeForm(lowering, entry, kind);
    default:
      return bad(lowering, entry);
  }
}

/** The operand at `index` among the named children. */
export function operand(lowering: Lowering, entry: number, index: number): Expression {
  const found = operands(lowering.tape, entry)[index];
  return found === undefined ? bad(lowering, entry) : expression(lowering, found);
}

function all(lowering: Lowering, entry: number): Expression[] {
  return operands(lowering.tape, entry).map((child) => expression(lowering, child));
}

/** Parentheses are no node in Python, so any number of them costs no depth. */
function inside(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  let at = entry;
  for (;;) {
    const inner = operands(tape, at)[0];
    if (inner === undefined) return bad(lowering, entry);
    if (kindAt(tape, inner) !== 'parenthesized_expression') return byKind(lowering, inner);
    at = inner;
  }
}

function isLink(kind: string): boolean {
  return kind === 'attribute' || kind === 'call' || kind === 'subscript' || kind === 'binary_operator';
}

/**
 * Attributes, calls, subscripts and operators nest to the left without end; their first operands are found by a loop.
 * tree-sitter may hang a star on the first operand alone, where in Python it takes the whole chain.
 */
function chain(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  const outer = lowering.depth;
  const links: number[] = [];
  let at = entry;
  while (isLink(kindAt(tape, at)) && outer + links.length < MAX_DEPTH) {
    if (links.length > 0 && isMixed(lowering, at)) break;
    links.push(at);
    at = at + 1;
  }
  lowering.depth = outer + links.length;
  const starred = kindAt(tape, at) === 'list_splat' ? operands(tape, at)[0] : undefined;
  let value = expression(lowering, starred ?? at);
  for (let index = links.length - 1; index >= 0; index--) {
    const each = links[index] ?? entry;
    lowering.depth = outer + index;
    value = link(lowering, each, starred === undefined ? startOf(lowering, each) : startOf(lowering, starred), value);
  }
  lowering.depth = outer;
  if (starred === undefined) return value;
  return { kind: 'Starred', start: startOf(lowering, entry), end: endOf(lowering, entry), value };
}

/** One link of a chain, around its first operand. */
function link(lowering: Lowering, entry: number, start: number, value: Expression): Expression {
  const { tape } = lowering;
  const end = endOf(lowering, entry);
  const second = nextAt(tape, entry + 1);
  switch (kindAt(tape, entry)) {
    case 'attribute': {
      const name = nextAt(tape, second);
      return { kind: 'Attribute', start, end, value, attr: textAt(lowering, name), attrStart: startOf(lowering, name) };
    }
    case 'call':
      return { kind: 'Call', start, end, func: value, ...callArguments(lowering, second) };
    case 'subscript':
      return { kind: 'Subscript', start, end, value, slice: subscripts(lowering, entry, second) };
    default: {
      const op = kindAt(tape, second) as BinaryOperator;
      return { kind: 'BinOp', start, end, op, left: value, right: expression(lowering, nextAt(tape, second)) };
    }
  }
}

/** `entry` is an argument list or a bare generator expression. */
export function callArguments(lowering: Lowering, entry: number): { args: Expression[]; keywords: Keyword[] } {
  const { tape } = lowering;
  const args: Expression[] = [];
  const keywords: Keyword[] = [];
  if (kindAt(tape, entry) === 'generator_expression') return { args: [expression(lowering, entry)], keywords };
  const end = nextAt(tape, entry);
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    if (isToken(tape, child)) continue;
    const kind = kindAt(tape, child);
    if (kind === 'keyword_argument') {
      const value = operand(lowering, child, 1);
      keywords.push({
        start: startOf(lowering, child),
        end: endOf(lowering, child),
        arg: textAt(lowering, child + 1),
        value,
      });
    } else if (kind === 'dictionary_splat') {
      const value = operand(lowering, child, 0);
      keywords.push({ start: startOf(lowering, child), end: endOf(lowering, child), arg: null, value });
    } else args.push(expression(lowering, child));
  }
  return { args, keywords };
}

/** `x[a, b]` and `x[a,]` subscript by a Tuple that reaches from its first element over the last comma. */
function subscripts(lowering: Lowering, entry: number, bracket: number): Expression {
  const { tape } = lowering;
  const end = nextAt(tape, entry);
  const elts: Expression[] = [];
  let commas = 0;
  let trailing = false;
  for (let child = nextAt(tape, bracket); child < end; child = nextAt(tape, child)) {
    if (!isToken(tape, child)) {
      elts.push(expression(lowering, child));
      trailing = false;
    } else if (kindAt(tape, child) === ',') {
      commas++;
      trailing = true;
    }
  }
  const [first] = elts;
  const last = elts.at(-1);
  if (first === undefined || last === undefined) return bad(lowering, entry);
  if (commas === 0 && first.kind !== 'Starred') return first;
  const from = startAt(tape, nextAt(tape, bracket)) - lowering.base;
  const to = trailing ? lowering.text.indexOf(',', last.end + lowering.base) + 1 - lowering.base : last.end;
  return { kind: 'Tuple', start: from, end: to, elts };
}

function slice(lowering: Lowering, entry: number): Slice {
  const { tape } = lowering;
  const parts: [Expression | null, Expression | null, Expression | null] = [null, null, null];
  const end = nextAt(tape, entry);
  let index = 0;
  for (let child = entry + 1; child < end; child = nextAt(tape, child)) {
    if (isToken(tape, child)) index++;
    else parts[index] = expression(lowering, child);
  }
  const [lower, upper, step] = parts;
  return { kind: 'Slice', start: startOf(lowering, entry), end: endOf(lowering, entry), lower, upper, step };
}

function lambda(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  const outer = lowering.yields;
  const parts = operands(tape, entry);
  const body = parts.at(-1);
  const args = parameters(lowering, parts.length > 1 ? (parts[0] ?? null) : null);
  const lowered = body === undefined ? bad(lowering, entry) : expression(lowering, body);
  lowering.yields = outer;
  return { kind: 'Lambda', start: startOf(lowering, entry), end: endOf(lowering, entry), args, body: lowered };
}

/** In annotations tree-sitter has nodes of its own for what are subscripts, `|` and attributes. */
function typeForm(lowering: Lowering, entry: number, kind: string): Expression {
  const { tape } = lowering;
  const start = startOf(lowering, entry);
  const end = endOf(lowering, entry);
  const value = operand(lowering, entry, 0);
  const second = operands(tape, entry)[1];
  if (second === undefined) return bad(lowering, entry);
  switch (kind) {
    case 'generic_type':
      return { kind: 'Subscript', start, end, value, slice: subscripts(lowering, second, second + 1) };
    case 'union_type':
      return union(lowering, start, value, second);
    default: {
      const attr = textAt(lowering, second);
      return { kind: 'Attribute', start, end, value, attr, attrStart: startOf(lowering, second) };
    }
  }
}
