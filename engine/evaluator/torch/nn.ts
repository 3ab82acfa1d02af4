import { construct, findModule, forward, rankDemandedBy } from '../../modules/index.ts';
import { cannotRequire } from '../../ops/families/autograd.ts';
import type { Outcome } from '../../ops/outcome.ts';
import type { SymInt } from '../../symbols/index.ts';
import type { Expression, Node } from '../../syntax/ast.ts';
import type { DType } from '../../tensor/dtype.ts';
import { type Fault, isFault } from '../../tensor/fault.ts';
import { contiguous, storageNbytes } from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { boolValue, NONE, unknown, type Value } from '../../values/value.ts';
import { type Arguments, callValue, type Place, positional } from '../calls/calls.ts';
import { itemOf } from '../expressions/items.ts';
import { recordOp } from '../record.ts';
import { byDefault } from '../roots/defaults.ts';
import type { Dictionary, Instance } from '../state/heap.ts';
import { branchSymbols, joinValues, optionsOf, sameValue } from '../state/join.ts';
import { listOf } from '../state/objects.ts';
import {
  type Activation,
  allocate,
  heapRead,
  heapWrite,
  newStorage,
  nextId,
  opContext,
  type Run,
} from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import type { TraceEvent } from '../trace.ts';
import { buffer } from './buffers.ts';
import { isLayer, withoutPartial } from './layers.ts';
import { runOutcome } from './torch.ts';
import { deepCurrent, demandRank, forOp, takeForSizes } from './torch-arguments.ts';
import { isRaising } from './torch-results.ts';

const CHILDREN = 'children of the container';
const SEQUENTIAL = 'torch.nn.Sequential';
const CONTAINERS = new Set([
  SEQUENTIAL,
  'torch.nn.ModuleList',
  'torch.nn.ModuleDict',
  'torch.nn.ParameterList',
  'torch.nn.ParameterDict',
]);

export const isContainer = (object: Instance): boolean =>
  object.torchClass !== null && CONTAINERS.has(object.torchClass);

export function isModuleClass(name: string): boolean {
  if (!name.startsWith('torch.nn.')) return name === VARIABLE || findModule(name) !== null;
  return (
    CONTAINERS.has(name) ||
    name === 'torch.nn.Module' ||
    name === 'torch.nn.Parameter' ||
    name === 'torch.nn.UninitializedParameter' ||
    name === 'torch.nn.Buffer' ||
    findModule(name) !== null
  );
}

/** `nn.Linear(…)`: an instance of a torch class. */
export function torchInstance(run: Run, act: Activation, name: string, args: Arguments, place: Place): Value {
  if (name === 'torch.nn.Parameter' || name === 'torch.nn.UninitializedParameter')
    return parameter(run, act, args, place, true);
  if (name === VARIABLE) return parameter(run, act, args, place, false);
  if (name === 'torch.nn.Buffer') return buffer(run, args);
  const ref = allocate(run, {
    object: 'instance',
    classId: null,
    torchClass: name,
    entry: findModule(name),
    attributes: new Map(),
  });
  const made = initTorch(run, ref, name, args);
  if (made !== null && made.fault === 'raises') {
    const outcome: Outcome = { result: made, guards: [], writes: [], demands: [] };
    recordOp(run, act, place.node, name.replace('torch.', ''), place.spelled, null, [], outcome, NONE);
  }
  return { kind: 'ref', ref };
}

/** What was once needed to have a gradient: nothing but another object over the same storage. */
const VARIABLE = 'torch.autograd.Variable';

/** `nn.Parameter(t)`: the same storage, a leaf that requires grad. */
function parameter(run: Run, act: Activation, args: Arguments, place: Place, requires: boolean): Value {
  const data = settled(run, args.items[0] ?? args.keywords.get('data') ?? unknown('no data'));
  if (data.kind !== 'tensor')
    return data.kind === 'unknown' ? forOp(run, data, true) : unknown('its data is not known');
  const requiresGrad = settled(run, args.keywords.get('requires_grad') ?? args.items[1] ?? boolValue(requires));
  const refused = requiresGrad.kind === 'bool' ? cannotRequire({ ...data, graph: null }, requiresGrad.value) : null;
  if (refused !== null) {
    const outcome: Outcome = { result: refused, guards: [], writes: [], demands: [] };
    recordOp(run, act, place.node, 'nn.Parameter', place.spelled, null, [data], outcome, NONE);
  }
  return {
    ...data,
    id: nextId(run),
    requiresGrad: requiresGrad.kind === 'bool' ? requiresGrad.value : null,
    graph: requiresGrad.kind === 'bool' ? { leaf: true, view: 'none' } : null,
    storage: { ...data.storage, origin: { is: 'module-parameter', name: '' } },
  };
}

