import type { Body, For, While } from '../../syntax/ast.ts';
import { unknown, type Value } from '../../values/value.ts';
import { MOST_UNROLLED } from '../expressions/displays.ts';
import { evaluate } from '../expressions/expressions.ts';
import { askTruth } from '../expressions/truth.ts';
import { heldBack, type Told } from '../memo/told.ts';
import {
  changed,
  fork,
  type HeapObject,
  isSequence,
  joinLayers,
  joinObjects,
  type Layer,
  read,
  staysKnown,
} from '../state/heap.ts';
import { branchSymbols, joinValues, recordedAlike, type SymbolAt } from '../state/join.ts';
import { type Activation, freshSymbol, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { like } from '../torch/nn.ts';
import { assign } from './assignment.ts';
import { carriedNames, holdsFunctions } from './carried.ts';
import { assume } from './narrow.ts';
import type { Completion } from './statements.ts';
import { execute } from './statements.ts';
import { turnsOf } from './turns.ts';

const MOST_ROUNDS = 4;

/** So many turns that are told apart from those of unknown number behind them are followed one by one. */
const MOST_FIRST = 4;

export function executeFor(run: Run, act: Activation, node: For): Completion {
  const over = turnsOf(run, settled(run, evaluate(run, act, node.iter)), node, node.target);
  const known = over.rest === null && over.items.length <= MOST_UNROLLED;
  if (known || (over.rest && over.items.length > 0 && over.items.length <= MOST_FIRST)) {
    for (const item of over.items) {
      assign(run, act, node.target, item, node.iter);
      const end = loopBody(run, act, node.body);
      if (end === 'break') return 'next';
      if (end === 'return' || end === 'raise') return end;
    }
    const { rest } = over;
    if (rest) fixpoint(run, act, node, () => assign(run, act, node.target, rest, node.iter));
    return execute(run, act, node.orelse);
  }
  const element =
    joinAll(run, [...over.items, ...(over.rest ? [over.rest] : [])]) ?? unknown('nothing is iterated over');
  fixpoint(run, act, node, () => assign(run, act, node.target, element, node.iter));
  return execute(run, act, node.orelse);
}

export function executeWhile(run: Run, act: Activation, node: While): Completion {
  const truth = askTruth(run, act, node.test, evaluate(run, act, node.test));
  if (truth === false) return execute(run, act, node.orelse);
  fixpoint(run, act, node, () => {
    evaluate(run, act, node.test);
    assume(run, act, node.test, true);
  });
  return execute(run, act, node.orelse);
}

/** A turn of a loop: what `continue` and `break` on some branches leave is joined with what goes through. */
function loopBody(run: Run, act: Activation, body: Body): Completion {
  const outer = act.loopExits;
  const exits: Layer[] = [];
  act.loopExits = exits;
  const base = run.layer;
  const layer = fork(base);
  run.layer = layer;
  const end = execute(run, act, body);
  run.layer = base;
  act.loopExits = outer;
  if (end === 'return' || end === 'raise') {
    if (exits.length === 0) return end;
  } else exits.push(layer);
  const at = branchSymbols(run);
  joinLayers(base, exits, (a, b, where) => joinValues(run, a, b, where, at));
  return end === 'break' && exits.length === 1 ? 'break' : 'next';
}

/**
 * Rounds of a loop of unknown length until nothing that it changes is news to a further turn. The last one is what is told
 * of the loop, where it began with just what it came to; else the loop is gone through once more.
 */
function fixpoint(run: Run, act: Activation, loop: For | While, begin: () => void): void {
  const made = new Map<string, ReturnType<SymbolAt>>();
  const at: SymbolAt = (where, hint) => {
    const found = made.get(where) ?? freshSymbol(run, hint);
    made.set(where, found);
    return found;
  };
  const base = run.layer;
  const exits = act.exits.length;
  const news = newsOf(act, loop);
  const turn = (): Layer => {
    act.exits.length = exits;
    const layer = fork(base);
    run.layer = layer;
    begin();
    loopBody(run, act, loop.body);
    run.layer = base;
    return layer;
  };
  const start = act.events.length;
  let told: readonly Told[] = [];
  const round = (): Growth => {
    let growth: Growth = 'none';
    act.events.length = start;
    told = heldBack(run, () => {
      growth = widen(run, base, turn(), at, news);
    });
    return growth;
  };
  let growth: Growth = 'news';
  act.loops++;
  for (let rounds = 0; growth === 'news' && rounds < MOST_ROUNDS; rounds++) growth = round();
  if (growth === 'news' || (growth === 'slight' && run.muted === 0)) round();
  act.loops--;
  run.memory.told.push(...told);
}

/** Whether a change of what stands at a place of the heap matters to the next turn. */
function newsOf(act: Activation, loop: For | While): (where: string) => boolean {
  if (act.qualname === '<module>' || act.body === null || holdsFunctions(act.body)) return () => true;
  const carried = carriedNames(loop);
  const frame = `${act.frame}.`;
  return (where) => !where.startsWith(frame) || carried.has(where.slice(frame.length));
}

/** What a round left that was not there before: something slight is no news to a further turn, but it may tell more of it. */
type Growth = 'none' | 'slight' | 'news';

/** Takes into `base` what a round changed. */
function widen(run: Run, base: Layer, layer: Layer, at: SymbolAt, matters: (where: string) => boolean): Growth {
  let news = false;
  let slight = false;
  const join = (a: Value | undefined, b: Value | undefined, where: string): Value | undefined => {
    if (a === undefined) {
      news ||= matters(where);
      return b;
    }
    if (b === undefined) return a;
    if (like(a, b)) {
      const both = a.kind === 'tensor' && b.kind === 'tensor' ? recordedAlike(a, b) : a;
      slight ||= both !== a;
      return both;
    }
    const both = joinValues(run, a, b, where, at) ?? b;
    if (like(both, a)) return a;
    news ||= matters(where);
    return both;
  };
  for (const [ref, object] of changed(layer, base)) {
    const before = read(base, ref);
    if (before === undefined) {
      if (!staysKnown(object)) continue;
      news ||= object.object === 'rebound';
      base.own.set(ref, object);
    } else {
      const grown = sizeOfObject(object) !== sizeOfObject(before);
      base.own.set(ref, joinObjects(before, object, join, `${ref}`));
      if (grown && isSequence(before) && !before.rest) news = true;
    }
  }
  return news ? 'news' : slight ? 'slight' : 'none';
}

const sizeOfObject = (object: HeapObject): number =>
  isSequence(object) ? object.items.length + (object.rest ? 1000 : 0) : 0;
