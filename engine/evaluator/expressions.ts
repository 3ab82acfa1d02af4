import { binary, compare, unary } from '../ops/index.ts';
import { add, always, int, floorDiv, learnAtLeast, maximum, minimum, mod, mul, neg, sub, type SymInt, symbol, symbolsOf } from '../symbols/index.ts';
import type { Attribute, BinaryOperator, BinOp, BoolOp, Compare, ComparisonOperator, Comprehension, Constant, Expression, IfExp, Node, Subscript, UnaryOp } from '../syntax/ast.ts';
import { boolValue, intValue, NONE, tupleOf, type Unknown, unknown, type Value } from '../values/value.ts';
import { attributeOf } from './attributes.ts';
import { evaluateCall } from './calls.ts';
import { assign } from './assignment.ts';
import { numberIfUnknown, ofGuessedNumber } from './guessed.ts';
import { isSequence, joinLayers } from './heap.ts';
import { branchSymbols, isPlain, joinValues, optionsOf, sameValue } from './join.ts';
import { iterate } from './iteration.ts';
import { lookup } from './names.ts';
import { assume, truthOf } from './narrow.ts';
import { lambdaValue } from './functions.ts';
import { recordRead, recordValue } from './record.ts';
import { type Activation, activation, allocate, currentTensor, freshSymbol, heapRead, learn, learnSame, onBranch, OUT_OF_BUDGET, partOfUnknown, reboundUnknown, type Run, simple, step, symbolFor } from './run.ts';
import { forOp, runOutcome, sizeOf, tensorItem } from './torch.ts';
import { instanceItem, superAttribute } from './classes.ts';

/** The value of an expression; what cannot be told is an unknown with its reason. */
export function evaluate(run: Run, act: Activation, node: Expression): Value {
  if (!step(run)) return OUT_OF_BUDGET;
  switch (node.kind) {
    case 'Name': {
      const value = settled(run, lookup(run, act, node.id));
      if (value.kind === 'tensor') recordRead(run, act, node, node.id, value);
      return value;
    }
    case 'Constant':
      return constantValue(node);
    case 'JoinedStr': {
      const parts = node.values.map((part) => (typeof part === 'string' ? part : evaluate(run, act, part)));
      return parts.every((part) => typeof part === 'string' || part.kind === 'str' || isKnownInt(part)) ? { kind: 'str', value: parts.map(textOf).join('') } : unknown('the text is not known');
    }
    case 'Attribute':
      return evaluateAttribute(run, act, node);
    case 'Subscript':
      return evaluateSubscript(run, act, node);
    case 'Slice':
      return { kind: 'slice', start: optional(run, act, node.lower), stop: optional(run, act, node.upper), step: optional(run, act, node.step) };
    case 'Call':
      return evaluateCall(run, act, node);
    case 'BinOp':
      return evaluateBinary(run, act, node);
    case 'UnaryOp':
      return evaluateUnary(run, act, node);
    case 'BoolOp':
      return evaluateBool(run, act, node);
    case 'Compare':
      return evaluateCompare(run, act, node);
    case 'IfExp':
      return evaluateIf(run, act, node);
    case 'Lambda':
      return lambdaValue(run, act, node);
    case 'Tuple':
      return tupleOfElements(run, act, node.elts);
    case 'List':
    case 'Set': {
      const { items, rest } = elements(run, act, node.elts);
      return { kind: 'ref', ref: allocate(run, { object: node.kind === 'List' ? 'list' : 'set', items, rest, length: null }) };
    }
    case 'Dict':
      return evaluateDict(run, act, node.keys, node.values);
    case 'Comprehension':
      return evaluateComprehension(run, act, node);
    case 'Starred':
      return evaluate(run, act, node.value);
    case 'NamedExpr': {
      const value = evaluate(run, act, node.value);
      assign(run, act, node.target, value, node.value);
      return value;
    }
    case 'Await':
      return evaluate(run, act, node.value);
    case 'Yield': {
      const value = node.value ? evaluate(run, act, node.value) : NONE;
      act.yields.push(node.from ? (iterate(run, value).rest ?? unknown('it is a generator')) : value);
      return unknown('what is sent into a generator is not known');
    }
    case 'BadExpression':
      return unknown('this could not be parsed');
  }
}

