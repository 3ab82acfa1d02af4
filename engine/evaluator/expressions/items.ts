import { add, factorsOf, mul, type SymInt, symbolsOf } from '../../symbols/index.ts';
import type { Expression, Node, Subscript } from '../../syntax/ast.ts';
import { intValue, tupleOf, type Unknown, unknown, type Value } from '../../values/value.ts';
import { instanceItem } from '../calls/classes.ts';
import { possibleEntries } from '../calls/mappings.ts';
import { partOfText } from '../calls/texts.ts';
import { recordValue } from '../record.ts';
import { partOfUnknown, replacePart, sizeAt } from '../state/derived.ts';
import { isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import { listOf } from '../state/objects.ts';
import { type Activation, factsOf, heapRead, hintOf, packedSymbol, type Run, splitPacked } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { tensorItem } from '../torch/torch.ts';
import { asTensor } from '../torch/torch-arguments.ts';
import { keyText } from './displays.ts';
import { evaluate } from './expressions.ts';
import { integer } from './operators.ts';

export function evaluateSubscript(run: Run, act: Activation, node: Subscript): Value {
  const value = settled(run, evaluate(run, act, node.value));
  const key = evaluate(run, act, node.slice);
  const of =
    value.kind === 'unknown' && value.symbol !== undefined && isTensorIndex(key) ? asTensor(run, value) : value;
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
      return options.length === 1 && only
        ? itemOf(run, act, settled(run, only), key, node, self)
        : unknown('it differs by branch');
    }
    case 'unknown':
      return itemOfUnknown(run, of, key);
    case 'str':
      return partOfText(of.value, key);
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

/** `x[:, None]`: nothing but a tensor takes slices of several dims. */
const isTensorIndex = (key: Value): boolean =>
  key.kind === 'tuple' &&
  key.items.some(({ kind }) => kind === 'slice') &&
  key.items.every(({ kind }) => kind === 'slice' || kind === 'none' || kind === 'int' || kind === 'ellipsis');

/** An item of an unknown is the same each time, where its key is: a known one, or the same number that is not known. */
export function itemOfUnknown(run: Run, of: Unknown, key: Value): Unknown {
  const label = keyLabel(key);
  if (label !== null) return partOfUnknown(run, of, `[${label}]`);
  const at = integer(run, key);
  return at ? partOfUnknown(run, of, '[?]', at) : unknown('the key is not known');
}

/** `of[key] = …`: whatever item may be that one is not what it was. */
export function replaceItem(run: Run, of: Unknown, key: Value): void {
  const here = KNOWN.exec(`[${keyLabel(key)}]`);
  const isOther = (what: string): boolean => here !== null && KNOWN.exec(what)?.[1] === here[1];
  replacePart(run, of, itemOfUnknown(run, of, key), (what) => what.startsWith('[') && !isOther(what));
}

/** An item at a known key: a name, or a number counted from the front or from the back. */
const KNOWN = /^\[(?:(-?)\d+|'.*')\]$/s;

function keyLabel(key: Value): string | null {
  switch (key.kind) {
    case 'int':
      return key.value.constant === null ? null : String(key.value.constant);
    case 'str':
      return `'${key.value}'`;
    case 'none':
      return '';
    case 'slice': {
      const bounds = [key.start, key.stop, key.step].map(keyLabel);
      return bounds.includes(null) ? null : bounds.join(':');
    }
    default:
      return null;
  }
}

function tupleItem(run: Run, of: Extract<Value, { kind: 'tuple' }>, key: Value): Value {
  const { items, front } = of;
  if (key.kind === 'slice') return tupleSlice(run, of, key);
  const at = integer(run, key)?.constant ?? null;
  if (at === null)
    return items.length > 0 && !front
      ? (joinAll(run, items) ?? unknown('the index is not known'))
      : unknown('the index is not known');
  if (!front) return items[at < 0 ? items.length + at : at] ?? unknown('the index is out of range');
  if (at < 0) return items[items.length + at] ?? fromBack(run, front, -at - items.length);
  const [id] = symbolsOf(front);
  if (id === undefined) return unknown('the rank is not known');
  const name = hintOf(id).slice(1);
  const isParameter = [...run.parameters.values()].includes(name);
  return intValue(sizeAt(run, id, at, isParameter ? `${name}.shape[${at}]` : `size_${at}`));
}

/** A size that was packed: each that is told apart is one more trailing dim. */
function fromBack(run: Run, front: SymInt, place: number): Value {
  let packed = packedSymbol(front);
  for (let back = 1; packed !== null && back <= DEEPEST; back++) {
    const [rest, size] = factorsOf(factsOf(run), packed) ?? splitPacked(run, packed, back);
    if (rest === undefined || size === undefined) break;
    if (back === place) return intValue(size);
    packed = packedSymbol(rest);
  }
  return unknown('the rank is not known');
}

const DEEPEST = 4;

function tupleSlice(run: Run, of: Extract<Value, { kind: 'tuple' }>, key: Extract<Value, { kind: 'slice' }>): Value {
  const bound = (value: Value): number | null | undefined =>
    value.kind === 'none' ? null : (integer(run, value)?.constant ?? undefined);
  const [start, stop, step] = [bound(key.start), bound(key.stop), bound(key.step)];
  if (start === undefined || stop === undefined || step === undefined) return unknown('the slice is not known');
  const { items, front } = of;
  if (!front) {
    const picked =
      step === -1
        ? [...items].reverse()
        : items.slice(start ?? 0, stop ?? undefined).filter((_, i) => i % (step ?? 1) === 0);
    return tupleOf(picked);
  }
  if (step !== null && step !== 1) return unknown('the rank is not known');
  if ((start === null || start === 0) && (stop === null || (stop < 0 && -stop <= items.length)))
    return { kind: 'tuple', items: items.slice(0, stop ?? undefined), front };
  if (start !== null && start < 0 && -start <= items.length && (stop === null || stop < 0))
    return tupleOf(items.slice(items.length + start, stop ?? undefined));
  return unknown('the rank is not known');
}

function objectItem(run: Run, act: Activation, ref: number, key: Value, node: Node, self: Expression): Value {
  const object = heapRead(run, ref);
  if (isSequence(object)) {
    if (key.kind === 'slice') {
      if (object.rest) return listOf(run, [], joinAll(run, [...object.items, object.rest]));
      const part = tupleSlice(run, { kind: 'tuple', items: object.items }, key);
      return part.kind === 'tuple' ? listOf(run, part.items, null) : part;
    }
    const at = integer(run, key)?.constant ?? null;
    if (object.rest || at === null) {
      const exact = at !== null && at >= 0 ? object.items[at] : undefined;
      return (
        exact ?? joinAll(run, [...object.items, ...(object.rest ? [object.rest] : [])]) ?? unknown('the list is empty')
      );
    }
    return object.items[at < 0 ? object.items.length + at : at] ?? unknown('the index is out of range');
  }
  if (object?.object === 'dict') {
    const text = keyText(key);
    const entry = text === null ? undefined : object.entries.get(text);
    if (entry) return entry.value;
    return (
      joinAll(run, possibleEntries(object, text)) ??
      unknown(text === null ? 'the dict is empty' : 'the key is not in the dict')
    );
  }
  if (object?.object === 'instance') return instanceItem(run, act, ref, key, node, self);
  return unknown('its items are not known');
}
