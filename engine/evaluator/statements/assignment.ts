import type { Expression } from '../../syntax/ast.ts';
import { unknown, type Value } from '../../values/value.ts';
import { setAttribute } from '../calls/classes.ts';
import { keyText } from '../expressions/displays.ts';
import { evaluate } from '../expressions/expressions.ts';
import { replaceItem } from '../expressions/items.ts';
import { integer } from '../expressions/operators.ts';
import { recordStore } from '../record.ts';
import { partOfUnknown, replacePart } from '../state/derived.ts';
import { isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import { listOf } from '../state/objects.ts';
import { type Activation, currentTensor, heapRead, heapWrite, type Run, rebindTensor } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { refuseData, requireGrad } from '../torch/autograd.ts';
import { appendChild } from '../torch/nn.ts';
import { setTensorItem } from '../torch/torch.ts';
import { iterate, unpack } from './iteration.ts';
import { bind, globalFrame } from './names.ts';

/** Binds a value to a target; `expression` is what it came from. */
export function assign(run: Run, act: Activation, target: Expression, value: Value, expression: Expression): void {
  switch (target.kind) {
    case 'Name':
      bind(run, act, target.id, value);
      if (act.globalNames.has(target.id)) recordStore(run, act, target, 'global', target.id, value, expression, true);
      return;
    case 'Attribute':
      assignAttribute(run, act, target, value, expression);
      return;
    case 'Subscript':
      assignItem(run, act, target, value, expression);
      return;
    case 'Tuple':
    case 'List':
      assignParts(run, act, target.elts, value, expression);
      return;
    case 'Starred':
      assign(run, act, target.value, value, expression);
      return;
    default:
      return;
  }
}

function assignParts(
  run: Run,
  act: Activation,
  targets: readonly Expression[],
  value: Value,
  expression: Expression,
): void {
  const star = targets.findIndex((target) => target.kind === 'Starred');
  const settledValue = settled(run, value);
  if (star < 0) {
    const hints = targets.map((target) => (target.kind === 'Name' && target.id !== '_' ? target.id : null));
    const parts = unpack(run, settledValue, targets.length, hints);
    for (const [i, target] of targets.entries())
      assign(run, act, target, parts[i] ?? unknown('the number of values is not known'), expression);
    return;
  }
  if (settledValue.kind === 'tuple' && settledValue.front) {
    assignFront(run, act, targets, star, settledValue, expression);
    return;
  }
  const { items, rest } = iterate(run, settledValue);
  const after = targets.length - star - 1;
  const partOf = (i: number): Value | null | undefined => {
    if (i < star) return items[i] ?? rest;
    if (i > star) return rest ?? items[items.length - (targets.length - i)];
    return rest
      ? listOf(run, [], joinAll(run, [...items, rest]))
      : listOf(run, items.slice(star, items.length - after), null);
  };
  for (const [i, target] of targets.entries())
    assign(run, act, target, partOf(i) ?? unknown('the number of values is not known'), expression);
}

/** `*batch, h, w = x.shape` */
function assignFront(
  run: Run,
  act: Activation,
  targets: readonly Expression[],
  star: number,
  value: Extract<Value, { kind: 'tuple' }>,
  expression: Expression,
): void {
  const after = targets.length - star - 1;
  const inFront = value.items.length - after;
  const { front } = value;
  const partOf = (i: number): Value | undefined => {
    if (star > 0 || inFront < 0 || !front) return undefined;
    return i === star ? { kind: 'tuple', items: value.items.slice(0, inFront), front } : value.items[inFront + i - 1];
  };
  for (const [i, target] of targets.entries())
    assign(run, act, target, partOf(i) ?? unknown('the rank is not known'), expression);
}

function assignAttribute(
  run: Run,
  act: Activation,
  target: Extract<Expression, { kind: 'Attribute' }>,
  value: Value,
  expression: Expression,
): void {
  const of = settled(run, evaluate(run, act, target.value));
  if (of.kind === 'tensor') {
    const now = settled(run, value);
    if (target.attr === 'data' && now.kind === 'tensor') {
      refuseData(run, act, of, now, { node: target, spelled: 'data', self: target.value });
      rebindTensor(run, { ...currentTensor(run, of), layout: now.layout, dtype: now.dtype, storage: now.storage });
    }
    if (target.attr === 'requires_grad')
      requireGrad(run, act, of, now, { node: target, spelled: 'requires_grad', self: target.value });
    return;
  }
  if (target.attr === 'requires_grad') run.frozen = true;
  if (of.kind === 'unknown') replacePart(run, of, partOfUnknown(run, of, `.${target.attr}`), () => false);
  else setAttribute(run, of, target.attr, value);
  recordStore(run, act, target, 'attribute', sourceOf(target), value, expression, true);
}

/** `self.cache`, as the source says. */
export function sourceOf(node: Expression): string {
  switch (node.kind) {
    case 'Name':
      return node.id;
    case 'Attribute':
      return `${sourceOf(node.value)}.${node.attr}`;
    case 'Subscript':
      return `${sourceOf(node.value)}[…]`;
    case 'Call':
      return `${sourceOf(node.func)}(…)`;
    default:
      return '…';
  }
}

function assignItem(
  run: Run,
  act: Activation,
  target: Extract<Expression, { kind: 'Subscript' }>,
  value: Value,
  expression: Expression,
): void {
  const of = settled(run, evaluate(run, act, target.value));
  const key = evaluate(run, act, target.slice);
  if (of.kind === 'tensor') {
    setTensorItem(run, act, of, key, value, { node: target, spelled: '[]=', self: target.value });
    return;
  }
  if (of.kind === 'unknown') replaceItem(run, of, key);
  if (of.kind === 'either')
    for (const option of optionsOf(of)) if (option.kind === 'ref') perhapsSetItem(run, option.ref, key, value);
  if (of.kind !== 'ref') return;
  const object = heapWrite(run, of.ref);
  if (isSequence(object)) {
    const at = integer(run, key)?.constant ?? null;
    const index = at === null ? null : at < 0 ? object.items.length + at : at;
    if (index !== null && object.items[index] !== undefined && !object.rest)
      object.items = object.items.map((item, i) => (i === index ? value : item));
    else {
      object.rest = joinAll(run, [...object.items, ...(object.rest ? [object.rest] : []), value]);
      object.items = [];
    }
    recordStore(run, act, target, 'list', sourceOf(target.value), value, expression, outlives(run, act, target.value));
  } else if (object?.object === 'dict') {
    const text = keyText(key);
    if (text === null) object.rest = joinAll(run, [...(object.rest ? [object.rest] : []), value]);
    else object.entries.set(text, { key, value });
    recordStore(run, act, target, 'dict', sourceOf(target.value), value, expression, outlives(run, act, target.value));
  } else if (object?.object === 'instance' && key.kind === 'str') appendChild(run, of.ref, key.value, value);
}

/** What may be one of several has the item perhaps, beside what it has. */
function perhapsSetItem(run: Run, ref: number, key: Value, value: Value): void {
  const object = heapWrite(run, ref);
  const beside = (held: Value | null): Value | null => joinAll(run, held ? [held, value] : [value]);
  if (isSequence(object)) {
    object.items = object.items.map((item) => beside(item) ?? item);
    if (object.rest) object.rest = beside(object.rest);
  } else if (object?.object === 'dict') {
    const text = keyText(key);
    const entry = text === null ? undefined : object.entries.get(text);
    if (text !== null && entry) object.entries.set(text, { key, value: beside(entry.value) ?? entry.value });
    else object.rest = beside(object.rest);
  }
}

/** Whether what an expression names lives on when the function has returned: an attribute, a global, a parameter. */
export function outlives(run: Run, act: Activation, holder: Expression): boolean {
  if (holder.kind === 'Attribute' || holder.kind === 'Subscript')
    return holder.kind === 'Attribute' || outlives(run, act, holder.value);
  if (holder.kind !== 'Name') return false;
  const parameters = act.info?.definition.args;
  if (parameters && [...parameters.positional, ...parameters.keywordOnly].some((p) => p.name === holder.id))
    return true;
  const frame = heapRead(run, act.frame);
  const local = frame?.object === 'frame' && frame.variables.has(holder.id);
  if (local) return act.frame === globalFrame(run, act.file) || isReturned(act, holder.id);
  return true;
}

/** The function returns or yields the name. */
function isReturned(act: Activation, name: string): boolean {
  return (
    act.body?.some(
      (statement) => statement.kind === 'Return' && statement.value !== null && mentions(statement.value, name),
    ) ?? false
  );
}

function mentions(node: Expression, name: string): boolean {
  if (node.kind === 'Name') return node.id === name;
  if (node.kind === 'Tuple' || node.kind === 'List') return node.elts.some((e) => mentions(e, name));
  return false;
}
