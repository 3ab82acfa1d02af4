import { learnAtLeast, loneSymbol, type SymInt } from '../../symbols/index.ts';
import type { Comprehension, Expression, For } from '../../syntax/ast.ts';
import { bodiesOf, expressionsOf, partsOf } from '../../syntax/children.ts';
import { intValue, type Value } from '../../values/value.ts';
import type { Elements } from '../expressions/displays.ts';
import { factsOf, learn, type Run } from '../state/run.ts';
import { iterate } from './iteration.ts';

/** What the turns of a loop are over: of a `range` of unknown length the first turn apart, where the loop asks for it. */
export function turnsOf(run: Run, over: Value, loop: For | Comprehension, target: Expression): Elements {
  const all = iterate(run, over);
  if (over.kind !== 'range' || all.rest?.kind !== 'int' || target.kind !== 'Name' || over.step.constant !== 1)
    return all;
  return asksForFirst(loop, target.id)
    ? { items: [intValue(over.start)], rest: later(run, over.start, all.rest) }
    : all;
}

/** The index of a turn that is not the first. */
function later(run: Run, start: SymInt, rest: Extract<Value, { kind: 'int' }>): Value {
  const first = start.constant;
  if (first === null || loneSymbol(rest.value) === null) return rest;
  learn(run, learnAtLeast(factsOf(run), rest.value, first + 1));
  return rest;
}

const asking = new WeakMap<object, boolean>();

/** Whether a loop compares its index with a number, or asks whether it is 0. */
function asksForFirst(loop: For | Comprehension, index: string): boolean {
  const known = asking.get(loop);
  if (known !== undefined) return known;
  const is = (node: Expression): boolean => node.kind === 'Name' && node.id === index;
  const asks = (node: Expression): boolean =>
    (node.kind === 'Compare' && is(node.left) && node.comparators.every(({ kind }) => kind === 'Constant')) ||
    (node.kind === 'IfExp' && is(node.test)) ||
    (node.kind === 'UnaryOp' && node.op === 'not' && is(node.operand)) ||
    partsOf(node).some(asks);
  const asksIn = (body: For['body']): boolean =>
    body.some(
      (node) => expressionsOf(node).some(asks) || (node.kind === 'If' && is(node.test)) || bodiesOf(node).some(asksIn),
    );
  const found = loop.kind === 'For' ? asksIn(loop.body) : asks(loop.element);
  asking.set(loop, found);
  return found;
}
