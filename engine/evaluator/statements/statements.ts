import { inplace } from '../../ops/index.ts';
import type { AugAssign, Body, Expression, If, Match, Node, Statement, Try, With } from '../../syntax/ast.ts';
import { NONE, unknown, type Value } from '../../values/value.ts';
import { defineClass } from '../calls/classes.ts';
import { closureOf, functionValue, scopeOf } from '../calls/functions.ts';
import { evaluate } from '../expressions/expressions.ts';
import { binaryValue, isTensorLike } from '../expressions/operators.ts';
import { askTruth } from '../expressions/truth.ts';
import { recordStore, recordValue, site } from '../record.ts';
import { evaluateShapeComment } from '../roots/annotations.ts';
import { numberIfUnknown, ofGuessedNumber } from '../roots/guessed.ts';
import { agreeOnRanks, ranked } from '../state/agreed-ranks.ts';
import { bindJoined } from '../state/bindings.ts';
import { isSequence, joinLayers, type Layer } from '../state/heap.ts';
import { branchSymbols, joinValues } from '../state/join.ts';
import { type Activation, heapWrite, onBranch, type Run, step } from '../state/run.ts';
import { joinAll, settled, settledDeep } from '../state/settled.ts';
import { isOver } from '../state/steps.ts';
import { enterAutocast } from '../torch/autocast.ts';
import { runOutcome } from '../torch/torch.ts';
import { assign, outlives, sourceOf } from './assignment.ts';
import { iterate } from './iteration.ts';
import { executeFor, executeWhile } from './loops.ts';
import { bind, importValue, unbind } from './names.ts';
import { assume } from './narrow.ts';

/** How a body ended: went through, or left by one of the ways. */
export type Completion = 'next' | 'return' | 'break' | 'continue' | 'raise';

export function execute(run: Run, act: Activation, body: Body): Completion {
  for (const statement of body) {
    if (isOver(run) || !step(run)) return 'next';
    const end = executeStatement(run, act, statement);
    if (end !== 'next') return end;
  }
  return 'next';
}

function executeStatement(run: Run, act: Activation, node: Statement): Completion {
  switch (node.kind) {
    case 'Expr':
      evaluate(run, act, node.value);
      return 'next';
    case 'Assign': {
      const value = evaluateShapeComment(run, act, node, evaluate(run, act, node.value));
      for (const target of node.targets) assign(run, act, target, value, node.value);
      const [target] = node.targets;
      if (target?.kind === 'Name') recordValue(run, act, node.value, value, target.id);
      return 'next';
    }
    case 'AnnAssign':
      if (node.value) assign(run, act, node.target, evaluate(run, act, node.value), node.value);
      return 'next';
    case 'AugAssign':
      augment(run, act, node);
      return 'next';
    case 'Return': {
      const value = node.value ? settledDeep(run, evaluate(run, act, node.value)) : NONE;
      if (run.muted === 0) act.events.push({ event: 'return', ...site(run, act, node), value });
      act.exits.push({ value, layer: run.layer, way: act.way ?? '' });
      return 'return';
    }
    case 'If':
      return executeIf(run, act, node);
    case 'For':
      return executeFor(run, act, node);
    case 'While':
      return executeWhile(run, act, node);
    case 'With':
      return executeWith(run, act, node);
    case 'Try':
      return executeTry(run, act, node);
    case 'Match':
      return executeMatch(run, act, node);
    case 'Raise':
      if (node.exception) evaluate(run, act, node.exception);
      return 'raise';
    case 'Assert': {
      const truth = askTruth(run, act, node.test, evaluate(run, act, node.test));
      assume(run, act, node.test, true);
      return truth === false && isPlainFalse(node.test) ? 'raise' : 'next';
    }
    case 'FunctionDef': {
      const qualname = `${scopeOf(act)}${node.name}`;
      bind(run, act, node.name, functionValue(run, act, node, null, qualname, closureOf(act)));
      return 'next';
    }
    case 'ClassDef':
      bind(run, act, node.name, defineClass(run, act, node, `${scopeOf(act)}${node.name}`));
      return 'next';
    case 'Import':
      for (const { name, asname } of node.names)
        bind(
          run,
          act,
          asname ?? name.split('.')[0] ?? name,
          importValue(run, act.file, asname ? name : (name.split('.')[0] ?? name), 0, null),
        );
      return 'next';
    case 'ImportFrom':
      for (const { name, asname } of node.names)
        if (name !== '*') bind(run, act, asname ?? name, importValue(run, act.file, node.module, node.level, name));
      return 'next';
    case 'Global':
      if (!node.nonlocal) for (const name of node.names) act.globalNames.add(name);
      return 'next';
    case 'Delete':
      for (const target of node.targets) if (target.kind === 'Name') unbind(run, act, target.id);
      return 'next';
    case 'Break':
      return 'break';
    case 'Continue':
      return 'continue';
    case 'Pass':
    case 'BadStatement':
      return 'next';
  }
}