/** Modules whose output has the sizes of their input, whatever further keywords are. */
const KEEPS_SIZES = /(Norm\d?d?|Dropout\d?d?|[A-Z]LU|Softmax|Sigmoid|Tanh|Identity)$/;

/** What the `__init__` of a torch class sets on an instance, or why there is none. */
export function initTorch(run: Run, ref: number, name: string, args: Arguments): Fault | null {
  const object = heapWrite(run, ref);
  if (object?.object !== 'instance') return null;
  object.attributes.set('training', unknown('the mode is not known'));
  if (CONTAINERS.has(name)) {
    object.attributes.set(CHILDREN, childrenOf(run, name, args));
    if (name === SEQUENTIAL) for (const [key, child] of namedLayers(run, args)) object.attributes.set(key, child);
    return null;
  }
  const entry = findModule(name);
  if (args.open && !KEEPS_SIZES.test(name)) object.entry = null;
  if (entry === null || object.entry === null) return null;
  const ready = args.items.map((item) => forOp(run, withoutPartial(run, item), false));
  const named = new Map([...args.keywords].map(([k, v]) => [k, forOp(run, withoutPartial(run, v), false)]));
  const made = construct(entry, ready, named, opContext(run));
  if (isFault(made)) return made;
  for (const [key, value] of made.attributes) object.attributes.set(key, value);
  const dtype = args.keywords.get('dtype');
  for (const p of made.parameters) {
    const type: DType | null =
      dtype?.kind === 'dtype' ? dtype.value : dtype === undefined ? byDefault(p.dtype, run.defaultDType) : null;
    takeForSizes(run, [...ready, ...named.values()], p.shape);
    object.attributes.set(p.name, parameterTensor(run, p.name, p.shape, type, !p.buffer));
  }
  object.entry = entry;
  return null;
}

function parameterTensor(run: Run, name: string, shape: readonly SymInt[], dtype: DType | null, grad: boolean): Tensor {
  const layout = contiguous(shape);
  return {
    kind: 'tensor',
    id: nextId(run),
    layout,
    dtype,
    device: null,
    requiresGrad: grad,
    graph: { leaf: true, view: 'none' },
    storage: newStorage(run, dtype ? storageNbytes(layout, dtype) : null, {
      is: grad ? 'module-parameter' : 'buffer',
      name,
    }),
    assumes: [],
    elements: null,
  };
}

// ---- containers ----------------------------------------------------------------------------------------

/** The layers of `nn.Sequential(OrderedDict(…))`, which are attributes too, by their names. */
function namedLayers(run: Run, args: Arguments): ReadonlyMap<string, Value> {
  const [first] = args.items;
  const object = first?.kind === 'ref' ? heapRead(run, first.ref) : undefined;
  const entries = object?.object === 'dict' ? [...object.entries.values()] : [];
  return new Map(entries.flatMap(({ key, value }) => (key.kind === 'str' ? [[key.value, value]] : [])));
}

function childrenOf(run: Run, name: string, args: Arguments): Value {
  const [first] = args.items;
  const object = first?.kind === 'ref' ? heapRead(run, first.ref) : undefined;
  if (name === SEQUENTIAL)
    return object?.object === 'dict'
      ? listOf(run, [...namedLayers(run, args).values()], object.rest)
      : listOf(run, args.items, args.rest);
  if (object?.object === 'dict')
    return { kind: 'ref', ref: allocate(run, { ...object, entries: new Map(object.entries) }) };
  if (name === 'torch.nn.ModuleDict' || name === 'torch.nn.ParameterDict')
    return { kind: 'ref', ref: allocate(run, dictOfPairs(run, first)) };
  const { items, rest } = first ? iterate(run, first) : { items: [], rest: null };
  return listOf(run, items, rest);
}

