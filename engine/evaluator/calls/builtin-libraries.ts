import { mul, product } from '../../symbols/index.ts';
import { boolValue, intValue, NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import { keyText } from '../expressions/displays.ts';
import { integer } from '../expressions/operators.ts';
import { defaults } from '../roots/defaults.ts';
import { isPlain } from '../state/join.ts';
import { iteratorOf } from '../state/objects.ts';
import { allocate, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { autocasts } from '../torch/autocast.ts';
import { setGradEnabled } from '../torch/autograd.ts';
import { limits } from '../torch/limits.ts';
import { arrays } from './arrays.ts';
import { HANDING_ON } from './builtin-calls.ts';
import { deepcopy, makeDict, mode, partial } from './builtin-objects.ts';
import type { Builtin } from './builtin-values.ts';
import { arg, firstArgument, opaque, repeat, repeated, roundDown } from './builtin-values.ts';
import { callValue, positional } from './calls.ts';
import { instanceItem } from './classes.ts';
import { fieldDefault, replaceFields } from './dataclasses.ts';
import { namedTuple } from './named-tuples.ts';

/** What is followed of Python's libraries, and of torch what is about modes and kinds, not about tensors. */
export function libraryFunctions(): Readonly<Record<string, Builtin>> {
  return {
    'math.floor': roundDown(Math.floor),
    'math.ceil': roundDown(Math.ceil),
    'math.trunc': roundDown(Math.trunc),
    'math.prod': productOf,
    'math.sqrt': (run, _, args) => {
      const value = arg(run, args, 0);
      const n = value.kind === 'float' ? value.value : value.kind === 'int' ? value.value.constant : null;
      return { kind: 'float', value: n === null || n < 0 ? null : Math.sqrt(n) };
    },
    ...ofNumbers,
    ...arrays,
    'numpy.prod': productOf,
    'object.__init__': () => NONE,
    'collections.OrderedDict': makeDict,
    'collections.namedtuple': namedTuple,
    // Every key that is asked for is in it from then on.
    'collections.defaultdict': (run) => ({
      kind: 'ref',
      ref: allocate(run, {
        object: 'dict',
        entries: new Map(),
        rest: unknown('what its factory makes is not followed'),
      }),
    }),
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
    'dataclasses.replace': replaceFields,
    'dataclasses.field': fieldDefault,
    'copy.copy': deepcopy,
    'copy.deepcopy': deepcopy,
    'functools.partial': partial,
    'functools.partial.call': opaque('a partial is called'),
    'functools.reduce': (run, act, args, place) => {
      const { items, rest } = iterate(run, arg(run, args, 1));
      const start = args.items[2] ? [arg(run, args, 2)] : [];
      if (rest) return unknown('the values are not known');
      const values = [...start, ...items];
      if (values.length === 0) return unknown('nothing is reduced');
      return values.reduce((a, b) => callValue(run, act, arg(run, args, 0), positional([a, settled(run, b)]), place));
    },
    'functools.wraps': () => ({ kind: 'torch', name: 'typing.cast_first' }),
    'functools.lru_cache': () => ({ kind: 'torch', name: 'typing.cast_first' }),
    'functools.cache': firstArgument,
    'itertools.chain': (run, _, args) => {
      const given = args.rest ? [...args.items, args.rest] : args.items;
      const parts = given.map((item) => iterate(run, settled(run, item)));
      const items = parts.flatMap((part) => part.items);
      const rests = parts.flatMap((part) => (part.rest ? [part.rest] : []));
      return rests.length === 0 && !args.rest
        ? iteratorOf(run, items, null)
        : iteratorOf(run, [], joinAll(run, [...items, ...rests]) ?? unknown('what is chained is not known'));
    },
    'itertools.repeat': repeat,
    'typing.cast_first': firstArgument,
    'typing.cast': (run, _, args) => arg(run, args, 1),
    'torch.nn._single': repeated(1),
    'torch.nn._pair': repeated(2),
    'torch.nn._triple': repeated(3),
    'torch.nn._quadruple': repeated(4),
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
    'torch._assert': () => NONE,
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
  };
}

/** What NumPy computes of numbers is a number, which stands beside tensors like one of Python; of arrays nothing is told. */
const ofNumbers: Readonly<Record<string, Builtin>> = Object.fromEntries(
  [
    ...['sqrt', 'exp', 'exp2', 'log', 'log2', 'log10', 'log1p', 'expm1', 'sin', 'cos', 'tan', 'arctan', 'tanh'],
    ...['ceil', 'floor', 'rint', 'deg2rad', 'rad2deg', 'radians', 'square', 'power', 'hypot', 'arctan2'],
  ].map((name): [string, Builtin] => [
    `numpy.${name}`,
    (run, _, args) =>
      args.keywords.size === 0 && !args.open && args.items.every((_, i) => isNumber(run, arg(run, args, i)))
        ? { kind: 'float', value: null }
        : unknown(`\`numpy.${name}\` is not followed`),
  ]),
);

const isNumber = (run: Run, value: Value): boolean =>
  value.kind === 'int' || value.kind === 'float' || (value.kind === 'unknown' && isPlain(run, value));

const productOf: Builtin = (run, _, args) => {
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
};
