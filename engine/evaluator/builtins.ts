import { floorDiv, int, maximum, minimum, mul, product, sub, sum } from '../symbols/index.ts';
import { boolValue, intValue, NONE, tupleOf, unknown, type Value } from '../values/value.ts';
import { attributeOf } from './attributes.ts';
import { autocasts } from './autocast.ts';
import { setGradEnabled } from './autograd.ts';
import { HANDING_ON } from './builtin-calls.ts';
import {
  callBaseForward,
  deepcopy,
  getAttribute,
  hasAttribute,
  initBase,
  makeDict,
  mode,
  partial,
} from './builtin-objects.ts';
import { isInstanceOf } from './builtin-types.ts';
import type { Builtin } from './builtin-values.ts';
import {
  all,
  arg,
  enumerate,
  extreme,
  firstArgument,
  length,
  mapBuiltin,
  opaque,
  range,
  repeated,
  roundDown,
  toInteger,
  wholeQuotient,
  zip,
} from './builtin-values.ts';
import { type Arguments, callValue, NOT_BUILT_IN, type Place, positional } from './calls.ts';
import { instanceItem, setAttribute } from './classes.ts';
import { callContainer } from './containers.ts';
import { defaults } from './defaults.ts';
import { keyText } from './displays.ts';
import { iterate } from './iteration.ts';
import { floatOf, limits } from './limits.ts';
import { callModuleMethod } from './module-methods.ts';
import { iteratorOf, listOf } from './objects.ts';
import { once } from './once.ts';
import { integer } from './operators.ts';
import { type Activation, allocate, heapRead, type Run } from './run.ts';
import { joinAll, settled } from './settled.ts';
import { torchReturns } from './torch-functions.ts';
import { askTruth, demandNumber } from './truth.ts';

/** Calls what the engine itself knows of Python and its libraries; `NOT_BUILT_IN` where it is none of that. */
export function callBuiltin(run: Run, act: Activation, name: string, args: Arguments, place: Place): Value {
  const known = found.get(name) ?? find(name);
  found.set(name, known);
  return known(run, act, args, place);
}

const found = new Map<string, Builtin>();

function find(name: string): Builtin {
  const builtin = builtinOf(name);
  if (builtin) return builtin;
  if (name.startsWith('math.')) return () => ({ kind: 'float', value: null });
  const modelled = /^(torch|einops|torchvision)\./.test(name);
  return opaque(modelled ? NOT_BUILT_IN : `\`${name.replace('builtins.', '')}\` is not followed`);
}

/** What the engine itself knows of Python and its libraries, by its qualified name. */
export function builtinOf(name: string): Builtin | null {
  const method = /^torch\.nn\.(Module|Container)\.(\w+)$/.exec(name)?.[2];
  if (method !== undefined) return (run, act, args, place) => callModuleMethod(run, act, method, args, place);
  if (name.endsWith('.__init__') && /^torch(vision)?\./.test(name)) return (run, _, args) => initBase(run, name, args);
  if (name.endsWith('.forward') && /^torch(\.nn|vision\.ops)\./.test(name)) return callBaseForward;
  const [, container, of] = /^builtins\.(list|dict|set|iterator|tuple|str|number)\.(\w+)$/.exec(name) ?? [];
  if (container && of) return (run, act, args, place) => callContainer(run, act, container, of, args, place);
  const own = SYMBOLIC[name] ?? (name.startsWith('builtins.') ? name.slice('builtins.'.length) : name);
  return builtins().get(own) ?? torchReturns().get(name) ?? null;
}

/** Python's functions under the names that torch gives them for sizes that it traces. */
const SYMBOLIC: Readonly<Record<string, string>> = {
  'torch.sym_int': 'int',
  'torch.sym_float': 'float',
  'torch.sym_max': 'max',
  'torch.sym_min': 'min',
  'torch.sym_sum': 'sum',
  'torch.sym_sqrt': 'math.sqrt',
};

