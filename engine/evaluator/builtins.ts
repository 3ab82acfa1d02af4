import { findOp } from '../ops/index.ts';
import { add, ceilDiv, floorDiv, int, maximum, minimum, mul, product, type SymInt, sub, sum } from '../symbols/index.ts';
import { boolValue, intValue, NONE, tupleOf, unknown, type Value } from '../values/value.ts';
import { attributeOf } from './attributes.ts';
import { type Arguments, callValue, NOT_BUILT_IN, type Place, positional } from './calls.ts';
import { findInClass, instanceItem, mro, setAttribute } from './classes.ts';
import { callContainer } from './containers.ts';
import { binaryValue, compareValues, evaluate, integer, joinAll, keyText, settled } from './expressions.ts';
import { isSequence } from './heap.ts';
import { iterate } from './iteration.ts';
import { initTorch, isModuleClass } from './nn.ts';
import { callModuleMethod } from './module-methods.ts';
import { truthOf } from './narrow.ts';
import { type Activation, allocate, currentTensor, freshSymbol, heapRead, partOfUnknown, type Run } from './run.ts';
import { asTensor } from './torch.ts';

/** Calls what the engine itself knows of Python and its libraries; `NOT_BUILT_IN` where it is none of that. */
export function callBuiltin(run: Run, act: Activation, name: string, args: Arguments, place: Place): Value {
  if (name.startsWith('torch.nn.Module.') || name.startsWith('torch.nn.Container.')) return callModuleMethod(run, act, name.slice(name.lastIndexOf('.') + 1), args, place);
  if (name.endsWith('.__init__') && name.startsWith('torch.')) return initBase(run, name, args);
  if (name.endsWith('.forward') && name.startsWith('torch.nn.')) return callBaseForward(run, act, args, place);
  const container = /^builtins\.(list|dict|set|iterator|tuple|str|number)\.(\w+)$/.exec(name);
  if (container?.[1] && container[2]) return callContainer(run, act, container[1], container[2], args, place);
  const builtin = BUILTIN[name.startsWith('builtins.') ? name.slice('builtins.'.length) : name];
  if (builtin) return builtin(run, act, args, place);
  if (name.startsWith('math.')) return { kind: 'float', value: null };
  return name.startsWith('torch.') || name.startsWith('einops.') ? unknown(NOT_BUILT_IN) : unknown(`\`${name.replace('builtins.', '')}\` is not followed`);
}

type Builtin = (run: Run, act: Activation, args: Arguments, place: Place) => Value;

const MODULE_METHODS = new Set([
  'parameters', 'named_parameters', 'modules', 'named_modules', 'children', 'named_children', 'buffers', 'named_buffers', 'register_buffer', 'register_parameter', 'add_module',
  'register_module', 'to', 'cuda', 'cpu', 'half', 'float', 'double', 'bfloat16', 'eval', 'train', 'apply', 'state_dict', 'load_state_dict', 'zero_grad', 'requires_grad_', 'extra_repr',
  'register_forward_hook', 'register_forward_pre_hook', 'get_submodule', 'type', '_init_weights', 'compile', '__init__', '__setattr__', '__getattr__',
]);
export const isModuleMethod = (name: string): boolean => MODULE_METHODS.has(name);

/** `super().__init__(…)` of a class that inherits from a torch class. */
function initBase(run: Run, name: string, args: Arguments): Value {
  const [self, ...items] = args.items;
  if (self?.kind === 'ref') initTorch(run, self.ref, name.slice(0, -'.__init__'.length), { ...args, items, nodes: [] });
  return NONE;
}

function callBaseForward(run: Run, act: Activation, args: Arguments, place: Place): Value {
  const [self, ...items] = args.items;
  const object = self?.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  if (object?.object !== 'instance' || !object.torchClass) return unknown('the base class is not known');
  const plain = { ...object, classId: null, attributes: new Map([...object.attributes].filter(([key]) => key !== 'forward')) };
  return callValue(run, act, { kind: 'ref', ref: allocate(run, plain) }, { ...args, items, nodes: [] }, place);
}

