import { type SymInt, symbol } from '../../symbols/index.ts';
import type { BoolOp, IfExp } from '../../syntax/ast.ts';
import { NONE, type Value } from '../../values/value.ts';
import { recordValue } from '../record.ts';
import { agreeOnRanks } from '../state/agreed-ranks.ts';
import { joinLayers, type Layer } from '../state/heap.ts';
import { branchSymbols, isPlain, joinValues, optionsOf } from '../state/join.ts';
import { type Activation, currentTensor, onBranch, type Run } from '../state/run.ts';
import { settledDeep } from '../state/settled.ts';
import { assume, truthOf } from '../statements/narrow.ts';
import { isRaising } from '../torch/torch-results.ts';
import { evaluate } from './expressions.ts';
import { askTruth } from './truth.ts';

/** The value of `and` and `or` is one of the operands; of `a or b` never a None on the left. */
export function evaluateBool(run: Run, act: Activation, node: BoolOp): Value {
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
      joinLayers(base, [{ parent: base, own: new Map(), facts: base.facts }, layer], (a, b, where) =>
        joinValues(run, a, b, where, branchSymbols(run)),
      );
    }
    const last = i === node.values.length - 1;
    const truth = last ? truthOf(run, next) : askTruth(run, act, operand, next);
    if (truth === !stop && i < node.values.length - 1 && value === null) continue;
    // `a and None` does not hold, whatever `a` is.
    const decided: boolean = truth === false && !stop && value !== null && isUnknown(value);
    const kept: Value =
      value === null || decided
        ? next
        : (joinValues(run, withoutTruth(run, value, stop), next, 'value', branchSymbols(run)) ?? next);
    value = kept;
    if (truth === stop) break;
  }
  const chosen = value ?? NONE;
  recordValue(run, act, node, chosen, null);
  return chosen;
}

const isUnknown = ({ kind }: Value): boolean => kind === 'unknown';

/** An integer or None, of which `or` goes on with the integer. */
const isNumber = (run: Run, value: Value): boolean =>
  value.kind === 'unknown' && value.symbol !== undefined && run.numbers.has(value.symbol);

/** The options of a value for which `and` or `or` goes on are dropped. */
function withoutTruth(run: Run, value: Value, stop: boolean): Value | undefined {
  if (stop && value.kind === 'unknown' && value.symbol !== undefined && isNumber(run, value))
    return { kind: 'int', value: symbol(value.symbol) };
  const options = optionsOf(value).filter((option) => truthOf(run, option) !== !stop);
  const [only] = options;
  return options.length === 0 ? undefined : options.length === 1 ? only : { kind: 'either', options };
}

export function evaluateIf(run: Run, act: Activation, node: IfExp): Value {
  const truth = askTruth(run, act, node.test, evaluate(run, act, node.test));
  if (truth !== undefined) {
    assume(run, act, node.test, truth);
    return evaluate(run, act, truth ? node.body : node.orelse);
  }
  return branchValues(run, act, [
    () => {
      assume(run, act, node.test, true);
      return evaluate(run, act, node.body);
    },
    () => {
      assume(run, act, node.test, false);
      return evaluate(run, act, node.orelse);
    },
  ]);
}

/**
 * Evaluates several ways apart, each on a layer of its own, and joins what comes out. What goes on took no way that raises.
 * `by` is a number that tells the ways apart.
 */
export const branchValues = (
  run: Run,
  act: Activation,
  ways: readonly (() => Value)[],
  by: SymInt | null = null,
): Value => branchWhile(run, act, ways, () => true, by);

/** The same of so many ways that it is given up with the first one of which nothing can be told. */
export const branchManyValues = (run: Run, act: Activation, ways: readonly (() => Value)[]): Value =>
  branchWhile(run, act, ways, (value) => value.kind !== 'unknown' || isPlain(run, value) || isRaising(value), null);

/**
 * The same of ways that are one as good as another: the first two of which all is told speak for all. Those of which
 * something is not told do not count, unless there are no others.
 */
export function branchTellingValues(run: Run, act: Activation, ways: readonly (() => Value)[]): Value {
  let telling = 0;
  const ends = endsOf(run, act, ways, (value) => !isTelling(run, value) || ++telling < 2);
  const told = ends.filter(({ value }) => isTelling(run, value));
  return joinEnds(run, told.length > 0 ? told : ends, null);
}

/** A tensor of unknown rank tells nothing. */
function isTelling(run: Run, value: Value): boolean {
  const tells = (part: Value): boolean => isTelling(run, part);
  switch (value.kind) {
    case 'tuple':
      return value.items.every(tells);
    case 'either':
      return value.options.every(tells);
    case 'tensor':
      return !currentTensor(run, value).layout.front;
    default:
      return value.kind !== 'unknown';
  }
}

const branchWhile = (
  run: Run,
  act: Activation,
  ways: readonly (() => Value)[],
  goesOn: (value: Value) => boolean,
  by: SymInt | null,
): Value => joinEnds(run, endsOf(run, act, ways, goesOn), by);

/** Where a way of several ended, and with what. */
interface End {
  readonly layer: Layer;
  readonly value: Value;
}

function endsOf(
  run: Run,
  act: Activation,
  ways: readonly (() => Value)[],
  goesOn: (value: Value) => boolean,
): readonly End[] {
  const ends: End[] = [];
  act.conditional++;
  for (const way of ways) {
    let value: Value = NONE;
    const layer = onBranch(run, () => {
      value = settledDeep(run, way());
    });
    ends.push({ layer, value });
    if (!goesOn(value)) break;
  }
  act.conditional--;
  return ends;
}

function joinEnds(run: Run, ends: readonly End[], by: SymInt | null): Value {
  const base = run.layer;
  const through = ends.filter(({ value }) => !isRaising(value));
  const on = through.length > 0 ? through : ends;
  const layers = on.map(({ layer }) => layer);
  const keepRanks = agreeOnRanks(base, layers);
  const at = branchSymbols(
    run,
    layers.map(({ facts }) => facts),
    by,
  );
  joinLayers(base, layers, (a, b, where) => joinValues(run, a, b, where, at));
  keepRanks();
  return on.map(({ value }) => value).reduce((a, b) => joinValues(run, a, b, 'value', at) ?? a);
}
