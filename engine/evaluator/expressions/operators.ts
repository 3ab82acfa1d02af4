import { binary, unary } from '../../ops/index.ts';
import {
  add,
  floorDiv,
  int,
  learnAtLeast,
  mod,
  mul,
  neg,
  type SymInt,
  sub,
  symbol,
  symbolsOf,
} from '../../symbols/index.ts';
import type { BinaryOperator, BinOp, Expression, Node, UnaryOp } from '../../syntax/ast.ts';
import { boolValue, intValue, NONE, tupleOf, type Unknown, unknown, type Value } from '../../values/value.ts';
import { percentFormatted } from '../calls/texts.ts';
import { numberIfUnknown, ofGuessedNumber } from '../roots/guessed.ts';
import { symbolFor } from '../state/derived.ts';
import { isSequence } from '../state/heap.ts';
import { isPlain, optionsOf } from '../state/join.ts';
import { listOf } from '../state/objects.ts';
import { type Activation, heapRead, learn, learnSame, type Run, simple } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { runOutcome } from '../torch/torch.ts';
import { evaluate } from './expressions.ts';
import { askTruth } from './truth.ts';

/** The integer that a value is, or would be if it is one. */
export function integer(run: Run, value: Value): SymInt | null {
  if (value.kind === 'int') return simple(run, value.value);
  if (value.kind === 'bool') return int(value.value ? 1 : 0);
  if (value.kind === 'unknown' && value.symbol !== undefined) return simple(run, symbol(value.symbol));
  if (value.kind === 'either') {
    const ints = optionsOf(value).filter((o) => o.kind === 'int');
    const [only] = ints;
    return ints.length === 1 &&
      only?.kind === 'int' &&
      value.options.length === 2 &&
      value.options.some((o) => o.kind === 'none')
      ? only.value
      : null;
  }
  return null;
}

export function evaluateBinary(run: Run, act: Activation, node: BinOp): Value {
  // a chain `a + b + …` is walked without recursion
  const chain: BinOp[] = [];
  let leftmost: Expression = node;
  while (leftmost.kind === 'BinOp') {
    chain.push(leftmost);
    leftmost = leftmost.left;
  }
  let value = evaluate(run, act, leftmost);
  for (const at of chain.reverse())
    value = binaryValue(run, act, at.op, value, evaluate(run, act, at.right), at, at.left);
  return value;
}

export function binaryValue(
  run: Run,
  act: Activation,
  op: BinaryOperator,
  left: Value,
  right: Value,
  node: Node,
  self: Expression,
): Value {
  const [a, b] = [settled(run, left), settled(run, right)];
  if (isText(op, a, b)) return pythonBinary(run, op, a, b) ?? unknown('the text is not known');
  if (isTensorLike(run, a) || isTensorLike(run, b)) {
    const number = (value: Value): Value => (isPlain(run, value) ? numberIfUnknown(value) : value);
    return runOutcome(run, act, op, [a, b], { node, spelled: op, self }, (context, [x, y]) =>
      ofGuessedNumber(binary(op, number(x ?? NONE), number(y ?? NONE), context), [x ?? NONE, y ?? NONE]),
    );
  }
  const known = pythonBinary(run, op, a, b);
  if (known) return known;
  const [x, y] = [integer(run, a), integer(run, b)];
  if (
    x &&
    y &&
    (a.kind === 'int' || a.kind === 'unknown' || a.kind === 'bool' || a.kind === 'either') &&
    (b.kind === 'int' || b.kind === 'unknown' || b.kind === 'bool' || b.kind === 'either')
  ) {
    const result = arithmetic(op, x, y);
    if (result === null && op === '/')
      return (a.kind === 'int' && b.kind === 'int') || (isPlain(run, a) && isPlain(run, b))
        ? { kind: 'float', value: floatArithmetic(op, a, b) }
        : unnamed(a, b);
    if (result !== null && a.kind !== 'unknown' && b.kind !== 'unknown') return intValue(simple(run, result));
    const made = symbolFor(run, op, [x, y], 'n');
    if (
      [a, b].every((value) => value.kind !== 'unknown' || (value.symbol !== undefined && run.plain.has(value.symbol)))
    )
      for (const id of symbolsOf(made)) run.plain.add(id);
    // A difference may be negative, which sizes are not.
    if (op === '-') learn(run, learnAtLeast(run.layer.facts, made, -(2 ** 40)));
    if (result !== null) learnSame(run, made, result);
    const [id] = symbolsOf(made);
    return { kind: 'unknown', reason: 'an operand is not known', ...(id === undefined ? {} : { symbol: id }) };
  }
  if (a.kind === 'float' || b.kind === 'float') {
    // `head_dim ** -0.5`: a tensor would be written with `rsqrt`
    if (op === '**' && b.kind === 'float' && b.value !== null && b.value < 0) return { kind: 'float', value: null };
    if ((a.kind !== 'unknown' && b.kind !== 'unknown') || (isPlain(run, a) && isPlain(run, b)))
      return { kind: 'float', value: floatArithmetic(op, a, b) };
    return unnamed(a, b);
  }
  return unknown('an operand is not known');
}