const isPlainFalse = (test: Expression): boolean => test.kind === 'Constant' && test.value === false;

/** `x += y`: in place for a tensor, a list is extended, anything else is bound anew. */
function augment(run: Run, act: Activation, node: AugAssign): void {
  const left = settled(run, evaluate(run, act, node.target));
  const right = settled(run, evaluate(run, act, node.value));
  if (isTensorLike(run, left) && left.kind === 'tensor') {
    const op = `${node.op}=` as const;
    const value = runOutcome(run, act, op, [left, right], { node, spelled: op, self: node.target }, (context, [x, y]) =>
      ofGuessedNumber(inplace(op, x ?? NONE, numberIfUnknown(y ?? NONE), context), [y ?? NONE]),
    );
    assign(run, act, node.target, value.kind === 'unknown' ? left : value, node.value);
    return;
  }
  const list = left.kind === 'ref' ? heapWrite(run, left.ref) : undefined;
  if (node.op === '+' && isSequence(list)) {
    const more = iterate(run, right);
    if (list.rest) list.rest = joinAll(run, [list.rest, ...more.items, ...(more.rest ? [more.rest] : [])]);
    else {
      list.items = [...list.items, ...more.items];
      list.rest = more.rest;
    }
    if (node.target.kind === 'Name')
      recordStore(run, act, node, 'list', sourceOf(node.target), right, node.value, outlives(run, act, node.target));
    return;
  }
  const value = binaryValue(run, act, node.op, left, right, node, node.target);
  assign(run, act, node.target, value, node.value);
}

type Way = () => Completion;

/** Runs several ways apart; those that go through are joined, and if none does, the whole ends as they all do. */
export function branch(run: Run, act: Activation, node: Node, ways: readonly Way[]): Completion {
  const base = run.layer;
  const through: Layer[] = [];
  const before = act.way ?? '';
  const name = `${before}/${node.start}:`;
  const on: string[] = [];
  const ends = new Set<Completion>();
  const pending: { end: Completion; layer: Layer }[] = [];
  act.conditional++;
  for (const [i, way] of ways.entries()) {
    let end: Completion = 'next';
    // The turns of a loop take each their own way.
    if (act.loops === 0) act.way = `${name}${i}`;
    const layer = onBranch(run, () => {
      end = way();
    });
    ends.add(end);
    if (end === 'next') {
      through.push(layer);
      on.push(act.way ?? '');
    } else pending.push({ end, layer });
  }
  // What follows is on the only way that goes through.
  act.way = (on.length === 1 ? on[0] : undefined) ?? before;
  act.conditional--;
  const leaving = pending.filter(({ end }) => end === 'break' || end === 'continue').map(({ layer }) => layer);
  const keepRanks = agreeOnRanks(base, through);
  const at = branchSymbols(
    run,
    through.map(({ facts }) => facts),
  );
  const join = (a: Value | undefined, b: Value | undefined, where: string): Value | undefined => {
    const [x, y] = through.length === 2 ? [ranked(a, through[0]), ranked(b, through[1])] : [a, b];
    const joined = joinValues(run, x, y, where, at);
    if (through.length === 2 && act.loops === 0) bindJoined(act, name, where, [x, y], joined);
    return joined;
  };
  if (through.length > 0) {
    joinLayers(base, through, join);
    keepRanks();
    for (const layer of leaving) act.loopExits?.push(layer);
    return 'next';
  }
  const [only] = ends;
  if (leaving.length > 0) {
    joinLayers(base, leaving, join);
    return ends.has('continue') ? 'continue' : 'break';
  }
  if (ends.size === 1 && only) return only;
  return ends.has('return') ? 'return' : 'raise';
}