/** The entries of `nn.ModuleDict([['relu', nn.ReLU()], …])`. */
function dictOfPairs(run: Run, given: Value | undefined): Dictionary {
  const { items, rest } = given ? iterate(run, settled(run, given)) : { items: [], rest: null };
  const entries: Dictionary['entries'] = new Map();
  let open = rest !== null;
  for (const item of items) {
    const [key, value] = iterate(run, settled(run, item)).items;
    if (key?.kind === 'str' && value) entries.set(`s:${key.value}`, { key, value });
    else open = true;
  }
  return { object: 'dict', entries, rest: open ? unknown('its modules are not known') : null };
}

/** The children of a container: a list or a dict on the heap. */
export function children(object: Instance): Value {
  return object.attributes.get(CHILDREN) ?? unknown('its modules are not known');
}

/**
 * The modules that a module holds, with their names, in the order in which they were given to it; null where something that it
 * holds may be one or not.
 */
export function namedChildren(run: Run, object: Instance): readonly (readonly [Value, Value])[] | null {
  if (isContainer(object)) return childrenByName(run, children(object));
  const found: [Value, Value][] = [];
  for (const [key, held] of object.attributes) {
    const value = settled(run, held);
    if (key !== 'training' && !isModule(run, value) && mayBeModule(run, value)) return null;
    if (isModule(run, value)) found.push([{ kind: 'str', value: key }, value]);
  }
  return found;
}

function childrenByName(run: Run, kids: Value): readonly (readonly [Value, Value])[] | null {
  const held = kids.kind === 'ref' ? heapRead(run, kids.ref) : undefined;
  if (held?.object === 'dict')
    return held.rest ? null : [...held.entries.values()].map(({ key, value }) => [key, value]);
  if (held?.object !== 'list' || held.rest) return null;
  return held.items.map((value, i) => [{ kind: 'str', value: `${i}` }, value]);
}

function isModule(run: Run, value: Value): boolean {
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  return object?.object === 'instance' && object.torchClass !== null;
}

/** What a container has under a name, which is an attribute of it too: `self.transformer.wte`. */
export function childNamed(run: Run, object: Instance, name: string): Value | undefined {
  const kids = isContainer(object) ? children(object) : null;
  const held = kids?.kind === 'ref' ? heapRead(run, kids.ref) : undefined;
  if (held?.object === 'dict') return held.entries.get(`s:${name}`)?.value ?? held.rest ?? undefined;
  return held?.object === 'list' && /^\d+$/.test(name) ? held.items[Number(name)] : undefined;
}

/**
 * A module that becomes an attribute of a Sequential, `class ConvNorm(nn.Sequential)`, is one of its children, in the order
 * in which names are given; one in the place of another takes its turn.
 */
export function registerChild(run: Run, ref: number, before: Value | undefined, value: Value): void {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance' || object.torchClass !== SEQUENTIAL || !mayBeModule(run, value)) return;
  const kids = children(object);
  const list = kids.kind === 'ref' ? heapWrite(run, kids.ref) : undefined;
  if (list?.object !== 'list') return;
  const turn = before === undefined ? -1 : list.items.findIndex((item) => sameValue(item, before));
  if (turn >= 0) list.items = list.items.map((item, i) => (i === turn ? value : item));
  else if (list.rest) list.rest = joinValues(run, list.rest, value, 'item', branchSymbols(run)) ?? value;
  else list.items = [...list.items, value];
}

function mayBeModule(run: Run, value: Value): boolean {
  if (value.kind === 'unknown') return value.symbol === undefined || !run.plain.has(value.symbol);
  return optionsOf(value).some((option) => {
    const object = option.kind === 'ref' ? heapRead(run, option.ref) : undefined;
    return isLayer(option) || (object?.object === 'instance' && object.torchClass !== null);
  });
}

/** `self.add_module(name, m)` and `seq.append(m)`. */
export function appendChild(run: Run, ref: number, key: string | null, value: Value): void {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance') return;
  if (!isContainer(object)) {
    const writable = heapWrite(run, ref);
    if (key !== null && writable?.object === 'instance') writable.attributes.set(key, value);
    return;
  }
  if (key !== null && object.torchClass === SEQUENTIAL) {
    const writable = heapWrite(run, ref);
    if (writable?.object === 'instance') writable.attributes.set(key, value);
  }
  const kids = children(object);
  const list = kids.kind === 'ref' ? heapWrite(run, kids.ref) : undefined;
  if (list?.object === 'list') {
    if (list.rest) list.rest = joinValues(run, list.rest, value, 'item', branchSymbols(run)) ?? value;
    else list.items = [...list.items, value];
  } else if (list?.object === 'dict' && key !== null)
    list.entries.set(`s:${key}`, { key: { kind: 'str', value: key }, value });
  else if (list?.object === 'dict')
    list.rest = list.rest ? (joinValues(run, list.rest, value, 'item', branchSymbols(run)) ?? value) : value;
}

