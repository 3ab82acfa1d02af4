import { findModule } from '../../modules/index.ts';
import type { ClassDef, Expression, Node } from '../../syntax/ast.ts';
import { unknown, type Value } from '../../values/value.ts';
import { branchValues } from '../expressions/choices.ts';
import { keyText } from '../expressions/displays.ts';
import { evaluate } from '../expressions/expressions.ts';
import { itemOf } from '../expressions/items.ts';
import { partOfObject } from '../state/derived.ts';
import type { Instance } from '../state/heap.ts';
import type { ClassInfo } from '../state/program.ts';
import { type Activation, allocate, heapRead, heapWrite, namedUnknown, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { execute } from '../statements/statements.ts';
import {
  appendChild,
  childNamed,
  containerItem,
  forwardTorch,
  initTorch,
  isContainer,
  registerChild,
} from '../torch/nn.ts';
import type { Spelling } from '../torch/torch.ts';
import { bound } from './attributes.ts';
import { isModuleMethod } from './builtin-objects.ts';
import { type Arguments, callValue, type Place, positional } from './calls.ts';
import { bindFields, generatedInit } from './dataclasses.ts';
import { callFunction, closureOf, functionValue } from './functions.ts';
import { entriesOf, giveEntries, inheritedFromDict, isDictClass, knownKeys } from './mappings.ts';
import { callNamedTuple, itemsOfFields, NAMED_TUPLE } from './named-tuples.ts';

/** The value that a `class` binds. Its body is run once, in a frame of its own that its methods do not see. */
export function defineClass(run: Run, act: Activation, node: ClassDef, qualname: string): Value {
  const known = run.classOf.get(node);
  if (known !== undefined && act.qualname === '<module>') return { kind: 'program', what: 'class', id: known };
  const bases = node.bases.map((base) => settled(run, evaluate(run, act, base)));
  // Evaluating the bases may define classes.
  const id = run.classes.length;
  const namespace = new Map<string, Value>();
  const info: ClassInfo = {
    id,
    definition: node,
    file: act.file,
    qualname,
    bases,
    namespace,
    closure: closureOf(act),
    base: act.base,
  };
  run.classes.push(info);
  run.classOf.set(node, id);
  const frame = allocate(run, { object: 'frame', variables: new Map() });
  const body: Activation = {
    frame,
    closure: closureOf(act),
    file: act.file,
    base: act.base,
    qualname,
    body: node.body,
    info: null,
    self: null,
    events: act.events,
    exits: [],
    globalNames: new Set(),
    yields: [],
    loops: act.loops,
    conditional: act.conditional,
  };
  run.stack.push(body);
  for (const statement of node.body) {
    if (statement.kind === 'FunctionDef') {
      if (isSetter(statement.decorators)) continue;
      namespace.set(
        statement.name,
        functionValue(run, body, statement, id, `${qualname}.${statement.name}`, closureOf(act)),
      );
    } else execute(run, body, [statement]);
  }
  run.stack.pop();
  const variables = heapRead(run, frame);
  if (variables?.object === 'frame')
    for (const [name, value] of variables.variables) if (!namespace.has(name)) namespace.set(name, value);
  return { kind: 'program', what: 'class', id };
}

const isSetter = (decorators: readonly Expression[]): boolean =>
  decorators.some((d) => d.kind === 'Attribute' && (d.attr === 'setter' || d.attr === 'deleter'));

/** The program classes among which an attribute is looked up, nearest first. */
export function mro(run: Run, id: number): readonly ClassInfo[] {
  const info = run.classes[id];
  const known = info && orders.get(info);
  if (known) return known;
  const order = findOrder(run, id);
  if (info) orders.set(info, order);
  return order;
}

const orders = new WeakMap<ClassInfo, readonly ClassInfo[]>();

function findOrder(run: Run, id: number): readonly ClassInfo[] {
  const out: ClassInfo[] = [];
  const visit = (at: number, depth: number): void => {
    const info = run.classes[at];
    if (!info || depth > 20 || out.includes(info)) return;
    out.push(info);
    for (const base of info.bases) if (base.kind === 'program' && base.what === 'class') visit(base.id, depth + 1);
  };
  visit(id, 0);
  return out;
}

/** The torch class that a program class inherits from. */
export function torchBase(run: Run, id: number): string | null {
  for (const info of mro(run, id))
    for (const base of info.bases)
      if (base.kind === 'torch' && (base.name.startsWith('torch.') || findModule(base.name) !== null)) return base.name;
  return null;
}

export function findInClass(run: Run, id: number, name: string, after: number | null = null): Value | undefined {
  const order = mro(run, id);
  const start = after === null ? 0 : order.findIndex((info) => info.id === after) + 1;
  for (let i = start; i < order.length; i++) {
    const value = order[i]?.namespace.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function classAttribute(run: Run, act: Activation, id: number, name: string): Value | null {
  void act;
  if (name === '__name__') return { kind: 'str', value: run.classes[id]?.definition.name ?? '' };
  const value = findInClass(run, id, name);
  if (value === undefined) return name === 'apply' ? applied(run, id) : null;
  if (value.kind === 'program' && value.what === 'function' && run.functions[value.id]?.decoration === 'class')
    return bound(run, { kind: 'program', what: 'class', id }, value);
  return value;
}

/** `apply` of an autograd function calls its `forward`, with a context before the arguments. */
function applied(run: Run, id: number): Value | null {
  const forward = torchBase(run, id) === 'torch.autograd.Function' ? findInClass(run, id, 'forward') : undefined;
  if (forward === undefined) return null;
  const ctx = allocate(run, {
    object: 'instance',
    classId: null,
    torchClass: null,
    entry: null,
    attributes: new Map(),
  });
  return bound(run, { kind: 'ref', ref: ctx }, forward);
}

/** `self.name`: the instance's own, then its class's, then what its torch class brings. */
export function instanceAttribute(run: Run, act: Activation, ref: number, name: string, at: Spelling): Value {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance') return unknown('the object is not known');
  const own = object.attributes.get(name);
  if (own !== undefined) return settled(run, own);
  const receiver: Value = { kind: 'ref', ref };
  if (name === '__class__')
    return object.classId === null
      ? unknown('its class is not known')
      : { kind: 'program', what: 'class', id: object.classId };
  if (object.classId !== null) {
    const value = findInClass(run, object.classId, name);
    if (value !== undefined) return boundTo(run, act, receiver, value, at);
  }
  const inherited = inheritedFromDict(run, ref, name);
  if (inherited) return bound(run, inherited.receiver, inherited.callee);
  if (object.torchClass !== null && isModuleMethod(name))
    return bound(run, receiver, { kind: 'torch', name: `torch.nn.Module.${name}` });
  if (isContainer(object) && CONTAINER_METHODS.has(name))
    return bound(run, receiver, { kind: 'torch', name: `torch.nn.Container.${name}` });
  return childNamed(run, object, name) ?? partOfObject(run, ref, 'self', `.${name}`);
}

const CONTAINER_METHODS = new Set(['append', 'extend', 'insert', 'items', 'keys', 'values', 'add_module', 'update']);

/** What an attribute found in a class is on an instance: a bound method, a property's value, or itself. */
export function boundTo(run: Run, act: Activation, receiver: Value, value: Value, at: Spelling): Value {
  if (value.kind !== 'program' || value.what !== 'function') return value;
  const info = run.functions[value.id];
  if (info?.decoration === 'static') return value;
  if (info?.decoration === 'property')
    return callFunction(run, act, value.id, positional([receiver]), receiver, { ...at, func: null });
  return bound(run, receiver, value);
}

/** `super().name` inside a method. */
export function superAttribute(run: Run, act: Activation, name: string, at: Spelling): Value {
  const method = run.stack.findLast((a) => a.info?.owner !== null && a.info !== null) ?? act;
  const self = method.self;
  const owner = method.info?.owner ?? null;
  if (!self || owner === null) return unknown('`super` has no class here');
  const object = self.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  const classId =
    object?.object === 'instance' ? object.classId : self.kind === 'program' && self.what === 'class' ? self.id : null;
  if (classId === null) return unknown('the class is not known');
  const found = findInClass(run, classId, name, owner);
  if (found !== undefined) return boundTo(run, act, self, found, at);
  const torch = object?.object === 'instance' ? object.torchClass : null;
  if (torch !== null) {
    // Every module class has a constructor of its own.
    const from = name !== '__init__' && isModuleMethod(name) ? 'torch.nn.Module' : torch;
    return bound(run, self, { kind: 'torch', name: `${from}.${name}` });
  }
  const inherited = self.kind === 'ref' ? inheritedFromDict(run, self.ref, name) : null;
  if (inherited) return bound(run, inherited.receiver, inherited.callee);
  return name === '__init__'
    ? bound(run, self, { kind: 'torch', name: 'builtins.object.__init__' })
    : unknown(`the base class's \`${name}\` is not known`);
}

/** Whether the members of a class go by their values: `Format('NCHW')` is the member of that value. */
const isEnum = (run: Run, id: number): boolean =>
  mro(run, id).some(({ definition }) =>
    definition.bases.some((base) =>
      /^(Int|Str)?Enum$/.test(base.kind === 'Name' ? base.id : base.kind === 'Attribute' ? base.attr : ''),
    ),
  );

/** `Class(…)` */
export function instantiate(run: Run, act: Activation, id: number, args: Arguments, place: Place): Value {
  const info = run.classes[id];
  if (!info) return unknown('the class is not known');
  const member = isEnum(run, id) ? args.items[0] : undefined;
  if (member) return member;
  const ref = allocateInstance(run, id);
  const self: Value = { kind: 'ref', ref };
  const init = generatedInit(run, id) ? undefined : findInClass(run, id, '__init__');
  if (isDictClass(run, id)) {
    const object = heapWrite(run, ref);
    const entries = callValue(run, act, { kind: 'torch', name: 'builtins.dict' }, args, place);
    if (object?.object === 'instance' && !generatedInit(run, id)) giveEntries(object, entries);
  }
  if (init?.kind === 'program' && init.what === 'function')
    callFunction(run, act, init.id, { ...args, items: [self, ...args.items] }, self, place);
  else {
    const torch = torchBase(run, id);
    if (torch) initTorch(run, ref, torch, args);
    else bindFields(run, act, info, ref, args, place);
  }
  return self;
}

export function allocateInstance(run: Run, id: number): number {
  const torchClass = torchBase(run, id);
  return allocate(run, {
    object: 'instance',
    classId: id,
    torchClass,
    entry: torchClass ? findModule(torchClass) : null,
    attributes: new Map(),
  });
}

/** Calls an instance: `__call__`, or a module's `forward`. */
export function callInstance(run: Run, act: Activation, ref: number, args: Arguments, place: Place): Value {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance') return unknown('the object is not a function');
  const self: Value = { kind: 'ref', ref };
  const target = object.torchClass !== null ? 'forward' : '__call__';
  const own = object.attributes.get(target);
  if (own?.kind === 'torch' && own.name === 'functools.partial.call') return callPartial(run, act, object, args, place);
  if (own?.kind === 'torch' && own.name === NAMED_TUPLE) return callNamedTuple(object, args);
  if (own) return callValue(run, act, own, args, place);
  const method = object.classId === null ? undefined : findInClass(run, object.classId, target);
  if (method?.kind === 'program' && method.what === 'function')
    return callFunction(run, act, method.id, { ...args, items: [self, ...args.items], nodes: [] }, self, place);
  if (object.torchClass !== null) return forwardTorch(run, act, object, args, place);
  return unknown('the object is not a function');
}

/** Calls what `functools.partial` holds, the arguments that it was given first. */
function callPartial(run: Run, act: Activation, object: Instance, args: Arguments, place: Place): Value {
  const { attributes } = object;
  const [callee, given, named] = [attributes.get('func'), attributes.get('args'), attributes.get('keywords')];
  const dict = named?.kind === 'ref' ? heapRead(run, named.ref) : undefined;
  if (!callee || given?.kind !== 'tuple' || dict?.object !== 'dict') return unknown('a partial is called');
  const keywords = new Map(
    [...dict.entries.values()].flatMap(({ key, value }) => (key.kind === 'str' ? [[key.value, value] as const] : [])),
  );
  for (const [key, value] of args.keywords) keywords.set(key, value);
  const items = [...given.items, ...args.items];
  return callValue(
    run,
    act,
    settled(run, callee),
    { ...args, items, keywords, open: args.open || dict.rest !== null, nodes: [] },
    place,
  );
}

/** Of so many entries an item of unknown key is any. */
const MOST_KEYS = 40;

export function instanceItem(run: Run, act: Activation, ref: number, key: Value, node: Node, self: Expression): Value {
  const object = heapRead(run, ref);
  if (object?.object !== 'instance') return unknown('the object is not known');
  if (isContainer(object)) return containerItem(run, act, object, key, node, self);
  const method = object.classId === null ? undefined : findInClass(run, object.classId, '__getitem__');
  const items = entriesOf(object) ?? itemsOfFields(run, ref);
  if (method?.kind !== 'program' || method.what !== 'function')
    return items ? itemOf(run, act, items, key, node, self) : unknown('its items are not known');
  const receiver: Value = { kind: 'ref', ref };
  const { id } = method;
  const item = (by: Value): Value =>
    callFunction(run, act, id, positional([receiver, by]), receiver, { node, spelled: '[]', self, func: null });
  const keys = keyText(key) === null && key.kind === 'unknown' ? knownKeys(run, object) : null;
  return keys && keys.length > 0 && keys.length <= MOST_KEYS
    ? branchValues(
        run,
        act,
        keys.map((by) => () => item(by)),
      )
    : item(key);
}

export function setAttribute(run: Run, of: Value, name: string, value: Value): void {
  const object = of.kind === 'ref' ? heapWrite(run, of.ref) : undefined;
  if (object?.object !== 'instance') return;
  // What is not known is the same each time that it is read.
  const kept = value.kind === 'unknown' && value.symbol === undefined ? namedUnknown(run, name, value.reason) : value;
  if (of.kind === 'ref') registerChild(run, of.ref, object.attributes.get(name), kept);
  if (of.kind === 'ref' && !/^\d/.test(name) && childNamed(run, object, name)) appendChild(run, of.ref, name, kept);
  else object.attributes.set(name, calledAfter(name, kept));
}

/** A parameter is called after the first attribute that holds it. */
function calledAfter(name: string, value: Value): Value {
  if (value.kind !== 'tensor') return value;
  const { storage } = value;
  return (storage.origin.is === 'module-parameter' || storage.origin.is === 'buffer') && storage.origin.name === ''
    ? { ...value, storage: { ...storage, origin: { ...storage.origin, name } } }
    : value;
}

export const isInstance = (object: unknown): object is Instance =>
  typeof object === 'object' && object !== null && 'object' in object && object.object === 'instance';
