import type { Comprehension, Dict, Expression, Generator } from '../ast.ts';
import { kindAt, operands } from '../tape.ts';
import { expression, operand } from './expressions.ts';
import { bad, endOf, type Lowering, startOf } from './lowering.ts';

export function dictionary(lowering: Lowering, entry: number): Dict {
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

export function comprehension(lowering: Lowering, entry: number, kind: string): Expression {
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