export function containerItem(
  run: Run,
  act: Activation,
  object: Instance,
  key: Value,
  node: Node,
  self: Expression,
): Value {
  const kids = children(object);
  const item = itemOf(run, act, kids, key, node, self);
  if (key.kind === 'slice' && object.torchClass === SEQUENTIAL && item.kind === 'ref')
    return {
      kind: 'ref',
      ref: allocate(run, { ...object, object: 'instance', attributes: new Map([[CHILDREN, item]]) }),
    };
  return item;
}

/** The forward of a torch module, or of a Sequential. */
export function forwardTorch(run: Run, act: Activation, object: Instance, args: Arguments, place: Place): Value {
  if (object.torchClass === SEQUENTIAL) return runSequential(run, act, object, args, place);
  const { entry } = object;
  if (!entry || args.open)
    return unknown(
      object.torchClass === 'torch.nn.Module' ? 'it has no `forward`' : `\`${object.torchClass}\` is not modelled`,
    );
  const attributes = new Map([...object.attributes].map(([key, value]) => [key, settled(run, value)]));
  const name = object.torchClass?.replace('torch.', '') ?? 'module';
  const keys = [...args.keywords.keys()];
  const inputs = [...args.items, ...args.keywords.values()].map((value) =>
    forOp(run, value, value.kind === 'unknown' && value.symbol !== undefined),
  );
  for (const { argument, ndim } of rankDemandedBy(entry, attributes, inputs)) demandRank(run, argument, ndim);
  return runOutcome(
    run,
    act,
    name,
    inputs,
    {
      ...place,
      parameters: [...attributes.values()].filter(({ kind }) => kind === 'tensor'),
      spelled: name.replace('nn.', ''),
      self: place.func === null ? place.self : (args.nodes[0] ?? place.self),
    },
    (context, ready) =>
      forward(
        entry,
        run.dtypesOpen ? new Map([...attributes].map(([key, value]) => [key, deepCurrent(run, value)])) : attributes,
        ready.slice(0, args.items.length),
        new Map(keys.map((key, i) => [key, ready[args.items.length + i] ?? NONE])),
        context,
      ),
  );
}

const MOST_ROUNDS = 4;

/** Each child in turn; of an unknown number of children, rounds until what goes in is what comes out. */
function runSequential(run: Run, act: Activation, object: Instance, args: Arguments, place: Place): Value {
  const kids = iterate(run, children(object));
  let value = settled(run, args.items[0] ?? unknown('no input'));
  const one = (child: Value, input: Value): Value =>
    settled(run, callValue(run, act, settled(run, child), positional([input]), { ...place, func: place.func }));
  const { events } = act;
  for (const child of kids.items) {
    act.events = [];
    value = one(child, value);
    keepFindings(act, events);
    if (isRaising(value)) break;
  }
  if (kids.rest) {
    const at = branchSymbols(run);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      act.events = [];
      const out = one(kids.rest, value);
      act.events = act.events.flatMap(inAnyOrder);
      keepFindings(act, events);
      const both = joinValues(run, value, out, 'x', at) ?? out;
      if (like(both, value)) {
        value = out;
        break;
      }
      value = both;
    }
  }
  act.events = events;
  return value;
}

/** Which child comes when is not known of an unknown number: that one of them raises or writes its input proves nothing. */
function inAnyOrder(event: TraceEvent): readonly TraceEvent[] {
  if (event.event !== 'op') return [event];
  return isFault(event.result) ? [] : [{ ...event, writes: [] }];
}

/** The children's own events do not stand in this function's source, but what they copy or raise is its concern. */
function keepFindings(act: Activation, events: Activation['events']): void {
  for (const event of act.events)
    if (event.event === 'op') events.push({ ...event, outputs: [], inner: event.inner ?? event.outputs });
}

export function like(a: Value, b: Value): boolean {
  if (a.kind === 'tensor' && b.kind === 'tensor')
    return a.dtype === b.dtype && sameValue({ ...a, id: 0, storage: b.storage }, { ...b, id: 0 });
  return sameValue(a, b);
}