/** A value with what later uses have told about it. */
export function settled(run: Run, value: Value): Value {
  if (value.kind === 'tensor') return currentTensor(run, value);
  if (value.kind === 'unknown') {
    const known = reboundUnknown(run, value);
    return known ? settled(run, known) : value;
  }
  return value;
}

function constantValue(node: Constant): Value {
  switch (node.literal) {
    case 'int':
      return typeof node.value === 'number' && Number.isSafeInteger(node.value) ? intValue(int(node.value)) : unknown('the number is too large');
    case 'float':
      return { kind: 'float', value: typeof node.value === 'number' ? node.value : null };
    case 'complex':
      return { kind: 'complex' };
    case 'str':
      return { kind: 'str', value: String(node.value) };
    case 'bytes':
      return unknown('it is bytes');
    case 'bool':
      return boolValue(node.value === true);
    case 'none':
      return NONE;
    case 'ellipsis':
      return { kind: 'ellipsis' };
  }
}

const optional = (run: Run, act: Activation, node: Expression | null): Value => (node ? evaluate(run, act, node) : NONE);

const isKnownInt = (value: Value): boolean => value.kind === 'int' && value.value.constant !== null;
const textOf = (part: string | Value): string => (typeof part === 'string' ? part : part.kind === 'str' ? part.value : part.kind === 'int' ? String(part.value.constant) : '');

// ---- displays ------------------------------------------------------------------------------------------

export interface Elements {
  readonly items: readonly Value[];
  readonly rest: Value | null;
}

/** The elements of a display or of call arguments, stars spread; behind a star of unknown length the order is lost. */
export function elements(run: Run, act: Activation, nodes: readonly Expression[]): Elements {
  const items: Value[] = [];
  let rest: Value | null = null;
  for (const node of nodes) {
    if (node.kind !== 'Starred') {
      const value = evaluate(run, act, node);
      if (rest) rest = joinValues(run, rest, value, 'item', branchSymbols(run)) ?? rest;
      else items.push(value);
      continue;
    }
    const spread = settled(run, evaluate(run, act, node.value));
    if (spread.kind === 'tuple' && spread.front && !rest && items.length === 0) {
      items.push({ kind: 'tuple', items: [], front: spread.front }, ...spread.items);
      continue;
    }
    const all = iterate(run, spread);
    if (!rest) items.push(...all.items);
    const more = rest ? [...all.items, ...(all.rest ? [all.rest] : [])] : all.rest ? [all.rest] : [];
    for (const value of more) rest = joinValues(run, rest ?? undefined, value, 'item', branchSymbols(run)) ?? rest;
  }
  return { items, rest };
}

/** `(*x.shape[:-1], h, d)` keeps a front of unknown length. */
function tupleOfElements(run: Run, act: Activation, nodes: readonly Expression[]): Value {
  const { items, rest } = elements(run, act, nodes);
  if (rest) return unknown('the length is not known');
  const [first] = items;
  return nodes[0]?.kind === 'Starred' && first?.kind === 'tuple' && first.front && first.items.length === 0
    ? { kind: 'tuple', items: items.slice(1), front: first.front }
    : tupleOf(items);
}

function evaluateDict(run: Run, act: Activation, keys: readonly (Expression | null)[], values: readonly Expression[]): Value {
  const entries = new Map<string, { key: Value; value: Value }>();
  let rest: Value | null = null;
  keys.forEach((keyNode, i) => {
    const node = values[i];
    if (!node) return;
    const value = evaluate(run, act, node);
    if (keyNode === null) {
      const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
      if (object?.object === 'dict') for (const [k, entry] of object.entries) entries.set(k, entry);
      else rest = unknown('its entries are not known');
      return;
    }
    const key = evaluate(run, act, keyNode);
    const text = keyText(key);
    if (text === null) rest = rest ? (joinValues(run, rest, value, 'entry', branchSymbols(run)) ?? rest) : value;
    else entries.set(text, { key, value });
  });
  return { kind: 'ref', ref: allocate(run, { object: 'dict', entries, rest }) };
}