const arg = (run: Run, args: Arguments, i: number): Value => settled(run, args.items[i] ?? unknown('an argument is missing'));
const opaque = (reason: string): Builtin => () => unknown(reason);
const mode = (name: string): Builtin => (_run, _act, args) => {
  // used as a decorator on a function value it gives the function back
  const [only] = args.items;
  return only?.kind === 'program' ? only : { kind: 'str', value: name };
};
const firstArgument: Builtin = (run, _, args) => arg(run, args, 0);

function callThrough(run: Run, act: Activation, args: Arguments, place: Place, skip: number): Value {
  return callValue(run, act, arg(run, args, 0), { ...args, items: args.items.slice(1 + skip), nodes: [] }, place);
}

const listOf = (run: Run, items: readonly Value[], rest: Value | null): Value => ({ kind: 'ref', ref: allocate(run, { object: 'list', items, rest, length: null }) });
const iteratorOf = (run: Run, items: readonly Value[], rest: Value | null): Value => ({ kind: 'ref', ref: allocate(run, { object: 'iterator', items, rest, length: null }) });

function toInteger(run: Run, value: Value, round: (x: number) => number): Value {
  if (value.kind === 'float') return value.value === null ? intValue(freshSymbol(run, 'n')) : intValue(int(round(value.value)));
  const exact = integer(run, value);
  return exact ? (value.kind === 'unknown' ? value : intValue(exact)) : value.kind === 'tensor' ? unknown('it is read from a tensor') : intValue(freshSymbol(run, 'n'));
}

/** `int(a / b)` of integers is `a // b`; sizes are not negative. */
function wholeQuotient(run: Run, act: Activation, args: Arguments): Value | null {
  const [node] = args.nodes;
  if (node?.kind !== 'BinOp' || node.op !== '/') return null;
  run.muted++;
  const [a, b] = [settled(run, evaluate(run, act, node.left)), settled(run, evaluate(run, act, node.right))];
  run.muted--;
  const whole = (value: Value): boolean => value.kind === 'int' || (value.kind === 'unknown' && value.symbol !== undefined);
  return whole(a) && whole(b) ? binaryValue(run, act, '//', a, b, node, node.left) : null;
}

function extreme(run: Run, args: Arguments, pick: (a: SymInt, b: SymInt) => SymInt, float: (...xs: number[]) => number): Value {
  const { items, rest } = args.items.length === 1 ? iterate(run, arg(run, args, 0)) : { items: args.items, rest: args.rest };
  if (rest || items.length === 0) return unknown('the values are not known');
  const ints = items.map((item) => integer(run, item));
  if (ints.every((x) => x !== null) && items.every((item) => item.kind === 'int' || item.kind === 'bool')) return intValue(ints.reduce((a, b) => pick(a, b)));
  const numbers = items.map((item) => (item.kind === 'float' ? item.value : item.kind === 'int' ? item.value.constant : null));
  if (numbers.every((x) => x !== null)) return { kind: 'float', value: float(...numbers) };
  return items.every((item) => item.kind === 'float' || item.kind === 'int') ? { kind: 'float', value: null } : unknown('the values are not known');
}

function length(run: Run, value: Value): Value {
  switch (value.kind) {
    case 'tuple':
      return value.front ? unknown('the rank is not known') : intValue(int(value.items.length));
    case 'str':
      return intValue(int(value.value.length));
    case 'tensor': {
      const { layout } = currentTensor(run, value);
      const [size] = layout.shape;
      return size && !layout.front ? intValue(size) : unknown('the rank is not known');
    }
    case 'range':
      return intValue(value.step.constant === 1 ? maximum(sub(value.stop, value.start), int(0)) : ceilDiv(sub(value.stop, value.start), value.step));
    case 'ref': {
      const { items, rest } = iterate(run, value);
      const object = heapRead(run, value.ref);
      if (object?.object === 'instance' && object.classId !== null && object.torchClass === null) return partOfUnknown(run, unknownRef(value.ref), '.length');
      return rest ? partOfUnknown(run, unknownRef(value.ref), '.length') : intValue(int(items.length));
    }
    case 'unknown':
      return partOfUnknown(run, value, '.length');
    default:
      return unknown('it has no length');
  }
}

