import type { Comprehension, Expression } from '../../syntax/ast.ts';
import { tupleOf, unknown, type Value } from '../../values/value.ts';
import { branchSymbols, joinValues } from '../state/join.ts';
import { type Activation, allocate, heapRead, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { assign } from '../statements/assignment.ts';
import { iterate } from '../statements/iteration.ts';
import { assume } from '../statements/narrow.ts';
import { turnsOf } from '../statements/turns.ts';
import { evaluate } from './expressions.ts';
import { askTruth } from './truth.ts';

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
export function tupleOfElements(run: Run, act: Activation, nodes: readonly Expression[]): Value {
  const { items, rest } = elements(run, act, nodes);
  if (rest) return unknown('the length is not known');
  const [first] = items;
  return nodes[0]?.kind === 'Starred' && first?.kind === 'tuple' && first.front && first.items.length === 0
    ? { kind: 'tuple', items: items.slice(1), front: first.front }
    : tupleOf(items);
}

export function evaluateDict(
  run: Run,
  act: Activation,
  keys: readonly (Expression | null)[],
  values: readonly Expression[],
): Value {
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
      // of two numbers that are not known nobody knows whether they are one
      return key.value.constant === null ? null : `i:${key.value.constant}`;
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

export function evaluateComprehension(run: Run, act: Activation, node: Comprehension): Value {
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
    const over = turnsOf(run, evaluate(run, act, generator.iter), node, generator.target);
    if (over.rest || over.items.length > MOST_UNROLLED) open = true;
    const turns =
      over.items.length > MOST_UNROLLED
        ? [over.items.reduce((a, b) => joinValues(run, a, b, 'item', branchSymbols(run)) ?? a)]
        : [...over.items];
    if (over.rest) turns.push(over.rest);
    for (const value of turns) {
      assign(run, act, generator.target, value, generator.iter);
      const tests = generator.ifs.map((test) => askTruth(run, act, test, evaluate(run, act, test)));
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
  // Each of the first ones, and what all behind them are like.
  const [one, ...others] = node.generators;
  const told = open && others.length === 0 && one?.ifs.length === 0 && items.length > 1 && items.length <= MOST_FIRST;
  const last = items.at(-1);
  const object = node.form === 'set' ? 'set' : node.form === 'generator' ? 'iterator' : 'list';
  if (told && last && node.form !== 'set')
    return { kind: 'ref', ref: allocate(run, { object, items: items.slice(0, -1), rest: last, length: null }) };
  const summary =
    open && items.length > 0 ? items.reduce((a, b) => joinValues(run, a, b, 'item', branchSymbols(run)) ?? a) : null;
  return { kind: 'ref', ref: allocate(run, { object, items: open ? [] : items, rest: summary, length: null }) };
}

export const MOST_UNROLLED = 32;

const MOST_FIRST = 4;