/** A key of a dict as text, or null where it is not known. */
export function keyText(key: Value): string | null {
  switch (key.kind) {
    case 'str':
      return `s:${key.value}`;
    case 'int':
      return `i:${key.value.key}`;
    case 'bool':
      return `i:${key.value ? 1 : 0}`;
    case 'none':
      return 'none';
    case 'torch':
      return `t:${key.name}`;
    case 'program':
      return `p:${key.what}${key.id}`;
    case 'dtype':
      return `d:${key.value}`;
    case 'tuple': {
      const parts = key.items.map(keyText);
      return key.front || parts.includes(null) ? null : `(${parts.join(',')})`;
    }
    default:
      return null;
  }
}

function evaluateComprehension(run: Run, act: Activation, node: Comprehension): Value {
  const items: Value[] = [];
  const keys: Value[] = [];
  let open = false;
  const walk = (level: number): void => {
    const generator = node.generators[level];
    if (generator === undefined) {
      const element = evaluate(run, act, node.element);
      if (node.value) {
        keys.push(element);
        items.push(evaluate(run, act, node.value));
      } else items.push(element);
      return;
    }
    const over = iterate(run, evaluate(run, act, generator.iter));
    if (over.rest || over.items.length > MOST_UNROLLED) open = true;
    const turns = over.items.length > MOST_UNROLLED ? [over.items.reduce((a, b) => joinValues(run, a, b, 'item', branchSymbols(run)) ?? a)] : [...over.items];
    if (over.rest) turns.push(over.rest);
    for (const value of turns) {
      assign(run, act, generator.target, value, generator.iter);
      const tests = generator.ifs.map((test) => truthOf(run, evaluate(run, act, test)));
      if (tests.includes(false)) continue;
      if (tests.includes(undefined)) open = true;
      for (const test of generator.ifs) assume(run, act, test, true);
      walk(level + 1);
    }
  };
  walk(0);
  if (node.value) {
    const entries = new Map<string, { key: Value; value: Value }>();
    let rest: Value | null = null;
    items.forEach((value, i) => {
      const key = keys[i];
      const text = key ? keyText(key) : null;
      if (key && text !== null && !open) entries.set(text, { key, value });
      else rest = rest ? (joinValues(run, rest, value, 'entry', branchSymbols(run)) ?? rest) : value;
    });
    return { kind: 'ref', ref: allocate(run, { object: 'dict', entries, rest }) };
  }
  const object = node.form === 'set' ? 'set' : node.form === 'generator' ? 'iterator' : 'list';
  const summary = open && items.length > 0 ? items.reduce((a, b) => joinValues(run, a, b, 'item', branchSymbols(run)) ?? a) : null;
  return { kind: 'ref', ref: allocate(run, { object, items: open ? [] : items, rest: summary, length: null }) };
}

export const MOST_UNROLLED = 32;

// ---- operators -----------------------------------------------------------------------------------------

/** The integer that a value is, or would be if it is one. */
export function integer(run: Run, value: Value): SymInt | null {
  if (value.kind === 'int') return simple(run, value.value);
  if (value.kind === 'bool') return int(value.value ? 1 : 0);
  if (value.kind === 'unknown' && value.symbol !== undefined) return simple(run, symbol(value.symbol));
  if (value.kind === 'either') {
    const ints = optionsOf(value).filter((o) => o.kind === 'int');
    const [only] = ints;
    return ints.length === 1 && only?.kind === 'int' && value.options.length === 2 && value.options.some((o) => o.kind === 'none') ? only.value : null;
  }
  return null;
}