const unknownRef = (ref: number) => ({ kind: 'unknown' as const, reason: 'the length is not known', symbol: `length#${ref}` });

const isInstanceOf: Builtin = (run, act, args) => {
  void act;
  const value = arg(run, args, 0);
  const type = arg(run, args, 1);
  const options = type.kind === 'tuple' ? type.items : [type];
  const answers = options.map((option) => hasType(run, value, settled(run, option)));
  if (answers.includes(true)) return boolValue(true);
  return answers.every((answer) => answer === false) ? boolValue(false) : unknown('the type is not known');
};

const PYTHON_TYPES: Readonly<Record<string, readonly Value['kind'][]>> = {
  'builtins.int': ['int', 'bool'], 'builtins.float': ['float'], 'builtins.bool': ['bool'], 'builtins.str': ['str'], 'builtins.tuple': ['tuple'],
  'torch.Tensor': ['tensor'], 'torch.Size': ['tuple'], 'collections.abc.Callable': ['program', 'torch'], 'torch.dtype': ['dtype'],
};
const PLAIN_TYPES = new Set(['int', 'float', 'bool', 'str', 'tuple', 'list', 'dict', 'set'].map((name) => `builtins.${name}`));
const isDefinition = (value: Value): boolean => value.kind === 'program' || (value.kind === 'torch' && isModuleClass(value.name));
const KNOWN_KINDS = new Set<Value['kind']>(['int', 'float', 'bool', 'str', 'tuple', 'tensor', 'none', 'dtype', 'range', 'slice']);

function hasType(run: Run, value: Value, type: Value): boolean | undefined {
  if (value.kind === 'unknown' || value.kind === 'either') return undefined;
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  if (type.kind === 'torch') {
    const kinds = PYTHON_TYPES[type.name];
    if (kinds?.includes(value.kind)) return true;
    // A class or function is no number, text or container.
    if (isDefinition(value) && (PLAIN_TYPES.has(type.name) || type.name === 'torch.Tensor' || type.name === 'torch.nn.Module')) return false;
    const sequences: Readonly<Record<string, string>> = { 'builtins.list': 'list', 'builtins.dict': 'dict', 'builtins.set': 'set' };
    if (object && object.object === sequences[type.name]) return true;
    if (/(Sequence|Iterable|Collection)$/.test(type.name)) return value.kind === 'tuple' || isSequence(object) ? true : KNOWN_KINDS.has(value.kind) && value.kind !== 'str' && value.kind !== 'range' ? false : undefined;
    if (object?.object === 'instance') {
      if (object.torchClass === type.name || (type.name === 'torch.nn.Module' && object.torchClass?.startsWith('torch.nn.'))) return true;
      return object.torchClass && type.name.startsWith('torch.nn.') ? (related(object.torchClass, type.name) ? undefined : false) : type.name.startsWith('builtins.') ? false : undefined;
    }
    if (value.kind === 'tensor') return type.name === 'torch.nn.Parameter' ? undefined : !type.name.startsWith('torch.') || type.name.startsWith('torch.nn.') ? false : undefined;
    return KNOWN_KINDS.has(value.kind) || object ? (kinds || sequences[type.name] || type.name.startsWith('torch.') ? false : undefined) : undefined;
  }
  if (type.kind === 'program' && type.what === 'class') {
    if (object?.object === 'instance') return object.classId !== null && mro(run, object.classId).some((info) => info.id === type.id);
    return KNOWN_KINDS.has(value.kind) ? false : undefined;
  }
  return undefined;
}

