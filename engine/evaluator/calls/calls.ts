import { findOp } from '../../ops/index.ts';
import type { Call, Expression, Node } from '../../syntax/ast.ts';
import { type DType, isFault } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Unknown, unknown, type Value } from '../../values/value.ts';
import { branchManyValues, branchTellingValues, branchValues } from '../expressions/choices.ts';
import { elements } from '../expressions/displays.ts';
import { evaluate, evaluateCallee } from '../expressions/expressions.ts';
import { distinct } from '../memo/description.ts';
import { recordCall, recordValue, tensorsIn } from '../record.ts';
import { handOver, handOverFunctions } from '../state/handed.ts';
import { optionsOf } from '../state/join.ts';
import { type Activation, currentTensor, heapRead, namedUnknown, OUT_OF_BUDGET, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { assume } from '../statements/narrow.ts';
import { isLayer, madeByName, throughLayer } from '../torch/layers.ts';
import { isModuleClass, torchInstance } from '../torch/nn.ts';
import { callTensorMethod } from '../torch/tensor-methods.ts';
import { callTorch, type Spelling } from '../torch/torch.ts';
import { asTensor } from '../torch/torch-arguments.ts';
import { isRaising } from '../torch/torch-results.ts';
import type { TraceEvent } from '../trace.ts';
import { lose, timesLost } from '../units/reading.ts';
import { byClass } from './alternatives.ts';
import { tensorOfArray } from './arrays.ts';
import { callBuiltin } from './builtins.ts';
import { callInstance, instantiate } from './classes.ts';
import { callFunction } from './functions.ts';
import { interchangeable } from './interfaces.ts';

/** Evaluated arguments; `rest` and `open` where a `*` or `**` of unknown content was among them. */
export interface Arguments {
  readonly items: readonly Value[];
  readonly rest: Value | null;
  readonly keywords: ReadonlyMap<string, Value>;
  readonly open: boolean;
  /** The expressions of the positional arguments, where there are just as many. */
  readonly nodes: readonly Expression[];
}

export const positional = (items: readonly Value[]): Arguments => ({
  items,
  rest: null,
  keywords: new Map(),
  open: false,
  nodes: [],
});

/** Where a call stands. */
export interface Place extends Spelling {
  readonly func: Expression | null;
}

export function evaluateCall(run: Run, act: Activation, node: Call): Value {
  const callee = settled(run, evaluateCallee(run, act, node.func));
  const args = evaluateArguments(run, act, node);
  const { func } = node;
  const self = func.kind === 'Attribute' ? func.value : (node.args[0] ?? null);
  const spelled = func.kind === 'Attribute' ? func.attr : func.kind === 'Name' ? func.id : '';
  // `torch._assert`, an `assert` that tracing keeps.
  const [test] = node.args;
  if (spelled === '_assert' && test) assume(run, act, test, true);
  return callValue(run, act, callee, args, { node, spelled, self, func });
}

function evaluateArguments(run: Run, act: Activation, node: Call): Arguments {
  const { items, rest } = elements(run, act, node.args);
  const keywords = new Map<string, Value>();
  let open = rest !== null;
  for (const keyword of node.keywords) {
    const value = settled(run, evaluate(run, act, keyword.value));
    if (keyword.arg !== null) keywords.set(keyword.arg, value);
    else if (!spreadDicts(run, optionsOf(value), keywords)) open = true;
  }
  const plain = node.args.every((arg) => arg.kind !== 'Starred');
  return { items: items.map((item) => settled(run, item)), rest, keywords, open, nodes: plain ? node.args : [] };
}

/** `**options`: what each of the dicts that it may be has is passed, what some have perhaps. Whether that is all. */
function spreadDicts(run: Run, options: readonly Value[], keywords: Map<string, Value>): boolean {
  const dicts = options.map((option) => {
    const object = option.kind === 'ref' ? heapRead(run, option.ref) : undefined;
    return object?.object === 'dict' ? object : null;
  });
  for (const dict of dicts)
    for (const { key, value } of dict?.entries.values() ?? []) {
      if (key.kind !== 'str') continue;
      const always = dicts.length === 1;
      keywords.set(key.value, always ? value : unknown(`\`${key.value}\` is passed on some ways`));
    }
  return dicts.every((dict) => dict !== null && dict.rest === null);
}

export function callValue(run: Run, act: Activation, callee: Value, args: Arguments, place: Place): Value {
  switch (callee.kind) {
    case 'torch':
      // In `torch.flatten(x)` the receiver is no tensor: the first argument is.
      return callLibrary(run, act, callee.name, args, place.func ? { ...place, self: args.nodes[0] ?? null } : place);
    case 'program':
      switch (callee.what) {
        case 'function':
          return recorded(run, act, place.node, callFunction(run, act, callee.id, args, null, place), args);
        case 'class':
          return instantiate(run, act, callee.id, args, place);
        case 'method':
          return callMethod(run, act, callee.id, args, place);
        case 'module':
          return unknown('a module is not called');
      }
      break;
    case 'ref':
      return recorded(run, act, place.node, callInstance(run, act, callee.ref, args, place), args);
    case 'either': {
      const options = distinct(
        run,
        optionsOf(callee)
          .filter((o) => o.kind !== 'none')
          .map((o) => settled(run, o)),
      );
      // A layer of torch among them takes a tensor.
      const [input] = args.items;
      if (
        input?.kind === 'unknown' &&
        input.symbol !== undefined &&
        options.some((option) => isTorchLayer(run, option))
      )
        asTensor(run, input);
      return recorded(run, act, place.node, callOneOf(run, act, options, args, place), args);
    }
    case 'unknown': {
      handOver(run, given(args));
      const input = isLayer(callee) ? layerInput(run, args) : null;
      if (isLayer(callee) && input) return recorded(run, act, place.node, throughLayer(run, callee, input), args);
      return callee.symbol !== undefined && run.plain.has(callee.symbol)
        ? plainResult(run, callee)
        : (madeByName(run, place.spelled, args.items) ?? unknown(callee.reason));
    }
    default:
      handOver(run, given(args));
      return madeByName(run, place.spelled, args.items) ?? unknown('it is not a function');
  }
  return unknown('it is not a function');
}

const given = ({ items, keywords }: Arguments): readonly Value[] => [...items, ...keywords.values()];

/** A call of whichever of these it is. One that raises was not the one, where another goes through. */
function callOneOf(run: Run, act: Activation, options: readonly Value[], args: Arguments, place: Place): Value {
  const { start, end } = place.node;
  const before = act.events.length;
  const raising: ReadonlySet<TraceEvent>[] = [];
  let through = 0;
  const way = (option: Value) => () => {
    const from = act.events.length;
    const value = callValue(run, act, option, args, place);
    if (isRaising(value)) raising.push(new Set(act.events.slice(from)));
    else through++;
    return value;
  };
  const shortWay = (option: Value) => () => shortly(run, option, way(option));
  const classes = byClass(run, options);
  const alternatives = classes ? null : interchangeable(run, act, options);
  const value = classes
    ? branchValues(
        run,
        act,
        classes.map(({ options: same, learn }) => () => {
          learn();
          const [only] = same;
          return way(same.length === 1 && only ? only : { kind: 'either', options: same })();
        }),
        classes[0]?.by,
      )
    : alternatives !== null
      ? branchTellingValues(run, act, [...alternatives.here.map(way), ...alternatives.elsewhere.map(shortWay)])
      : options.length > FEW
        ? branchManyValues(run, act, options.map(shortWay))
        : branchValues(run, act, options.map(way));
  act.events = act.events.filter((event, i) => {
    if (i < before) return true;
    // What comes out of one way alone is not what comes out.
    if ((classes || alternatives) && event.event === 'value' && event.node.start === start && event.node.end === end)
      return false;
    return !(through > 0 && event.event === 'op' && isFault(event.result) && raising.some((way) => way.has(event)));
  });
  return value;
}

function isTorchLayer(run: Run, value: Value): boolean {
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  return object?.object === 'instance' && object.classId === null && object.entry !== null;
}

/** The tensor that a layer is called on. */
function layerInput(run: Run, args: Arguments): Tensor | null {
  const [first] = args.items;
  if (first?.kind === 'unknown' && first.symbol !== undefined && !run.plain.has(first.symbol))
    return asTensor(run, first);
  return first?.kind === 'tensor' ? currentTensor(run, first) : null;
}

/** What a method of a plain object returns is plain too: `config.rope.get('factor')`. */
function plainResult(run: Run, callee: Unknown): Value {
  const made = namedUnknown(run, 'value', callee.reason);
  if (made.symbol !== undefined) run.plain.add(made.symbol);
  return made;
}

/** Of more functions than these, picked by a name that is not known, each is only followed a short way. */
const FEW = 4;
const SHORT_WAY = 400;

/** What was not followed to its end as often as this is not begun again. */
const MOST_LOST = 3;

function shortly(run: Run, callee: Value, call: () => Value): Value {
  const info = callee.kind === 'program' && callee.what === 'function' ? run.functions[callee.id] : undefined;
  if (info && timesLost(run, info) >= MOST_LOST) return OUT_OF_BUDGET;
  const whole = run.budget;
  run.budget = Math.min(whole, SHORT_WAY);
  const allowance = run.budget;
  const value = call();
  if (info && allowance === SHORT_WAY && run.budget <= 0) lose(run, info);
  run.budget = whole - (allowance - run.budget);
  return value;
}

function recorded(run: Run, act: Activation, node: Node, value: Value, args: Arguments): Value {
  if (run.muted > 0) return value;
  const inputs = [...args.items, ...args.keywords.values()].flatMap((item) =>
    tensorsIn(run, item).map(({ tensor }) => tensor),
  );
  recordValue(run, act, node, value, null, inputs);
  return value;
}

function callMethod(run: Run, act: Activation, id: number, args: Arguments, place: Place): Value {
  const method = run.methods[id];
  if (!method) return unknown('the method is not known');
  const receiver = settled(run, method.receiver);
  const { callee } = method;
  if (callee.kind === 'program' && callee.what === 'function') {
    const withSelf = { ...args, items: [receiver, ...args.items], nodes: [] };
    return recorded(run, act, place.node, callFunction(run, act, callee.id, withSelf, receiver, place), args);
  }
  if (callee.kind === 'torch') {
    handOverFunctions(run, given(args));
    if (receiver.kind === 'tensor' && callee.name.startsWith('torch.Tensor.'))
      return callTensorMethod(run, act, receiver, callee.name, args, place);
    return callBuiltin(run, act, callee.name, { ...args, items: [receiver, ...args.items] }, place);
  }
  return callValue(run, act, callee, args, place);
}

function callLibrary(run: Run, act: Activation, name: string, args: Arguments, place: Place): Value {
  if (isModuleClass(name)) return torchInstance(run, act, name, args, place);
  handOverFunctions(run, given(args));
  const builtin = callBuiltin(run, act, name, args, place);
  const isBuiltIn = builtin.kind !== 'unknown' || builtin.reason !== NOT_BUILT_IN;
  if (isBuiltIn || findOp(name) === null)
    recordCall(run, act, place.node, name, args.items, args.keywords, args.open, builtin);
  if (isBuiltIn) return builtin;
  if (args.rest || args.open) return unknown('arguments are passed by `*` or `**`');
  const [first, ...others] = args.items;
  const array = FROM_ARRAY.test(name) ? tensorOfArray(run, first) : null;
  const typed = array ? TYPED.get(name) : undefined;
  // `torch.FloatTensor(array)` copies what an array holds, as `torch.tensor` does.
  if (array && typed && others.length === 0)
    return callTorch(run, act, 'torch.tensor', [array], new Map([['dtype', { kind: 'dtype', value: typed }]]), place);
  if (array && !typed) return callTorch(run, act, name, [array, ...others], args.keywords, place);
  return callTorch(run, act, name, args.items, args.keywords, place);
}

const FROM_ARRAY = /^torch\.(from_numpy|tensor|as_tensor|\w*Tensor)$/;

const TYPED: ReadonlyMap<string, DType> = new Map([
  ['torch.Tensor', 'float32'],
  ['torch.FloatTensor', 'float32'],
  ['torch.DoubleTensor', 'float64'],
  ['torch.LongTensor', 'int64'],
  ['torch.IntTensor', 'int32'],
]);

export const NOT_BUILT_IN = 'no builtin';