function evaluateBinary(run: Run, act: Activation, node: BinOp): Value {
  // a chain `a + b + …` is walked without recursion
  const chain: BinOp[] = [];
  let leftmost: Expression = node;
  while (leftmost.kind === 'BinOp') {
    chain.push(leftmost);
    leftmost = leftmost.left;
  }
  let value = evaluate(run, act, leftmost);
  for (const at of chain.reverse()) value = binaryValue(run, act, at.op, value, evaluate(run, act, at.right), at, at.left);
  return value;
}

export function binaryValue(run: Run, act: Activation, op: BinaryOperator, left: Value, right: Value, node: Node, self: Expression): Value {
  const [a, b] = [settled(run, left), settled(run, right)];
  if (isTensorLike(run, a) || isTensorLike(run, b)) {
    const number = (value: Value): Value => (isPlain(run, value) ? numberIfUnknown(value) : value);
    return runOutcome(run, act, op, [a, b], { node, spelled: op, self }, (context, [x, y]) =>
      ofGuessedNumber(binary(op, number(x ?? NONE), number(y ?? NONE), context), [x ?? NONE, y ?? NONE]));
  }
  const known = pythonBinary(run, op, a, b);
  if (known) return known;
  const [x, y] = [integer(run, a), integer(run, b)];
  if (x && y && (a.kind === 'int' || a.kind === 'unknown' || a.kind === 'bool' || a.kind === 'either') && (b.kind === 'int' || b.kind === 'unknown' || b.kind === 'bool' || b.kind === 'either')) {
    const result = arithmetic(op, x, y);
    if (result === null) return (a.kind === 'int' && b.kind === 'int') || (isPlain(run, a) && isPlain(run, b)) ? { kind: 'float', value: null } : unnamed(run, a, b);
    if (a.kind !== 'unknown' && b.kind !== 'unknown') return intValue(simple(run, result));
    const made = symbolFor(run, `${op} ${x.key} ${y.key}`, 'n');
    if ([a, b].every((value) => value.kind !== 'unknown' || (value.symbol !== undefined && run.plain.has(value.symbol)))) for (const id of symbolsOf(made)) run.plain.add(id);
    // A difference may be negative, which sizes are not.
    if (op === '-') learn(run, learnAtLeast(run.layer.facts, made, -(2 ** 40)));
    learnSame(run, made, result);
    const [id] = symbolsOf(made);
    return { kind: 'unknown', reason: 'an operand is not known', ...(id === undefined ? {} : { symbol: id }) };
  }
  if (a.kind === 'float' || b.kind === 'float') {
    // `head_dim ** -0.5`: a tensor would be written with `rsqrt`
    if (op === '**' && b.kind === 'float' && b.value !== null && b.value < 0) return { kind: 'float', value: null };
    if ((a.kind !== 'unknown' && b.kind !== 'unknown') || (isPlain(run, a) && isPlain(run, b))) return { kind: 'float', value: floatArithmetic(op, a, b) };
    return unnamed(run, a, b);
  }
  return unknown('an operand is not known');
}

const unnamed = (run: Run, a: Value, b: Value): Unknown => {
  const of = a.kind === 'unknown' ? a : b.kind === 'unknown' ? b : null;
  void run;
  return unknown(of?.reason ?? 'an operand is not known');
};

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
    default:
      return null;
  }
}