const BUILTIN = once(
  (): Readonly<Record<string, Builtin>> => ({
    len: (run, _, args) => length(run, arg(run, args, 0)),
    range,
    zip,
    enumerate,
    map: mapBuiltin,
    isinstance: isInstanceOf,
    int: (run, act, args, place) => {
      demandNumber(run, act, place.node, arg(run, args, 0), 'int');
      return wholeQuotient(run, act, args) ?? toInteger(run, arg(run, args, 0), Math.trunc);
    },
    round: (run, _, args) =>
      args.items.length > 1
        ? { kind: 'float', value: null }
        : toInteger(run, arg(run, args, 0), (x) =>
            2 * Math.round(x / 2) === x + 0.5 || x % 1 !== 0.5 ? Math.round(x) : 2 * Math.round(x / 2),
          ),
    'math.floor': roundDown(Math.floor),
    'math.ceil': roundDown(Math.ceil),
    'math.trunc': roundDown(Math.trunc),
    float: (run, act, args, place) => {
      const value = arg(run, args, 0);
      demandNumber(run, act, place.node, value, 'float');
      if (value.kind === 'str') return { kind: 'float', value: floatOf(value.value) };
      return {
        kind: 'float',
        value: value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null,
      };
    },
    bool: (run, act, args, place) => {
      const truth = askTruth(run, act, place.node, arg(run, args, 0));
      return truth === undefined ? unknown('it is not known whether it holds') : boolValue(truth);
    },
    str: (run, _, args) => {
      const value = arg(run, args, 0);
      return value.kind === 'str'
        ? value
        : value.kind === 'int' && value.value.constant !== null
          ? { kind: 'str', value: String(value.value.constant) }
          : unknown('the text is not known');
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
    dict: makeDict,
    'collections.OrderedDict': makeDict,
    // Every key that is asked for is in it from then on.
    'collections.defaultdict': (run) => ({
      kind: 'ref',
      ref: allocate(run, {
        object: 'dict',
        entries: new Map(),
        rest: unknown('what its factory makes is not followed'),
      }),
    }),
    iter: firstArgument,
    sorted: (run, _, args) => {
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
    max: (run, _, args) => extreme(run, args, maximum, Math.max),
    min: (run, _, args) => extreme(run, args, minimum, Math.min),
    abs: (run, act, args, place) => {
      const value = arg(run, args, 0);
      if (value.kind === 'tensor') return attributeCall(run, act, value, 'abs', place);
      const exact = integer(run, value)?.constant ?? null;
      return exact === null
        ? value.kind === 'float'
          ? { kind: 'float', value: value.value === null ? null : Math.abs(value.value) }
          : unknown('the number is not known')
        : intValue(int(Math.abs(exact)));
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
        return tail.every((x) => x !== null)
          ? intValue(mul(value.front, product(tail)))
          : unknown('the values are not known');
      }
      const { items, rest } = iterate(run, value);
      const ints = items.map((item) => integer(run, settled(run, item)));
      return rest || !ints.every((x) => x !== null) ? unknown('the values are not known') : intValue(product(ints));
    },
    'numpy.prod': (run, act, args, place) => builtins().get('math.prod')?.(run, act, args, place) ?? unknown(''),
    'torch.nn._single': repeated(1),
    'torch.nn._pair': repeated(2),
    'torch.nn._triple': repeated(3),
    'torch.nn._quadruple': repeated(4),
    'math.sqrt': (run, _, args) => {
      const value = arg(run, args, 0);
      const n = value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null;
      return { kind: 'float', value: n === null || n < 0 ? null : Math.sqrt(n) };
    },
    divmod: (run, _, args) => {
      const [a, b] = [integer(run, arg(run, args, 0)), integer(run, arg(run, args, 1))];
      return a && b
        ? tupleOf([intValue(floorDiv(a, b)), intValue(sub(a, mul(b, floorDiv(a, b))))])
        : unknown('the values are not known');
    },
    any: all(false),
    all: all(true),
    print: () => NONE,
    id: opaque('identities are not followed'),
    type: (run, _, args) => {
      const value = arg(run, args, 0);
      const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
      if (object?.object === 'instance' && object.classId !== null)
        return { kind: 'program', what: 'class', id: object.classId };
      return object?.object === 'instance' && object.torchClass
        ? { kind: 'torch', name: object.torchClass }
        : unknown('the type is not followed');
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
      return value.kind === 'program' || value.kind === 'torch'
        ? boolValue(true)
        : value.kind === 'none' || value.kind === 'int' || value.kind === 'str'
          ? boolValue(false)
          : unknown('it is not known');
    },
    slice: (run, _, args) => {
      const items = args.items.map((item) => settled(run, item));
      return items.length === 1
        ? { kind: 'slice', start: NONE, stop: items[0] ?? NONE, step: NONE }
        : { kind: 'slice', start: items[0] ?? NONE, stop: items[1] ?? NONE, step: items[2] ?? NONE };
    },
    super: opaque('`super()` is not followed here'),
    'object.__init__': () => NONE,
    'collections.abc.Mapping.get': (run, act, args, place) => {
      const [self, key, fallback] = [
        arg(run, args, 0),
        arg(run, args, 1),
        args.items[2] ?? args.keywords.get('default') ?? NONE,
      ];
      if (self.kind !== 'ref') return unknown('the mapping is not known');
      const item = instanceItem(
        run,
        act,
        self.ref,
        key,
        place.node,
        place.self ?? { kind: 'BadExpression', start: 0, end: 0 },
      );
      return keyText(key) === null ? (joinAll(run, [item, fallback]) ?? item) : item;
    },
    'functools.partial': partial,
    'functools.partial.call': opaque('a partial is called'),
    'functools.reduce': (run, act, args, place) => {
      const { items, rest } = iterate(run, arg(run, args, 1));
      const start = args.items[2] ? [arg(run, args, 2)] : [];
      if (rest) return unknown('the values are not known');
      return [...start, ...items].reduce((a, b) =>
        callValue(run, act, arg(run, args, 0), positional([a, settled(run, b)]), place),
      );
    },
    'functools.wraps': () => ({ kind: 'torch', name: 'typing.cast_first' }),
    'functools.lru_cache': () => ({ kind: 'torch', name: 'typing.cast_first' }),
    'functools.cache': firstArgument,
    'typing.cast_first': firstArgument,
    'typing.cast': (run, _, args) => arg(run, args, 1),
    'copy.copy': deepcopy,
    'copy.deepcopy': deepcopy,
    'itertools.chain': (run, _, args) => {
      const parts = args.items.map((item) => iterate(run, settled(run, item)));
      const rests = parts.flatMap((part) => (part.rest ? [part.rest] : []));
      return rests.length === 0
        ? iteratorOf(
            run,
            parts.flatMap((part) => part.items),
            null,
          )
        : iteratorOf(run, [], joinAll(run, [...parts.flatMap((part) => part.items), ...rests]));
    },
    'itertools.repeat': (run, _, args) => iteratorOf(run, [], arg(run, args, 0)),
    'torch.no_grad': mode('no_grad'),
    'torch.inference_mode': mode('inference_mode'),
    'torch.enable_grad': mode('enable_grad'),
    'torch.set_grad_enabled': (run, _, args) => setGradEnabled(run, arg(run, args, 0)),
    'torch._C._set_grad_enabled': (run, _, args) => setGradEnabled(run, arg(run, args, 0)),
    ...autocasts,
    'torch.is_tensor': (run, _, args) => {
      const value = arg(run, args, 0);
      return value.kind === 'tensor'
        ? boolValue(true)
        : value.kind === 'unknown' || value.kind === 'either'
          ? unknown('the type is not known')
          : boolValue(false);
    },
    'torch.jit.is_scripting': () => boolValue(false),
    'torch.jit.is_tracing': () => boolValue(false),
    'torch.compiler.is_compiling': () => boolValue(false),
    'torch.onnx.is_in_onnx_export': () => boolValue(false),
    'torch._dynamo.is_compiling': () => boolValue(false),
    'torch.compiler.is_exporting': () => boolValue(false),
    'torch.overrides.has_torch_function': () => boolValue(false),
    'torch.overrides.has_torch_function_unary': () => boolValue(false),
    'torch.overrides.has_torch_function_variadic': () => boolValue(false),
    'torch._assert': (run, act, args) => {
      void run;
      void act;
      void args;
      return NONE;
    },
    ...HANDING_ON,
    'torch.jit.annotate': (run, _, args) => arg(run, args, 1),
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
    ...limits,
    ...defaults,
  }),
);

function attributeCall(run: Run, act: Activation, receiver: Value, name: string, place: Place): Value {
  return callValue(run, act, attributeOf(run, act, receiver, name, place), positional([]), place);
}

/** The names that Python itself gives to every module. */
export const isBuiltin = (name: string): boolean =>
  (!name.includes('.') && builtins().has(name)) || NOT_FOLLOWED.has(name);

const NOT_FOLLOWED: ReadonlySet<string> = new Set([
  'object',
  'property',
  'staticmethod',
  'classmethod',
  'Exception',
  'ValueError',
  'RuntimeError',
  'NotImplementedError',
  'TypeError',
  'KeyError',
  'AssertionError',
  'IndexError',
  'StopIteration',
  'ImportError',
  'NotImplemented',
  'open',
  'frozenset',
  'complex',
  'bytes',
  'vars',
  'issubclass',
  'repr',
  'hash',
  'input',
  'format',
  'ord',
  'chr',
  'pow',
  'delattr',
  'dir',
  'locals',
  'globals',
  'memoryview',
  'bytearray',
  'ImportWarning',
  'DeprecationWarning',
  'UserWarning',
  'Ellipsis',
  '__file__',
]);