/** `nn.Conv2d` and `nn.modules.conv._ConvNd`, norms and their bases. */
const related = (a: string, b: string): boolean => b.includes('._') || /(_|Base)/.test(b) || a === b || /Norm/.test(a) === /_Norm|_BatchNorm/.test(b);

function getAttribute(run: Run, act: Activation, args: Arguments, place: Place): Value {
  const name = arg(run, args, 1);
  const of = arg(run, args, 0);
  if (name.kind !== 'str') return unknown('the attribute is not known');
  if (args.items[2] !== undefined && hasAttribute(run, of, name.value) === false) return arg(run, args, 2);
  const value = attributeOf(run, act, of, name.value, place);
  return args.items[2] !== undefined && value.kind === 'unknown' && hasAttribute(run, of, name.value) !== true ? unknown(value.reason) : value;
}

function hasAttribute(run: Run, of: Value, name: string): boolean | undefined {
  if (of.kind === 'ref') {
    const object = heapRead(run, of.ref);
    if (object?.object !== 'instance') return undefined;
    if (object.attributes.has(name) || (object.classId !== null && findInClass(run, object.classId, name) !== undefined)) return true;
    return object.classId !== null && mro(run, object.classId).every((info) => info.bases.every((base) => base.kind !== 'unknown')) ? false : undefined;
  }
  if (of.kind === 'none') return false;
  if (of.kind === 'torch') return of.name === 'torch' ? findOp(`torch.${name}`) !== null || undefined : of.name === 'torch.nn.functional' ? (findOp(`${of.name}.${name}`) !== null ? true : undefined) : undefined;
  return undefined;
}

const zip: Builtin = (run, _, args) => {
  const all = args.items.map((item) => iterate(run, settled(run, item)));
  if (args.rest) return iteratorOf(run, [], unknown('what it yields is not known'));
  const exact = all.filter((one) => one.rest === null);
  if (all.length > 0 && exact.length === all.length) {
    const count = Math.min(...all.map((one) => one.items.length));
    return iteratorOf(run, Array.from({ length: count }, (_x, i) => tupleOf(all.map((one) => one.items[i] ?? NONE))), null);
  }
  const parts = all.map((one) => joinAll(run, [...one.items, ...(one.rest ? [one.rest] : [])]) ?? unknown('nothing is iterated over'));
  return iteratorOf(run, [], tupleOf(parts));
};

const enumerate: Builtin = (run, _, args) => {
  const { items, rest } = iterate(run, arg(run, args, 0));
  const start = integer(run, args.items[1] ?? args.keywords.get('start') ?? intValue(int(0))) ?? int(0);
  const pairs = items.map((item, i) => tupleOf([intValue(add(start, int(i))), item]));
  return iteratorOf(run, pairs, rest ? tupleOf([partOfUnknown(run, { kind: 'unknown', reason: 'the index differs each time', symbol: `i#${run.serial++}` }, ''), rest]) : null);
};

const mapBuiltin: Builtin = (run, act, args, place) => {
  const over = iterate(run, arg(run, args, 1));
  const apply = (value: Value): Value => callValue(run, act, arg(run, args, 0), positional([settled(run, value)]), place);
  return iteratorOf(run, over.items.map(apply), over.rest ? apply(over.rest) : null);
};

const range: Builtin = (run, _, args) => {
  const ints = args.items.map((item) => integer(run, settled(run, item)));
  const [a, b, c] = ints;
  if (ints.length === 0 || ints.includes(null) || !a) return iteratorOf(run, [], unknown('the range is not known'));
  return ints.length === 1 ? { kind: 'range', start: int(0), stop: a, step: int(1) } : { kind: 'range', start: a, stop: b ?? a, step: c ?? int(1) };
};

