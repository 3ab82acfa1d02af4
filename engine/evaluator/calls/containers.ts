import { NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import { keyText } from '../expressions/displays.ts';
import { integer } from '../expressions/operators.ts';
import { recordStore } from '../record.ts';
import { isSequence } from '../state/heap.ts';
import { listOf } from '../state/objects.ts';
import { type Activation, allocate, heapRead, heapWrite, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { outlives, sourceOf } from '../statements/assignment.ts';
import { iterate } from '../statements/iteration.ts';
import type { Arguments, Place } from './calls.ts';
import { possibleEntries } from './mappings.ts';
import { withFields } from './named-tuples.ts';
import { stringMethod } from './texts.ts';

/** A method of a list, dict, set, tuple, string or number; the receiver is the first argument. */
export function callContainer(
  run: Run,
  act: Activation,
  type: string,
  method: string,
  args: Arguments,
  place: Place,
): Value {
  const [self, ...items] = args.items;
  if (self?.kind === 'ref') {
    const object = heapRead(run, self.ref);
    if (isSequence(object)) return listMethod(run, act, self.ref, method, items, args, place);
    if (object?.object === 'dict') return dictMethod(run, act, self.ref, method, items, args, place);
  }
  if (self?.kind === 'tuple' && method === 'numel' && !self.front)
    return unknown('the number of elements is not followed');
  if (self?.kind === 'str') return stringMethod(run, self.value, method, items, args.keywords);
  if (self?.kind === 'tuple' && method === '_replace') return withFields(self, args.keywords);
  if (type === 'tuple' && method === 'index') return unknown('the index is not followed');
  return type === 'number' && self ? self : unknown(`\`${method}\` is not followed`);
}

function listMethod(
  run: Run,
  act: Activation,
  ref: number,
  method: string,
  items: readonly Value[],
  args: Arguments,
  place: Place,
): Value {
  const list = heapWrite(run, ref);
  if (!isSequence(list)) return unknown('the list is not known');
  const [first] = items;
  const expression = args.nodes[0];
  const store = (value: Value): void => {
    if (expression && place.self)
      recordStore(
        run,
        act,
        place.node,
        'list',
        sourceOf(place.self),
        value,
        expression,
        outlives(run, act, place.self),
      );
  };
  switch (method) {
    case 'append':
    case 'add': {
      if (!first) return NONE;
      if (list.rest) list.rest = joinAll(run, [list.rest, first]);
      else list.items = [...list.items, first];
      store(first);
      return NONE;
    }
    case 'extend': {
      const more = first ? iterate(run, settled(run, first)) : { items: [], rest: null };
      if (list.rest) list.rest = joinAll(run, [list.rest, ...more.items, ...(more.rest ? [more.rest] : [])]);
      else {
        list.items = [...list.items, ...more.items];
        list.rest = more.rest;
      }
      if (first) store(first);
      return NONE;
    }
    case 'insert': {
      const at = first ? (integer(run, first)?.constant ?? null) : null;
      const value = items[1];
      if (!value) return NONE;
      if (at !== null && at >= 0 && !list.rest)
        list.items = [...list.items.slice(0, at), value, ...list.items.slice(at)];
      else {
        list.rest = joinAll(run, [...list.items, ...(list.rest ? [list.rest] : []), value]);
        list.items = [];
      }
      return NONE;
    }
    case 'pop': {
      const at = first ? (integer(run, first)?.constant ?? null) : -1;
      if (list.rest || at === null) {
        const any = joinAll(run, [...list.items, ...(list.rest ? [list.rest] : [])]);
        if (at !== -1) {
          list.items = [];
          list.rest = any;
        }
        return any ?? unknown('the list is empty');
      }
      const index = at < 0 ? list.items.length + at : at;
      const value = list.items[index];
      list.items = list.items.filter((_, i) => i !== index);
      return value ?? unknown('the list is empty');
    }
    case 'reverse':
      if (!list.rest) list.items = [...list.items].reverse();
      return NONE;
    case 'clear':
      list.items = [];
      list.rest = null;
      return NONE;
    case 'copy':
      return { kind: 'ref', ref: allocate(run, { ...list }) };
    case 'sort':
    case 'remove':
      list.rest = joinAll(run, [...list.items, ...(list.rest ? [list.rest] : [])]);
      list.items = [];
      return NONE;
    case 'index':
    case 'count':
      return unknown('the index is not followed');
    default: {
      const what = unknown(`\`${method}\` of a list is not followed`);
      if (CHANGING.has(method)) {
        list.items = [];
        list.rest = what;
      }
      return what;
    }
  }
}

/** What changes a set or a queue in a way that is not followed. */
const CHANGING: ReadonlySet<string> = new Set([
  ...['update', 'discard', 'intersection_update', 'difference_update', 'symmetric_difference_update'],
  ...['appendleft', 'extendleft', 'popleft', 'rotate'],
]);

function dictMethod(
  run: Run,
  act: Activation,
  ref: number,
  method: string,
  items: readonly Value[],
  args: Arguments,
  place: Place,
): Value {
  const dict = heapRead(run, ref);
  if (dict?.object !== 'dict') return unknown('the dict is not known');
  const [first] = items;
  const entries = [...dict.entries.values()];
  const rest = dict.rest;
  const listed = (values: readonly Value[], more: Value | null): Value => listOf(run, values, more);
  switch (method) {
    case 'items':
      return listed(
        entries.map((e) => tupleOf([e.key, e.value])),
        rest ? tupleOf([unknown('the key is not known'), rest]) : null,
      );
    case 'keys':
      return listed(
        entries.map((e) => e.key),
        rest ? unknown('the key is not known') : null,
      );
    case 'values':
      return listed(
        entries.map((e) => e.value),
        rest,
      );
    case '__contains__': {
      const text = first ? keyText(first) : null;
      if (text !== null && dict.entries.has(text)) return { kind: 'bool', value: true };
      return rest || (text === null && entries.length > 0)
        ? unknown('the key is not known')
        : { kind: 'bool', value: false };
    }
    case '__setitem__': {
      const writable = heapWrite(run, ref);
      const text = first ? keyText(first) : null;
      const value = items[1];
      if (writable?.object !== 'dict' || !first || !value) return NONE;
      if (text === null) writable.rest = joinAll(run, [...(writable.rest ? [writable.rest] : []), value]);
      else writable.entries.set(text, { key: first, value });
      return NONE;
    }
    case '__getitem__': {
      const text = first ? keyText(first) : null;
      const found = text === null ? undefined : dict.entries.get(text)?.value;
      if (found) return found;
      return joinAll(run, possibleEntries(dict, text)) ?? unknown('the key is not in the dict');
    }
    case 'get':
    case 'pop':
    case 'setdefault': {
      const text = first ? keyText(first) : null;
      const found = text === null ? undefined : dict.entries.get(text)?.value;
      if (found && method === 'pop' && text !== null) {
        const writable = heapWrite(run, ref);
        if (writable?.object === 'dict') writable.entries.delete(text);
      }
      const fallback = items[1] ?? args.keywords.get('default') ?? NONE;
      if (found) return found;
      if (rest || text === null) {
        const any = joinAll(run, [...possibleEntries(dict, text), fallback]) ?? fallback;
        const writable = method === 'setdefault' ? heapWrite(run, ref) : undefined;
        if (writable?.object === 'dict') writable.rest = any;
        return any;
      }
      if (method === 'setdefault') {
        const writable = heapWrite(run, ref);
        if (writable?.object === 'dict' && first) writable.entries.set(text, { key: first, value: fallback });
      }
      return fallback;
    }
    case 'update': {
      const writable = heapWrite(run, ref);
      if (writable?.object !== 'dict') return NONE;
      const from = first?.kind === 'ref' ? heapRead(run, first.ref) : undefined;
      if (from?.object === 'dict') {
        for (const [key, entry] of from.entries) writable.entries.set(key, entry);
        if (from.rest) writable.rest = joinAll(run, [from.rest, ...(writable.rest ? [writable.rest] : [])]);
      } else if (first) writable.rest = unknown('its entries are not known');
      for (const [key, value] of args.keywords)
        writable.entries.set(`s:${key}`, { key: { kind: 'str', value: key }, value });
      return NONE;
    }
    case 'copy':
      return { kind: 'ref', ref: allocate(run, { ...dict, entries: new Map(dict.entries) }) };
    default:
      void act;
      void place;
      return unknown(`\`${method}\` of a dict is not followed`);
  }
}