function floatArithmetic(op: BinaryOperator, a: Value, b: Value): number | null {
  const number = (value: Value): number | null => (value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null);
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
  if (op === '+' && a.kind === 'str' && b.kind === 'str') return { kind: 'str', value: a.value + b.value };
  if (op === '+' && a.kind === 'tuple' && b.kind === 'tuple' && !b.front) return { ...a, items: [...a.items, ...b.items] };
  if (op === '*') {
    const [sequence, times] = a.kind === 'int' ? [b, a] : [a, b];
    const count = times.kind === 'int' ? times.value.constant : null;
    if (sequence.kind === 'tuple' && count !== null && count < 100) return tupleOf(Array.from({ length: Math.max(count, 0) }, () => sequence.items).flat());
    const list = sequence.kind === 'ref' ? heapRead(run, sequence.ref) : undefined;
    if (list?.object === 'list') {
      const items = count !== null && count < 100 ? Array.from({ length: Math.max(count, 0) }, () => list.items).flat() : [];
      const rest = count !== null && count < 100 ? list.rest : (list.items[0] ?? list.rest);
      return { kind: 'ref', ref: allocate(run, { object: 'list', items, rest, length: null }) };
    }
  }
  if (op === '+') {
    const [x, y] = [a, b].map((value) => (value.kind === 'ref' ? heapRead(run, value.ref) : undefined));
    if (isSequence(x) && isSequence(y))
      return x.rest
        ? { kind: 'ref', ref: allocate(run, { object: 'list', items: x.items, rest: joinAll(run, [x.rest, ...y.items, ...(y.rest ? [y.rest] : [])]), length: null }) }
        : { kind: 'ref', ref: allocate(run, { object: 'list', items: [...x.items, ...y.items], rest: y.rest, length: null }) };
  }
  return null;
}

export const joinAll = (run: Run, values: readonly Value[]): Value | null =>
  values.reduce<Value | undefined>((a, b) => joinValues(run, a, b, 'item', branchSymbols(run)), undefined) ?? null;

function evaluateUnary(run: Run, act: Activation, node: UnaryOp): Value {
  const value = settled(run, evaluate(run, act, node.operand));
  if (node.op === 'not') {
    const truth = truthOf(run, value);
    return truth === undefined ? unknown('it is not known whether it holds') : boolValue(!truth);
  }
  if (isTensorLike(run, value)) {
    const op = node.op;
    return runOutcome(run, act, op, [value], { node, spelled: op, self: node.operand }, (context, [x]) => unary(op, x ?? NONE, context));
  }
  if (node.op === '-') {
    if (value.kind === 'int') return intValue(neg(value.value));
    if (value.kind === 'float') return { kind: 'float', value: value.value === null ? null : -value.value };
    const asInt = integer(run, value);
    if (asInt && value.kind === 'unknown') return binaryValue(run, act, '-', intValue(int(0)), value, node, node.operand);
  }
  if (node.op === '+' && (value.kind === 'int' || value.kind === 'float')) return value;
  if (node.op === '~' && value.kind === 'int') return intValue(sub(neg(value.value), int(1)));
  return unknown('the operand is not known');
}

/** The value of `and` and `or` is one of the operands; of `a or b` never a None on the left. */
function evaluateBool(run: Run, act: Activation, node: BoolOp): Value {
  const stop = node.op === 'or';
  let value: Value | null = null;
  const base = run.layer;
  for (const [i, operand] of node.values.entries()) {
    let next: Value = NONE;
    if (value === null) next = evaluate(run, act, operand);
    else {
      const layer = onBranch(run, () => {
        for (const earlier of node.values.slice(0, i)) assume(run, act, earlier, !stop);
        next = evaluate(run, act, operand);
      });
      joinLayers(base, [{ parent: base, own: new Map(), facts: base.facts }, layer], (a, b, where) => joinValues(run, a, b, where, branchSymbols(run)));
    }
    const truth = truthOf(run, next);
    if (truth === !stop && i < node.values.length - 1 && value === null) continue;
    // `a and None` does not hold, whatever `a` is.
    const decided: boolean = truth === false && !stop && value !== null && isUnknown(value);
    const kept: Value = value === null || decided ? next : (joinValues(run, withoutTruth(run, value, stop), next, 'value', branchSymbols(run)) ?? next);
    value = kept;
    if (truth === stop) break;
  }
  return value ?? NONE;
}

const isUnknown = ({ kind }: Value): boolean => kind === 'unknown';

/** The options of a value for which `and` or `or` goes on are dropped. */
function withoutTruth(run: Run, value: Value, stop: boolean): Value | undefined {
  const options = optionsOf(value).filter((option) => truthOf(run, option) !== !stop);
  const [only] = options;
  return options.length === 0 ? undefined : options.length === 1 ? only : { kind: 'either', options };
}