const partial: Builtin = (run, _, args) => ({
  kind: 'ref',
  ref: allocate(run, {
    object: 'instance', classId: null, torchClass: null, entry: null,
    attributes: new Map<string, Value>([['func', arg(run, args, 0)], ['args', tupleOf(args.items.slice(1))], ['keywords', dictOf(run, args)], ['__call__', { kind: 'torch', name: 'functools.partial.call' }]]),
  }),
});

function dictOf(run: Run, args: Arguments): Value {
  const entries = new Map([...args.keywords].map(([key, value]) => [`s:${key}`, { key: { kind: 'str', value: key } as Value, value }]));
  return { kind: 'ref', ref: allocate(run, { object: 'dict', entries, rest: args.open ? unknown('it is passed by `**`') : null }) };
}

const makeDict: Builtin = (run, _, args) => {
  const made = dictOf(run, { ...args, open: false });
  const object = made.kind === 'ref' ? heapRead(run, made.ref) : undefined;
  const [first] = args.items;
  if (object?.object !== 'dict' || !first) return made;
  const from = first.kind === 'ref' ? heapRead(run, first.ref) : undefined;
  if (from?.object === 'dict') {
    for (const [key, entry] of from.entries) if (!object.entries.has(key)) object.entries.set(key, entry);
    object.rest = from.rest;
    return made;
  }
  const { items, rest } = iterate(run, settled(run, first));
  for (const item of items) {
    const [key, value] = item.kind === 'tuple' ? item.items : [];
    const text = key ? keyText(key) : null;
    if (key && value && text !== null) object.entries.set(text, { key, value });
  }
  if (rest) object.rest = rest.kind === 'tuple' ? (rest.items[1] ?? rest) : unknown('its entries are not known');
  return made;
};

const deepcopy: Builtin = (run, _, args) => {
  const value = arg(run, args, 0);
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  return object ? { kind: 'ref', ref: allocate(run, object) } : value;
};

const all = (wanted: boolean): Builtin => (run, _, args) => {
  const { items, rest } = iterate(run, arg(run, args, 0));
  const truths = items.map((item) => truthOf(run, settled(run, item)));
  if (truths.includes(!wanted)) return boolValue(!wanted);
  return rest || truths.includes(undefined) ? unknown('it is not known whether it holds') : boolValue(wanted);
};

const checkpoint: Builtin = (run, act, args, place) => {
  const keywords = new Map([...args.keywords].filter(([key]) => !['use_reentrant', 'preserve_rng_state', 'context_fn', 'determinism_check', 'debug', 'early_stop'].includes(key)));
  return callThrough(run, act, { ...args, keywords }, place, 0);
};

const roundDown = (round: (x: number) => number): Builtin => (run, _, args) => {
  const value = arg(run, args, 0);
  return toInteger(run, value, round);
};

/** The limits of a dtype. */
const limits: Builtin = (run) => ({
  kind: 'ref',
  ref: allocate(run, {
    object: 'instance', classId: null, torchClass: null, entry: null,
    attributes: new Map(['min', 'max', 'eps', 'tiny', 'smallest_normal', 'resolution'].map((name) => [name, { kind: 'float', value: null } as Value])),
  }),
});

