import type {
  BinaryOperator,
  BoolOp,
  Compare,
  ComparisonOperator,
  Comprehension,
  Constant,
  Dict,
  Expression,
  Generator,
  IfExp,
  Keyword,
  Node,
  Slice,
  UnaryOp,
} from '../ast.ts';
import { hasToken, isToken, kindAt, nextAt, operands, startAt } from '../tape.ts';
import { number, string } from './literals.ts';
import { bad, endOf, type Lowering, MAX_DEPTH, startOf, textAt } from './lowering.ts';
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
      return chain(lowering, entry);
    case 'string':
    case 'concatenated_string':
      return string(lowering, entry, expression) ?? bad(lowering, entry);
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
function operand(lowering: Lowering, entry: number, index: number): Expression {
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

function comparison(lowering: Lowering, entry: number): Expression {
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
function unstarred(node: BoolOp | Compare | IfExp): Expression {
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
function booleanOperands(lowering: Lowering, entry: number): { op: 'and' | 'or'; values: Expression[] } {
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

function unaryOperator(lowering: Lowering, entry: number): UnaryOp['op'] {
  const token = kindAt(lowering.tape, entry + 1);
  return token === '+' || token === '-' || token === '~' ? token : 'not';
}

function dictionary(lowering: Lowering, entry: number): Dict {
  const { tape } = lowering;
  const keys: (Expression | null)[] = [];
  const values: Expression[] = [];
  for (const child of operands(tape, entry)) {
    const pair = kindAt(tape, child) === 'pair';
    keys.push(pair ? operand(lowering, child, 0) : null);
    values.push(operand(lowering, child, pair ? 1 : 0));
  }
  return { kind: 'Dict', start: startOf(lowering, entry), end: endOf(lowering, entry), keys, values };
}

const FORMS: Readonly<Record<string, Comprehension['form']>> = {
  list_comprehension: 'list',
  set_comprehension: 'set',
  dictionary_comprehension: 'dict',
  generator_expression: 'generator',
};

function comprehension(lowering: Lowering, entry: number, kind: string): Expression {
  const { tape } = lowering;
  const [body, ...clauses] = operands(tape, entry);
  if (body === undefined) return bad(lowering, entry);
  const pair = kindAt(tape, body) === 'pair';
  const element = pair ? operand(lowering, body, 0) : expression(lowering, body);
  const value = pair ? operand(lowering, body, 1) : null;
  const generators: (Generator & { ifs: Expression[] })[] = [];
  for (const clause of clauses) {
    if (kindAt(tape, clause) === 'if_clause') generators.at(-1)?.ifs.push(operand(lowering, clause, 0));
    else generators.push({ target: operand(lowering, clause, 0), iter: iterable(lowering, clause), ifs: [] });
  }
  const form = FORMS[kind] ?? 'generator';
  const place = { start: startOf(lowering, entry), end: endOf(lowering, entry) };
  return { kind: 'Comprehension', ...place, form, element, value, generators };
}

/** Python 2 allowed several expressions after `in`, which made a tuple. */
function iterable(lowering: Lowering, clause: number): Expression {
  const [, first, ...more] = operands(lowering.tape, clause).map((child) => expression(lowering, child));
  if (first === undefined) return bad(lowering, clause);
  const last = more.at(-1);
  return last === undefined ? first : { kind: 'Tuple', start: first.start, end: last.end, elts: [first, ...more] };
}

function lambda(lowering: Lowering, entry: number): Expression {
  const { tape } = lowering;
  const outer = lowering.yields;
  const parts = operands(tape, entry);
  const body = parts.at(-1);
  const args = parameters(lowering, parts.length > 1 ? (parts[0] ?? null) : null, expression);
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

/** `a | b | c` in an annotation may come as `a | (b | c)`; without parentheses `|` takes from the left. */
function union(lowering: Lowering, start: number, left: Expression, entry: number): Expression {
  const { tape } = lowering;
  const isUnion = (at: number) => kindAt(tape, at) === 'binary_operator' && hasToken(tape, at, '|');
  const rights: number[] = [];
  let at = kindAt(tape, entry) === 'type' ? entry + 1 : entry;
  while (isUnion(at)) {
    rights.push(nextAt(tape, nextAt(tape, at + 1)));
    at = at + 1;
  }
  return [at, ...rights.reverse()].reduce((value, each): Expression => {
    const right = expression(lowering, each);
    return { kind: 'BinOp', start, end: endOf(lowering, each), op: '|', left: value, right };
  }, left);
}