function evaluateCompare(run: Run, act: Activation, node: Compare): Value {
  let left = settled(run, evaluate(run, act, node.left));
  let truth: boolean | undefined = true;
  let leftNode = node.left;
  for (const [i, op] of node.ops.entries()) {
    const rightNode = node.comparators[i];
    if (!rightNode) break;
    const right = settled(run, evaluate(run, act, rightNode));
    if (op !== 'is' && op !== 'is not' && op !== 'in' && op !== 'not in' && (isTensorLike(run, left) || isTensorLike(run, right)) && left.kind !== 'none' && right.kind !== 'none') {
      const self = leftNode;
      const number = (value: Value): Value => (isPlain(run, value) ? numberIfUnknown(value) : value);
      return runOutcome(run, act, op, [left, right], { node, spelled: op, self }, (context, [x, y]) =>
        ofGuessedNumber(compare(op, number(x ?? NONE), number(y ?? NONE), context), [x ?? NONE, y ?? NONE]));
    }
    const one = compareValues(run, op, left, right);
    truth = truth === false || one === false ? false : truth && one ? true : undefined;
    left = right;
    leftNode = rightNode;
  }
  return truth === undefined ? unknown('it is not known whether it holds') : boolValue(truth);
}

export function compareValues(run: Run, op: ComparisonOperator, a: Value, b: Value): boolean | undefined {
  const not = (truth: boolean | undefined): boolean | undefined => (truth === undefined ? undefined : !truth);
  switch (op) {
    case 'is not':
      return not(compareValues(run, 'is', a, b));
    case '!=':
      return not(compareValues(run, '==', a, b));
    case 'not in':
      return not(compareValues(run, 'in', a, b));
    case 'is':
      if (a.kind === 'none' || b.kind === 'none') return isNone(a.kind === 'none' ? b : a);
      if (a.kind === 'bool' && b.kind === 'bool') return a.value === b.value;
      if (a.kind === 'torch' && b.kind === 'torch') return a.name === b.name;
      if (a.kind === 'program' && b.kind === 'program') return a.what === b.what && a.id === b.id;
      return a.kind === 'ref' && b.kind === 'ref' && a.ref === b.ref ? true : undefined;
    case 'in': {
      const all = iterate(run, b);
      const dict = b.kind === 'ref' ? heapRead(run, b.ref) : undefined;
      if (b.kind === 'str' && a.kind === 'str') return b.value.includes(a.value);
      if (dict?.object === 'dict') {
        const key = keyText(a);
        if (dict.entries.size === 0 && !dict.rest) return false;
        return key === null ? undefined : dict.entries.has(key) ? true : dict.rest ? undefined : false;
      }
      const found = all.items.map((item) => compareValues(run, '==', a, item));
      return found.includes(true) ? true : all.rest || found.includes(undefined) ? undefined : false;
    }
    case '==': {
      const [x, y] = [integer(run, a), integer(run, b)];
      if (x && y) return a.kind === 'unknown' || b.kind === 'unknown' ? (x.key === y.key ? true : undefined) : always('equal', x, y, run.layer.facts);
      if (a.kind === 'none' || b.kind === 'none') return isNone(a.kind === 'none' ? b : a);
      if (a.kind === 'str' && b.kind === 'str') return a.value === b.value;
      if (a.kind === 'dtype' && b.kind === 'dtype') return a.value === b.value;
      if (a.kind === 'tuple' && b.kind === 'tuple' && !a.front && !b.front) {
        if (a.items.length !== b.items.length) return false;
        const each = a.items.map((item, i) => compareValues(run, '==', item, b.items[i] ?? NONE));
        return each.includes(false) ? false : each.includes(undefined) ? undefined : true;
      }
      if (a.kind === 'float' && b.kind === 'float') return a.value === null || b.value === null ? undefined : a.value === b.value;
      if (a.kind === 'torch' && b.kind === 'torch') return a.name === b.name;
      if (a.kind === 'program' && b.kind === 'program') return a.what === b.what && a.id === b.id;
      return sameValue(a, b) && a.kind !== 'unknown' && a.kind !== 'float' ? true : undefined;
    }
    case '<':
    case '>':
    case '<=':
    case '>=': {
      const [x, y] = [integer(run, a), integer(run, b)];
      if (x && y && a.kind !== 'unknown' && b.kind !== 'unknown')
        return op === '<' ? always('less', x, y, run.layer.facts) : op === '>' ? always('less', y, x, run.layer.facts)
          : op === '<=' ? not(always('less', y, x, run.layer.facts)) : not(always('less', x, y, run.layer.facts));
      const number = (value: Value): number | null => (value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null);
      const [p, q] = [number(a), number(b)];
      if (p === null || q === null) return undefined;
      return op === '<' ? p < q : op === '>' ? p > q : op === '<=' ? p <= q : p >= q;
    }
  }
}

