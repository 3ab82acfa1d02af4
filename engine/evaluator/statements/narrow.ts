import { learnAtLeast, learnAtMost, learnDivisible } from '../../symbols/index.ts';
import type { Compare, Expression } from '../../syntax/ast.ts';
import { dottedName } from '../../syntax/index.ts';
import { NONE, type Value } from '../../values/value.ts';
import { setAttribute } from '../calls/classes.ts';
import { compareValues } from '../expressions/comparisons.ts';
import { evaluate } from '../expressions/expressions.ts';
import { integer } from '../expressions/operators.ts';
import { isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import { learnNdim } from '../state/ranks.ts';
import {
  type Activation,
  bindRank,
  currentTensor,
  freshSymbol,
  heapRead,
  hintOf,
  learnSame,
  packedSymbol,
  type Run,
  rebindUnknown,
} from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { asTensor } from '../torch/torch-arguments.ts';
import { bind } from './names.ts';

/** Whether Python would take a value for true; undefined where it cannot be told. */
export function truthOf(run: Run, value: Value): boolean | undefined {
  switch (value.kind) {
    case 'none':
      return false;
    case 'bool':
      return value.value;
    case 'int':
      return value.value.constant === null ? undefined : value.value.constant !== 0;
    case 'float':
      return value.value === null ? undefined : value.value !== 0;
    case 'str':
      return value.value !== '';
    case 'tuple':
      return value.front ? undefined : value.items.length > 0;
    case 'program':
    case 'torch':
    case 'dtype':
    case 'memory-format':
    case 'autocast':
      return true;
    case 'ref': {
      const object = heapRead(run, value.ref);
      if (isSequence(object))
        return object.items.length > 0 ? true : object.rest ? undefined : object.object === 'iterator';
      if (object?.object === 'dict') return object.entries.size > 0 ? true : object.rest ? undefined : false;
      return object?.object === 'instance' && object.torchClass !== null && object.attributes.has('forward')
        ? true
        : object?.object === 'instance'
          ? true
          : undefined;
    }
    case 'either': {
      const truths = optionsOf(value).map((option) => truthOf(run, option));
      return truths.every((t) => t === true) ? true : truths.every((t) => t === false) ? false : undefined;
    }
    default:
      return undefined;
  }
}

/** What is known once a test has come out `holds`. Nothing is evaluated for its events. */
export function assume(run: Run, act: Activation, test: Expression, holds: boolean): void {
  run.muted++;
  narrow(run, act, test, holds);
  run.muted--;
}

function narrow(run: Run, act: Activation, test: Expression, holds: boolean): void {
  switch (test.kind) {
    case 'UnaryOp':
      if (test.op === 'not') narrow(run, act, test.operand, !holds);
      return;
    case 'BoolOp':
      if ((test.op === 'and') === holds) for (const part of test.values) narrow(run, act, part, holds);
      return;
    case 'Compare':
      if (test.ops.length === 1) narrowCompare(run, act, test, holds);
      else if (holds)
        test.ops.forEach((op, i) => {
          const left = i === 0 ? test.left : test.comparators[i - 1];
          const right = test.comparators[i];
          if (left && right) narrowCompare(run, act, { ...test, left, ops: [op], comparators: [right] }, true);
        });
      return;
    case 'Name':
    case 'Attribute':
      narrowTruth(run, act, test, holds);
      return;
    case 'Call':
      narrowCall(run, act, test, holds);
      return;
    default:
  }
}

/** `if x:` leaves of the options of `x` those that are true. */
function narrowTruth(run: Run, act: Activation, node: Expression, holds: boolean): void {
  const value = settled(run, evaluate(run, act, node));
  if (value.kind === 'either')
    keep(
      run,
      act,
      node,
      optionsOf(value).filter((option) => truthOf(run, option) !== !holds),
    );
  else if (value.kind === 'unknown' && node.kind === 'Name') {
    // a flag that is only known to be a flag stays an unknown
  }
}

function keep(run: Run, act: Activation, node: Expression, options: readonly Value[]): void {
  const [only] = options;
  if (only === undefined) return;
  rename(run, act, node, options.length === 1 ? only : { kind: 'either', options });
}

/** Gives a name or attribute the value that a test has told. */
function rename(run: Run, act: Activation, node: Expression, value: Value): void {
  if (node.kind === 'Name') {
    const frame = heapRead(run, act.frame);
    if (frame?.object === 'frame' && frame.variables.has(node.id)) bind(run, act, node.id, value);
  } else if (node.kind === 'Attribute')
    setAttribute(run, settled(run, evaluate(run, act, node.value)), node.attr, value);
  else if (node.kind === 'NamedExpr') bind(run, act, node.target.id, value);
}

function narrowCall(run: Run, act: Activation, node: Extract<Expression, { kind: 'Call' }>, holds: boolean): void {
  if (!holds || (node.func.kind !== 'Name' && node.func.kind !== 'Attribute')) return;
  const name = node.func.kind === 'Name' ? node.func.id : node.func.attr;
  const [subject, type] = node.args;
  if (!subject) return;
  const value = settled(run, evaluate(run, act, subject));
  const isTensorTest =
    name === 'is_tensor' ||
    (name === 'isinstance' && type !== undefined && /(^|\.)Tensor$/.test(dottedName(type) ?? ''));
  if (isTensorTest && value.kind === 'unknown') asTensor(run, value);
  if (isTensorTest && value.kind === 'either')
    keep(
      run,
      act,
      subject,
      optionsOf(value).filter((option) => option.kind === 'tensor'),
    );
}

function narrowCompare(run: Run, act: Activation, test: Compare, holds: boolean): void {
  const [op] = test.ops;
  const [rightNode] = test.comparators;
  if (!op || !rightNode) return;
  const right = settled(run, evaluate(run, act, rightNode));
  const equal = (op === '==' && holds) || (op === '!=' && !holds);
  if (equal && narrowRank(run, act, test.left, right)) return;
  const left = settled(run, evaluate(run, act, test.left));
  if (op === 'is' || op === 'is not' || op === '==' || op === '!=') {
    if (right.kind === 'none') {
      narrowNone(run, act, test.left, left, (op === 'is' || op === '==') === holds);
      return;
    }
    if (left.kind === 'either')
      keep(
        run,
        act,
        test.left,
        optionsOf(left).filter(
          (option) =>
            compareValues(run, '==', option, right) !== !equal || compareValues(run, '==', option, right) === undefined,
        ),
      );
  }
  const [a, b] = [integer(run, left), integer(run, right)];
  if (!a || !b) return;
  if (equal) {
    if (left.kind === 'unknown' && right.kind === 'int') {
      rebindUnknown(run, left, right);
      if (right.value.constant !== null) learnNdim(run, left, right.value.constant);
    }
    learnDivisibility(run, test.left, act, right);
    learnSame(run, a, b);
    return;
  }
  const [less, orEqual] = [op === '<' || op === '<=', op === '<=' || op === '>='];
  if (!['<', '<=', '>', '>='].includes(op)) return;
  // holds: a < b, a <= b, …; else the opposite
  const below = less === holds;
  const strict = orEqual !== holds;
  const bound = b.constant;
  if (bound === null) return;
  run.layer.facts = below
    ? learnAtMost(run.layer.facts, a, bound - (strict ? 1 : 0))
    : learnAtLeast(run.layer.facts, a, bound + (strict ? 1 : 0));
}

/** `C % h == 0` */
function learnDivisibility(run: Run, node: Expression, act: Activation, right: Value): void {
  if (node.kind !== 'BinOp' || node.op !== '%' || right.kind !== 'int' || right.value.constant !== 0) return;
  const [size, by] = [
    integer(run, settled(run, evaluate(run, act, node.left))),
    integer(run, settled(run, evaluate(run, act, node.right))),
  ];
  if (size && by) run.layer.facts = learnDivisible(run.layer.facts, size, by);
}

function narrowNone(run: Run, act: Activation, node: Expression, value: Value, isNone: boolean): void {
  if (value.kind === 'either')
    keep(
      run,
      act,
      node,
      optionsOf(value).filter((option) => (option.kind === 'none') === isNone),
    );
  else if (isNone && value.kind === 'unknown') rename(run, act, node, NONE);
}

/** `x.ndim == 3`, `x.dim() == 3`, `len(x.shape) == 3` tell the rank of a tensor of unknown rank. */
function narrowRank(run: Run, act: Activation, node: Expression, right: Value): boolean {
  const ndim = right.kind === 'int' ? right.value.constant : null;
  const subject = rankSubject(node);
  if (ndim === null || !subject) return false;
  const found = settled(run, evaluate(run, act, subject));
  const tensor = found.kind === 'unknown' && found.symbol !== undefined ? asTensor(run, found) : found;
  if (tensor.kind !== 'tensor') return false;
  const { layout } = currentTensor(run, tensor);
  if (!layout.front) return true;
  const front = layout.shape[0];
  const id = front && packedSymbol(front);
  const missing = ndim - (layout.shape.length - 1);
  if (!id || missing < 0) return true;
  bindRank(
    run,
    tensor,
    Array.from({ length: missing }, (_, i) => freshSymbol(run, `${hintOf(id).slice(1)}_${i}`)),
  );
  return true;
}

function rankSubject(node: Expression): Expression | null {
  if (node.kind === 'Attribute' && node.attr === 'ndim') return node.value;
  if (node.kind !== 'Call') return null;
  if (
    node.func.kind === 'Attribute' &&
    (node.func.attr === 'dim' || node.func.attr === 'ndimension') &&
    node.args.length === 0
  )
    return node.func.value;
  const [argument] = node.args;
  if (node.func.kind !== 'Name' || node.func.id !== 'len' || !argument) return null;
  if (argument.kind === 'Attribute' && argument.attr === 'shape') return argument.value;
  return argument.kind === 'Call' &&
    argument.func.kind === 'Attribute' &&
    argument.func.attr === 'size' &&
    argument.args.length === 0
    ? argument.func.value
    : null;
}