const BUILTIN: Readonly<Record<string, Builtin>> = {
  len: (run, _, args) => length(run, arg(run, args, 0)),
  range, zip, enumerate, map: mapBuiltin, isinstance: isInstanceOf,
  int: (run, act, args) => wholeQuotient(run, act, args) ?? toInteger(run, arg(run, args, 0), Math.trunc),
  round: (run, _, args) => (args.items.length > 1 ? { kind: 'float', value: null } : toInteger(run, arg(run, args, 0), (x) => 2 * Math.round(x / 2) === x + 0.5 || x % 1 !== 0.5 ? Math.round(x) : 2 * Math.round(x / 2))),
  'math.floor': roundDown(Math.floor), 'math.ceil': roundDown(Math.ceil), 'math.trunc': roundDown(Math.trunc),
  float: (run, _, args) => {
    const value = arg(run, args, 0);
    return { kind: 'float', value: value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null };
  },
  bool: (run, _, args) => {
    const truth = truthOf(run, arg(run, args, 0));
    return truth === undefined ? unknown('it is not known whether it holds') : boolValue(truth);
  },
  str: (run, _, args) => {
    const value = arg(run, args, 0);
    return value.kind === 'str' ? value : value.kind === 'int' && value.value.constant !== null ? { kind: 'str', value: String(value.value.constant) } : unknown('the text is not known');
  },
  tuple: (run, _, args) => {
    if (args.items.length === 0) return tupleOf([]);
    const value = arg(run, args, 0);
    if (value.kind === 'tuple') return value;
    const { items, rest } = iterate(run, value);
    return rest ? listOf(run, items, rest) : tupleOf(items);
  },
  list: (run, _, args) => {
    const { items, rest } = args.items.length === 0 ? { items: [], rest: null } : iterate(run, arg(run, args, 0));
    return listOf(run, items, rest);
  },
  set: (run, _, args) => {
    const { items, rest } = args.items.length === 0 ? { items: [], rest: null } : iterate(run, arg(run, args, 0));
    return { kind: 'ref', ref: allocate(run, { object: 'set', items, rest, length: null }) };
  },
  dict: makeDict, 'collections.OrderedDict': makeDict, 'collections.defaultdict': (run) => ({ kind: 'ref', ref: allocate(run, { object: 'dict', entries: new Map(), rest: null }) }),
  iter: firstArgument, sorted: (run, _, args) => {
    const { items, rest } = iterate(run, arg(run, args, 0));
    const kept = joinAll(run, [...items, ...(rest ? [rest] : [])]);
    return items.length < 2 && !rest ? listOf(run, items, null) : listOf(run, [], kept);
  },
  reversed: (run, _, args) => {
    const { items, rest } = iterate(run, arg(run, args, 0));
    return iteratorOf(run, rest ? [] : [...items].reverse(), rest ? joinAll(run, [...items, rest]) : null);
  },
  next: (run, _, args) => {
    const { items, rest } = iterate(run, arg(run, args, 0));
    return items[0] ?? rest ?? unknown('nothing is left');
  },
  filter: (run, _, args) => {
    const { items, rest } = iterate(run, arg(run, args, 1));
    return iteratorOf(run, [], joinAll(run, [...items, ...(rest ? [rest] : [])]));
  },
  max: (run, _, args) => extreme(run, args, maximum, Math.max), min: (run, _, args) => extreme(run, args, minimum, Math.min),
  abs: (run, act, args, place) => {
    const value = arg(run, args, 0);
    if (value.kind === 'tensor') return attributeCall(run, act, value, 'abs', place);
    const exact = integer(run, value)?.constant ?? null;
    return exact === null ? (value.kind === 'float' ? { kind: 'float', value: value.value === null ? null : Math.abs(value.value) } : unknown('the number is not known')) : intValue(int(Math.abs(exact)));
  },
  sum: (run, act, args, place) => {
    const value = arg(run, args, 0);
    if (value.kind === 'tensor') return attributeCall(run, act, value, 'sum', place);
    const { items, rest } = iterate(run, value);
    const ints = items.map((item) => integer(run, settled(run, item)));
    return rest || !ints.every((x) => x !== null) ? unknown('the values are not known') : intValue(sum(ints));
  },
  'math.prod': (run, _, args) => {
    const value = arg(run, args, 0);
    if (value.kind === 'tuple' && value.front) {
      const tail = value.items.map((item) => integer(run, item));
      return tail.every((x) => x !== null) ? intValue(mul(value.front, product(tail))) : unknown('the values are not known');
    }
    const { items, rest } = iterate(run, value);
    const ints = items.map((item) => integer(run, settled(run, item)));
    return rest || !ints.every((x) => x !== null) ? unknown('the values are not known') : intValue(product(ints));
  },
  'numpy.prod': (run, act, args, place) => BUILTIN['math.prod']?.(run, act, args, place) ?? unknown(''),
  'math.sqrt': (run, _, args) => {
    const value = arg(run, args, 0);
    const n = value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null;
    return { kind: 'float', value: n === null || n < 0 ? null : Math.sqrt(n) };
  },
  divmod: (run, _, args) => {
    const [a, b] = [integer(run, arg(run, args, 0)), integer(run, arg(run, args, 1))];
    return a && b ? tupleOf([intValue(floorDiv(a, b)), intValue(sub(a, mul(b, floorDiv(a, b))))]) : unknown('the values are not known');
  },
  any: all(false), all: all(true),
  print: () => NONE, id: opaque('identities are not followed'), type: (run, _, args) => {
    const value = arg(run, args, 0);
    const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
    if (object?.object === 'instance' && object.classId !== null) return { kind: 'program', what: 'class', id: object.classId };
    return object?.object === 'instance' && object.torchClass ? { kind: 'torch', name: object.torchClass } : unknown('the type is not followed');
  },
  getattr: getAttribute,
  hasattr: (run, _, args) => {
    const name = arg(run, args, 1);
    const has = name.kind === 'str' ? hasAttribute(run, arg(run, args, 0), name.value) : undefined;
    return has === undefined ? unknown('the attribute is not known') : boolValue(has);
  },
  setattr: (run, _, args) => {
    const name = arg(run, args, 1);
    if (name.kind === 'str') setAttribute(run, arg(run, args, 0), name.value, arg(run, args, 2));
    return NONE;
  },
  callable: (run, _, args) => {
    const value = arg(run, args, 0);
    return value.kind === 'program' || value.kind === 'torch' ? boolValue(true) : value.kind === 'none' || value.kind === 'int' || value.kind === 'str' ? boolValue(false) : unknown('it is not known');
  },
  slice: (run, _, args) => {
    const items = args.items.map((item) => settled(run, item));
    return items.length === 1 ? { kind: 'slice', start: NONE, stop: items[0] ?? NONE, step: NONE } : { kind: 'slice', start: items[0] ?? NONE, stop: items[1] ?? NONE, step: items[2] ?? NONE };
  },
  super: opaque('`super()` is not followed here'),
  'object.__init__': () => NONE,
  'collections.abc.Mapping.get': (run, act, args, place) => {
    const [self, key, fallback] = [arg(run, args, 0), arg(run, args, 1), args.items[2] ?? args.keywords.get('default') ?? NONE];
    if (self.kind !== 'ref') return unknown('the mapping is not known');
    const item = instanceItem(run, act, self.ref, key, place.node, place.self ?? { kind: 'BadExpression', start: 0, end: 0 });
    return keyText(key) === null ? (joinAll(run, [item, fallback]) ?? item) : item;
  },
  'functools.partial': partial,
  'functools.partial.call': opaque('a partial is called'),
  'functools.reduce': (run, act, args, place) => {
    const { items, rest } = iterate(run, arg(run, args, 1));
    const start = args.items[2] ? [arg(run, args, 2)] : [];
    if (rest) return unknown('the values are not known');
    return [...start, ...items].reduce((a, b) => callValue(run, act, arg(run, args, 0), positional([a, settled(run, b)]), place));
  },
  'functools.wraps': () => ({ kind: 'torch', name: 'typing.cast_first' }), 'functools.lru_cache': () => ({ kind: 'torch', name: 'typing.cast_first' }), 'functools.cache': firstArgument,
  'typing.cast_first': firstArgument,
  'typing.cast': (run, _, args) => arg(run, args, 1), 'copy.copy': deepcopy, 'copy.deepcopy': deepcopy,
  'itertools.chain': (run, _, args) => {
    const parts = args.items.map((item) => iterate(run, settled(run, item)));
    const rests = parts.flatMap((part) => (part.rest ? [part.rest] : []));
    return rests.length === 0 ? iteratorOf(run, parts.flatMap((part) => part.items), null) : iteratorOf(run, [], joinAll(run, [...parts.flatMap((part) => part.items), ...rests]));
  },
  'itertools.repeat': (run, _, args) => iteratorOf(run, [], arg(run, args, 0)),
  'torch.no_grad': mode('no_grad'), 'torch.inference_mode': mode('inference_mode'), 'torch.enable_grad': mode('enable_grad'), 'torch.set_grad_enabled': mode('set_grad_enabled'),
  'torch.autocast': mode('autocast'), 'torch.amp.autocast': mode('autocast'), 'torch.cuda.amp.autocast': mode('autocast'),
  'torch.is_tensor': (run, _, args) => {
    const value = arg(run, args, 0);
    return value.kind === 'tensor' ? boolValue(true) : value.kind === 'unknown' || value.kind === 'either' ? unknown('the type is not known') : boolValue(false);
  },
  'torch.jit.is_scripting': () => boolValue(false), 'torch.jit.is_tracing': () => boolValue(false), 'torch.compiler.is_compiling': () => boolValue(false), 'torch.onnx.is_in_onnx_export': () => boolValue(false),
  'torch._dynamo.is_compiling': () => boolValue(false), 'torch.compiler.is_exporting': () => boolValue(false), 'torch.overrides.has_torch_function': () => boolValue(false),
  'torch.overrides.has_torch_function_unary': () => boolValue(false), 'torch.overrides.has_torch_function_variadic': () => boolValue(false),
  'torch._assert': (run, act, args) => {
    void run;
    void act;
    void args;
    return NONE;
  },
  'torch.utils.checkpoint.checkpoint': checkpoint, 'torch.jit.script': firstArgument, 'torch.compile': firstArgument, 'torch.jit.ignore': firstArgument, 'torch.jit.unused': firstArgument,
  'torch.jit.export': firstArgument, 'torch.fx.wrap': firstArgument, 'torch.jit.annotate': (run, _, args) => arg(run, args, 1),
  'torch.is_grad_enabled': (run) => (run.grad === undefined ? unknown('the mode is not known') : boolValue(run.grad)),
  'torch.device': (run, _, args) => {
    const value = arg(run, args, 0);
    return { kind: 'device', value: value.kind === 'str' ? value.value : null };
  },
  'torch.Size': (run, _, args) => {
    const value = arg(run, args, 0);
    if (value.kind === 'tuple') return value;
    const { items, rest } = iterate(run, value);
    return rest ? unknown('the sizes are not known') : tupleOf(items);
  },
  'torch.broadcast_shapes': opaque('the sizes are not followed'),
  'torch.manual_seed': () => NONE,
  'torch.finfo': limits, 'torch.iinfo': limits,
  'torch.get_default_dtype': () => ({ kind: 'dtype', value: 'float32' }),
};

function attributeCall(run: Run, act: Activation, receiver: Value, name: string, place: Place): Value {
  return callValue(run, act, attributeOf(run, act, receiver, name, place), positional([]), place);
}

export const BUILTINS = new Set([...Object.keys(BUILTIN).filter((name) => !name.includes('.')), 'object', 'property', 'staticmethod', 'classmethod', 'Exception', 'ValueError', 'RuntimeError', 'NotImplementedError', 'TypeError', 'KeyError', 'AssertionError', 'IndexError', 'StopIteration', 'ImportError', 'NotImplemented', 'open', 'frozenset', 'complex', 'bytes', 'vars', 'issubclass', 'repr', 'hash', 'input', 'format', 'ord', 'chr', 'pow', 'delattr', 'dir', 'locals', 'globals', 'memoryview', 'bytearray', 'ImportWarning', 'DeprecationWarning', 'UserWarning', 'Ellipsis', '__file__']);
export const unusedBuiltins = { minimum, compareValues, asTensor };