function executeIf(run: Run, act: Activation, node: If): Completion {
  // an elif chain is walked without recursion
  const truth = askTruth(run, act, node.test, evaluate(run, act, node.test));
  if (truth !== undefined) {
    assume(run, act, node.test, truth);
    return execute(run, act, truth ? node.body : node.orelse);
  }
  return branch(run, act, node, [
    () => {
      assume(run, act, node.test, true);
      return execute(run, act, node.body);
    },
    () => {
      assume(run, act, node.test, false);
      return execute(run, act, node.orelse);
    },
  ]);
}

function executeMatch(run: Run, act: Activation, node: Match): Completion {
  evaluate(run, act, node.subject);
  const ways: Way[] = node.cases.map((one) => () => {
    for (const name of one.names) bind(run, act, name, unknown('it is bound by a pattern'));
    if (one.guard) evaluate(run, act, one.guard);
    return execute(run, act, one.body);
  });
  if (!node.cases.some((one) => one.irrefutable)) ways.push(() => 'next');
  return branch(run, act, node, ways);
}

/** The handlers are looked at for what they say, but the body is taken to go through. */
function executeTry(run: Run, act: Activation, node: Try): Completion {
  const before = run.layer;
  const { guarded } = run;
  const handlers = node.handlers.map((handler) => () => {
    if (handler.name) bind(run, act, handler.name, unknown('it is an exception'));
    return execute(run, act, handler.body);
  });
  const exits = act.exits.length;
  for (const handler of handlers) onBranch(run, () => void handler());
  // what a handler returns is what the function returns only when something went wrong
  act.exits.length = exits;
  run.layer = before;
  if (node.handlers.length > 0) run.guarded = true;
  let end = execute(run, act, node.body);
  run.guarded = guarded;
  if (end === 'next') end = execute(run, act, node.orelse);
  const last = execute(run, act, node.finalbody);
  return last === 'next' ? end : last;
}

function executeWith(run: Run, act: Activation, node: With): Completion {
  const { grad, autocast, autocastOpen, defaultDevice, guarded } = run;
  for (const item of node.items) {
    const value = evaluate(run, act, item.context);
    const mode = value.kind === 'str' ? value.value : null;
    if (mode === 'no_grad' || mode === 'inference_mode') run.grad = false;
    if (mode === 'enable_grad') run.grad = true;
    // What is not known may be autocast, or `no_grad`, too: `with ctx:`
    if (value.kind === 'device') run.defaultDevice = value.value;
    else if (mode === null) enterAutocast(run, settled(run, value));
    if (mode === null && value.kind !== 'autocast' && value.kind !== 'device') run.grad = undefined;
    if (expectsFailure(item.context)) run.guarded = true;
    if (item.target)
      assign(run, act, item.target, mode === null ? value : unknown('a context manager is not followed'), item.context);
  }
  const end = execute(run, act, node.body);
  run.grad = grad;
  run.autocast = autocast;
  run.defaultDevice = defaultDevice;
  run.autocastOpen = autocastOpen;
  run.guarded = guarded;
  return end;
}

/** `with pytest.raises(RuntimeError):` */
function expectsFailure(context: Expression): boolean {
  const func = context.kind === 'Call' ? context.func : null;
  const name = func?.kind === 'Attribute' ? func.attr : func?.kind === 'Name' ? func.id : '';
  return /^(raises|assertRaises|assertRaisesRegex|suppress)$/.test(name);
}