function isNone(value: Value): boolean | undefined {
  if (value.kind === 'none') return true;
  if (value.kind === 'unknown') return undefined;
  if (value.kind === 'either') return value.options.some((o) => o.kind === 'none') ? undefined : false;
  return false;
}

function evaluateIf(run: Run, act: Activation, node: IfExp): Value {
  const truth = truthOf(run, evaluate(run, act, node.test));
  if (truth !== undefined) {
    assume(run, act, node.test, truth);
    return evaluate(run, act, truth ? node.body : node.orelse);
  }
  return branchValues(run, act, [
    () => { assume(run, act, node.test, true); return evaluate(run, act, node.body); },
    () => { assume(run, act, node.test, false); return evaluate(run, act, node.orelse); },
  ]);
}

/** Evaluates several ways apart, each on a layer of its own, and joins what comes out. */
export function branchValues(run: Run, act: Activation, ways: readonly (() => Value)[]): Value {
  const base = run.layer;
  const values: Value[] = [];
  act.conditional++;
  const layers = ways.map((way) => onBranch(run, () => { values.push(settledDeep(run, way())); }));
  act.conditional--;
  const at = branchSymbols(run);
  joinLayers(base, layers, (a, b, where) => joinValues(run, a, b, where, at));
  return values.reduce((a, b) => joinValues(run, a, b, 'value', at) ?? a);
}

/** Tensors inside tuples too, as they are now: for values that leave a branch. */
export function settledDeep(run: Run, value: Value): Value {
  if (value.kind === 'tuple') return { ...value, items: value.items.map((item) => settledDeep(run, item)) };
  return settled(run, value);
}

// ---- attributes and items ------------------------------------------------------------------------------

function evaluateAttribute(run: Run, act: Activation, node: Attribute): Value {
  if (node.value.kind === 'Call' && node.value.func.kind === 'Name' && node.value.func.id === 'super')
    return superAttribute(run, act, node.attr, { node, spelled: node.attr, self: node.value });
  const of = settled(run, evaluate(run, act, node.value));
  return attributeOf(run, act, of, node.attr, { node, spelled: node.attr, self: node.value });
}

function evaluateSubscript(run: Run, act: Activation, node: Subscript): Value {
  const of = settled(run, evaluate(run, act, node.value));
  const key = evaluate(run, act, node.slice);
  const item = itemOf(run, act, of, key, node, node.value);
  // An item of a tensor is an op, which is recorded as such.
  if (of.kind !== 'tensor' && item.kind === 'tensor') recordValue(run, act, node, item, null, [item]);
  return item;
}

export function itemOf(run: Run, act: Activation, of: Value, key: Value, node: Node, self: Expression): Value {
  switch (of.kind) {
    case 'tensor':
      return tensorItem(run, act, of, key, { node, spelled: '[]', self });
    case 'tuple':
      return tupleItem(run, of, key);
    case 'either': {
      const options = optionsOf(of).filter((o) => o.kind !== 'none');
      const [only] = options;
      return options.length === 1 && only ? itemOf(run, act, settled(run, only), key, node, self) : unknown('it differs by branch');
    }
    case 'unknown':
      return partOfUnknown(run, of, `[${keyLabel(key)}]`);
    case 'str':
      return unknown('the text is not known');
    case 'range': {
      const at = integer(run, key);
      return at ? intValue(add(of.start, mul(at, of.step))) : unknown('the index is not known');
    }
    case 'ref':
      return objectItem(run, act, of.ref, key, node, self);
    case 'torch':
      return of;
    default:
      return unknown('it has no items');
  }
}

