import type { Body, For, While } from '../../syntax/ast.ts';
import { unknown } from '../../values/value.ts';
import { MOST_UNROLLED } from '../expressions/displays.ts';
import { evaluate } from '../expressions/expressions.ts';
import { askTruth } from '../expressions/truth.ts';
import { heldBack, type Told } from '../memo/told.ts';
import { fork, joinLayers, type Layer } from '../state/heap.ts';
import { branchSymbols, joinValues } from '../state/join.ts';
import type { Activation, Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { assign } from './assignment.ts';
import { carriedNames, holdsFunctions } from './carried.ts';
import { assume } from './narrow.ts';
import type { Completion } from './statements.ts';
import { execute } from './statements.ts';
import { turnsOf } from './turns.ts';
import { differing, type Growth, widen } from './widening.ts';

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
  const by = differing(run);
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
      growth = widen(run, base, turn(), by, news);
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
