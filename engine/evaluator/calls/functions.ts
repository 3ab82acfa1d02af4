import { meet } from '../../symbols/index.ts';
import type { Expression, FunctionDef, Lambda, Parameter, Parameters } from '../../syntax/ast.ts';
import { NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import { evaluate } from '../expressions/expressions.ts';
import { freeNames } from '../memo/free-names.ts';
import { remembered } from '../memo/memory.ts';
import { recordContext } from '../roots/contexts.ts';
import { demandSaidRanks } from '../roots/said.ts';
import { fork, joinLayers } from '../state/heap.ts';
import { branchSymbols, joinValues } from '../state/join.ts';
import { iteratorOf } from '../state/objects.ts';
import { type FunctionInfo, isConstructor } from '../state/program.ts';
import { forgetAssigned } from '../state/rebinding.ts';
import { type Activation, activation, allocate, namedUnknown, OUT_OF_BUDGET, type Run } from '../state/run.ts';
import { joinAll, settledDeep } from '../state/settled.ts';
import { execute } from '../statements/statements.ts';
import { throughNode } from '../torch/autograd.ts';
import { lose, timesLost } from '../units/reading.ts';
import { abstractArguments } from './abstraction.ts';
import type { Arguments, Place } from './calls.ts';
import { torchBase } from './classes.ts';

const MOST_DEEP = 24;
const MOST_RECURSIVE = 2;

/** The value that a `def` binds, and what its decorators make of it. */
export function functionValue(
  run: Run,
  act: Activation,
  node: FunctionDef,
  owner: number | null,
  qualname: string,
  closure: readonly number[],
): Value {
  const known = run.functionOf.get(node);
  if (known !== undefined && closure.length === 0) return { kind: 'program', what: 'function', id: known };
  const decorators = node.decorators.map((decorator) => decoratorName(decorator));
  const has = (...names: string[]): boolean => decorators.some((name) => names.includes(name));
  // Evaluating the defaults may define functions.
  const defaults = defaultsOf(run, act, node.args);
  const info: FunctionInfo = {
    id: run.functions.length,
    definition: node,
    file: act.file,
    qualname,
    base: act.base + node.start,
    closure,
    owner,
    decoration: has('staticmethod')
      ? 'static'
      : has('classmethod')
        ? 'class'
        : has('property', 'cached_property')
          ? 'property'
          : 'none',
    noGrad: has('no_grad', 'inference_mode'),
    autocast: node.decorators.flatMap((decorator) => {
      const value = decoratorName(decorator) === 'autocast' ? evaluate(run, act, decorator) : null;
      return value?.kind === 'autocast' ? [value.region] : [];
    }),
    defaults,
  };
  run.functions.push(info);
  run.functionOf.set(node, info.id);
  return has('contextmanager')
    ? unknown('a context manager is not followed')
    : { kind: 'program', what: 'function', id: info.id };
}

/** The last name of a decorator: `no_grad` of `@torch.no_grad()`. */
function decoratorName(node: Expression): string {
  if (node.kind === 'Call') return decoratorName(node.func);
  return node.kind === 'Attribute' ? node.attr : node.kind === 'Name' ? node.id : '';
}

export function lambdaValue(run: Run, act: Activation, node: Lambda): Value {
  const defaults = defaultsOf(run, act, node.args);
  const info: FunctionInfo = {
    id: run.functions.length,
    definition: node,
    file: act.file,
    qualname: `${scopeOf(act)}<lambda>`,
    base: act.base,
    closure: closureOf(act),
    owner: null,
    decoration: 'none',
    noGrad: false,
    autocast: [],
    defaults,
  };
  run.functions.push(info);
  return { kind: 'program', what: 'function', id: info.id };
}

export const scopeOf = (act: Activation): string => (act.qualname === '<module>' ? '' : `${act.qualname}.<locals>.`);
export const closureOf = (act: Activation): readonly number[] =>
  act.qualname === '<module>' ? [] : [act.frame, ...act.closure];

function defaultsOf(run: Run, act: Activation, args: Parameters): ReadonlyMap<string, Value> {
  const out = new Map<string, Value>();
  for (const parameter of [...args.positional, ...args.keywordOnly])
    if (parameter.default) out.set(parameter.name, evaluate(run, act, parameter.default));
  return out;
}

export const parametersOf = (args: Parameters): readonly Parameter[] => [
  ...args.positional,
  ...(args.vararg ? [args.vararg] : []),
  ...args.keywordOnly,
  ...(args.kwarg ? [args.kwarg] : []),
];

/** Calls a program function; `self` is already the first of the arguments. */
export function callFunction(
  run: Run,
  caller: Activation,
  id: number,
  args: Arguments,
  self: Value | null,
  place: Place,
): Value {
  const info = run.functions[id];
  if (!info) return unknown('the function is not known');
  if (run.stack.length > MOST_DEEP) return cutOff(run, 0, 'the calls are nested too deeply');
  const recursive = run.stack.flatMap((act, i) => (act.info?.definition === info.definition ? [i] : []));
  const outermost = recursive.at(-MOST_RECURSIVE);
  if (outermost !== undefined) return cutOff(run, outermost, 'the function calls itself');
  if (run.budget <= 0) return OUT_OF_BUDGET;
  const variables = bindArguments(run, info, args);
  for (const [name, value] of variables) variables.set(name, asOne(run, name, value));
  demandSaidRanks(run, info, variables);
  const { restore } = abstractArguments(run, variables, self);
  const whole = run.budget;
  const limited = (self === null || isFrameworks(run, info)) && !takesTensors(variables);
  const most = run.entry && self === null ? ALLOWANCE_OF_MODELS : ALLOWANCE;
  if (limited && most === ALLOWANCE && timesLost(run, info) >= MOST_LOST) {
    forgetAssigned(run, self, info.definition, OUT_OF_BUDGET);
    return OUT_OF_BUDGET;
  }
  const allowance = limited ? Math.min(whole, most) : whole;
  run.budget = allowance;
  const call = (): Value =>
    remembered(run, info, variables, self, allowance < whole, () => enter(run, caller, info, variables, self, place));
  const result = isNode(run, info) ? throughNode(run, [...variables.values()].slice(1), call) : call();
  if (limited && run.budget <= 0) {
    forgetAssigned(run, self, info.definition, OUT_OF_BUDGET);
    if (allowance === most) lose(run, info);
  }
  run.budget = whole - (allowance - run.budget);
  restore();
  return settledDeep(run, result);
}

/** What is passed and not known is one thing wherever the function uses it: what one use tells of it holds for the next. */
const asOne = (run: Run, name: string, value: Value): Value =>
  value.kind === 'unknown' && value.symbol === undefined ? namedUnknown(run, name, value.reason) : value;

/** The `forward` of a `torch.autograd.Function`. */
const isNode = (run: Run, { owner, definition }: FunctionInfo): boolean =>
  owner !== null &&
  definition.kind === 'FunctionDef' &&
  definition.name === 'forward' &&
  torchBase(run, owner) === 'torch.autograd.Function';

/** `at`: the call, by its place in the stack, without which it would not be cut off. */
function cutOff(run: Run, at: number, reason: string): Value {
  run.memory.cutAt = Math.min(run.memory.cutAt, at);
  return unknown(reason);
}

/** Steps that a call without tensors may take: enough to compute sizes, not to follow how a framework builds a model. */
const ALLOWANCE = 1500;

/** The same where a whole model is made: of the functions of its file that make its stages. */
const ALLOWANCE_OF_MODELS = 20000;

/** What was not followed to its end as often as this is not begun again. */
const MOST_LOST = 1;

/** A method of a class from elsewhere that says nothing of torch: what a framework sees to beside the model. */
const isFrameworks = (run: Run, info: FunctionInfo): boolean =>
  info.file.path !== run.own &&
  info.definition.kind === 'FunctionDef' &&
  !isConstructor(info) &&
  !TORCH.some((name) => freeNames(info.definition).has(name));

const TORCH = ['torch', 'nn', 'F'];

const takesTensors = (variables: ReadonlyMap<string, Value>): boolean =>
  [...variables.values()].some(
    (value) =>
      value.kind === 'tensor' || (value.kind === 'tuple' && value.items.some((item) => item.kind === 'tensor')),
  );

/** Runs a function's body with its variables bound; also how a root is analysed. */
export function enter(
  run: Run,
  caller: Activation | null,
  info: FunctionInfo,
  variables: Map<string, Value>,
  self: Value | null,
  place: Place | null,
): Value {
  const base = run.layer;
  run.layer = fork(base);
  const frame = allocate(run, { object: 'frame', variables });
  const parameters = new Map(variables);
  const act = activation({
    frame,
    closure: info.closure,
    file: info.file,
    base: info.base,
    qualname: info.qualname,
    body: info.definition.kind === 'FunctionDef' ? info.definition.body : null,
    info,
    self,
  });
  const { grad, autocast, autocastOpen } = run;
  if (info.noGrad) run.grad = false;
  // A decorator of the program may turn on autocast or grad.
  else if (info.definition.kind === 'FunctionDef' && info.definition.decorators.length > 0) run.grad = undefined;
  run.autocast = [...run.autocast, ...info.autocast];
  if (info.definition.kind === 'FunctionDef' && info.definition.decorators.length > info.autocast.length)
    run.autocastOpen = true;
  run.stack.push(act);
  if (info.definition.kind === 'Lambda') {
    const value = settledDeep(run, evaluate(run, act, info.definition.body));
    act.exits.push({ value, layer: run.layer });
  } else if (execute(run, act, info.definition.body) === 'next')
    act.exits.push({ value: NONE, layer: run.layer, way: act.way ?? '' });
  run.stack.pop();
  run.grad = grad;
  run.autocast = autocast;
  run.autocastOpen = autocastOpen;
  act.facts = act.exits
    .map((exit) => exit.layer.facts)
    .reduce((a, b) => (a === b ? a : meet(a, b)), act.exits[0]?.layer.facts ?? run.layer.facts);
  run.layer = base;
  const at = branchSymbols(
    run,
    act.exits.map(({ layer }) => layer.facts),
  );
  joinLayers(
    base,
    act.exits.map((exit) => exit.layer),
    (a, b, where) => joinValues(run, a, b, where, at),
  );
  const values = act.exits.map((exit) => exit.value);
  const result =
    info.definition.kind === 'FunctionDef' && info.definition.isGenerator
      ? generatorOf(run, act)
      : values.length === 0
        ? unknown('the function does not return')
        : values.reduce((a, b) => joinValues(run, a, b, 'value', at) ?? a);
  recordContext(run, caller, act, info, parameters, result, place);
  // What was cut short may return anything.
  return run.budget > 0 ? result : OUT_OF_BUDGET;
}

function generatorOf(run: Run, act: Activation): Value {
  const rest = joinAll(run, act.yields);
  return iteratorOf(run, [], rest ?? unknown('nothing is yielded'));
}

/** Binds arguments to parameters as Python does; what is not passed takes its default, or is unknown. */
export function bindArguments(run: Run, info: FunctionInfo, args: Arguments): Map<string, Value> {
  const out = new Map<string, Value>();
  const { positional, vararg, keywordOnly, kwarg } = info.definition.args;
  const missing = (parameter: Parameter): Value =>
    args.open
      ? unknown(`\`${parameter.name}\` is passed by \`*\` or \`**\``)
      : (info.defaults.get(parameter.name) ?? unknown(`\`${parameter.name}\` is not passed`));
  positional.forEach((parameter, i) => {
    out.set(
      parameter.name,
      args.items[i] ??
        args.keywords.get(parameter.name) ??
        (args.rest && i >= args.items.length ? args.rest : missing(parameter)),
    );
  });
  if (vararg) {
    const more = args.items.slice(positional.length);
    out.set(vararg.name, args.rest ? unknown('the number of arguments is not known') : tupleOf(more));
  }
  for (const parameter of keywordOnly) out.set(parameter.name, args.keywords.get(parameter.name) ?? missing(parameter));
  if (kwarg) {
    const named = new Set([...positional, ...keywordOnly].map((parameter) => parameter.name));
    const entries = new Map(
      [...args.keywords]
        .filter(([key]) => !named.has(key))
        .map(([key, value]) => [`s:${key}`, { key: { kind: 'str', value: key } as Value, value }]),
    );
    out.set(kwarg.name, {
      kind: 'ref',
      ref: allocate(run, { object: 'dict', entries, rest: args.open ? unknown('it is passed by `**`') : null }),
    });
  }
  return out;
}