const keyLabel = (key: Value): string => (key.kind === 'int' && key.value.constant !== null ? String(key.value.constant) : key.kind === 'str' ? `'${key.value}'` : '?');

function tupleItem(run: Run, of: Extract<Value, { kind: 'tuple' }>, key: Value): Value {
  const { items, front } = of;
  if (key.kind === 'slice') return tupleSlice(run, of, key);
  const at = integer(run, key)?.constant ?? null;
  if (at === null) return items.length > 0 && !front ? (joinAll(run, items) ?? unknown('the index is not known')) : unknown('the index is not known');
  if (!front) return items[at < 0 ? items.length + at : at] ?? unknown('the index is out of range');
  if (at < 0) return items[items.length + at] ?? unknown('the rank is not known');
  const [id] = symbolsOf(front);
  return intValue(symbolFor(run, `${id} [${at}]`, `size_${at}`));
}

function tupleSlice(run: Run, of: Extract<Value, { kind: 'tuple' }>, key: Extract<Value, { kind: 'slice' }>): Value {
  const bound = (value: Value): number | null | undefined => (value.kind === 'none' ? null : (integer(run, value)?.constant ?? undefined));
  const [start, stop, step] = [bound(key.start), bound(key.stop), bound(key.step)];
  if (start === undefined || stop === undefined || step === undefined) return unknown('the slice is not known');
  const { items, front } = of;
  if (!front) {
    const picked = step === -1 ? [...items].reverse() : items.slice(start ?? 0, stop ?? undefined).filter((_, i) => i % (step ?? 1) === 0);
    return tupleOf(picked);
  }
  if (step !== null && step !== 1) return unknown('the rank is not known');
  if ((start === null || start === 0) && (stop === null || (stop < 0 && -stop <= items.length)))
    return { kind: 'tuple', items: items.slice(0, stop ?? undefined), front };
  if (start !== null && start < 0 && -start <= items.length && (stop === null || stop < 0)) return tupleOf(items.slice(items.length + start, stop ?? undefined));
  return unknown('the rank is not known');
}

function objectItem(run: Run, act: Activation, ref: number, key: Value, node: Node, self: Expression): Value {
  const object = heapRead(run, ref);
  if (isSequence(object)) {
    if (key.kind === 'slice') {
      if (object.rest) return { kind: 'ref', ref: allocate(run, { object: 'list', items: [], rest: joinAll(run, [...object.items, object.rest]), length: null }) };
      const part = tupleSlice(run, { kind: 'tuple', items: object.items }, key);
      return part.kind === 'tuple' ? { kind: 'ref', ref: allocate(run, { object: 'list', items: part.items, rest: null, length: null }) } : part;
    }
    const at = integer(run, key)?.constant ?? null;
    if (object.rest || at === null) {
      const exact = at !== null && at >= 0 ? object.items[at] : undefined;
      return exact ?? joinAll(run, [...object.items, ...(object.rest ? [object.rest] : [])]) ?? unknown('the list is empty');
    }
    return object.items[at < 0 ? object.items.length + at : at] ?? unknown('the index is out of range');
  }
  if (object?.object === 'dict') {
    const text = keyText(key);
    const entry = text === null ? undefined : object.entries.get(text);
    if (entry) return entry.value;
    if (object.rest) return object.rest;
    return text === null ? (joinAll(run, [...object.entries.values()].map((e) => e.value)) ?? unknown('the dict is empty')) : unknown('the key is not in the dict');
  }
  if (object?.object === 'instance') return instanceItem(run, act, ref, key, node, self);
  return unknown('its items are not known');
}

void activation;
void forOp;
void freshSymbol;
void sizeOf;
void maximum;
void minimum;