/** A text that is filled in or repeated, also by what a tensor holds. */
const isText = (op: BinaryOperator, a: Value, b: Value): boolean =>
  (op === '%' && a.kind === 'str') || (op === '*' && (a.kind === 'str' || b.kind === 'str'));

function unnamed(a: Value, b: Value): Unknown {
  const of = a.kind === 'unknown' ? a : b.kind === 'unknown' ? b : null;
  return unknown(of?.reason ?? 'an operand is not known');
}

export function isTensorLike(run: Run, value: Value): boolean {
  if (value.kind === 'tensor') return true;
  if (value.kind === 'either') return optionsOf(value).some((o) => o.kind === 'tensor');
  if (value.kind !== 'ref') return false;
  const object = heapRead(run, value.ref);
  return object?.object === 'instance' && object.torchClass === 'torch.nn.Parameter';
}

function arithmetic(op: BinaryOperator, a: SymInt, b: SymInt): SymInt | null {
  switch (op) {
    case '+':
      return add(a, b);
    case '-':
      return sub(a, b);
    case '*':
      return mul(a, b);
    case '//':
      return b.constant === 0 ? null : floorDiv(a, b);
    case '%':
      return b.constant === 0 ? null : mod(a, b);
    case '**': {
      const n = b.constant;
      if (n === null || n < 0 || n > 8) return null;
      return Array.from({ length: n }).reduce<SymInt>((power) => mul(power, a), int(1));
    }
    case '<<':
      return b.constant !== null && b.constant >= 0 && b.constant < 40 ? mul(a, int(2 ** b.constant)) : null;
    case '>>':
      return b.constant !== null && b.constant >= 0 && b.constant < 40 ? floorDiv(a, int(2 ** b.constant)) : null;
    default:
      return null;
  }
}

function floatArithmetic(op: BinaryOperator, a: Value, b: Value): number | null {
  const number = (value: Value): number | null =>
    value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null;
  const [x, y] = [number(a), number(b)];
  if (x === null || y === null) return null;
  switch (op) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '/':
      return y === 0 ? null : x / y;
    case '//':
      return y === 0 ? null : Math.floor(x / y);
    case '**':
      return x ** y;
    default:
      return null;
  }
}

/** `+` and `*` of strings, tuples and lists; `|` of dicts. */
function pythonBinary(run: Run, op: BinaryOperator, a: Value, b: Value): Value | null {
  if (op === '%' && a.kind === 'str') return percentFormatted(a.value, b);
  if (op === '+' && a.kind === 'str' && b.kind === 'str') return { kind: 'str', value: a.value + b.value };
  if (op === '+' && a.kind === 'tuple' && b.kind === 'tuple' && !b.front)
    return { ...a, items: [...a.items, ...b.items] };
  if (op === '*') {
    const [sequence, times] = a.kind === 'int' ? [b, a] : [a, b];
    const count = times.kind === 'int' ? times.value.constant : null;
    if (sequence.kind === 'tuple' && count !== null && count < 100)
      return tupleOf(Array.from({ length: Math.max(count, 0) }, () => sequence.items).flat());
    const list = sequence.kind === 'ref' ? heapRead(run, sequence.ref) : undefined;
    if (list?.object === 'list') {
      const items =
        count !== null && count < 100 ? Array.from({ length: Math.max(count, 0) }, () => list.items).flat() : [];
      const rest = count !== null && count < 100 ? list.rest : (list.items[0] ?? list.rest);
      return listOf(run, items, rest);
    }
  }
  if (op === '+') {
    const [x, y] = [a, b].map((value) => (value.kind === 'ref' ? heapRead(run, value.ref) : undefined));
    if (isSequence(x) && isSequence(y))
      return x.rest
        ? listOf(run, x.items, joinAll(run, [x.rest, ...y.items, ...(y.rest ? [y.rest] : [])]))
        : listOf(run, [...x.items, ...y.items], y.rest);
  }
  return null;
}

export function evaluateUnary(run: Run, act: Activation, node: UnaryOp): Value {
  const value = settled(run, evaluate(run, act, node.operand));
  if (node.op === 'not') {
    const truth = askTruth(run, act, node, value);
    return truth === undefined ? unknown('it is not known whether it holds') : boolValue(!truth);
  }
  if (isTensorLike(run, value)) {
    const op = node.op;
    return runOutcome(run, act, op, [value], { node, spelled: op, self: node.operand }, (context, [x]) =>
      unary(op, x ?? NONE, context),
    );
  }
  if (node.op === '-') {
    if (value.kind === 'int') return intValue(neg(value.value));
    if (value.kind === 'float') return { kind: 'float', value: value.value === null ? null : -value.value };
    const asInt = integer(run, value);
    if (asInt && value.kind === 'unknown')
      return binaryValue(run, act, '-', intValue(int(0)), value, node, node.operand);
  }
  if (node.op === '+' && (value.kind === 'int' || value.kind === 'float')) return value;
  if (node.op === '~' && value.kind === 'int') return intValue(sub(neg(value.value), int(1)));
  return unknown('the operand is not known');
}
