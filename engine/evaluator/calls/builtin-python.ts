import { floorDiv, int, maximum, minimum, mul, sub, sum } from '../../symbols/index.ts';
import { boolValue, intValue, NONE, tupleOf, unknown, type Value } from '../../values/value.ts';
import { integer } from '../expressions/operators.ts';
import { askTruth, demandNumber } from '../expressions/truth.ts';
import { iteratorOf, listOf } from '../state/objects.ts';
import { type Activation, allocate, heapRead, type Run } from '../state/run.ts';
import { joinAll, settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { floatOf } from '../torch/limits.ts';
import { attributeOf } from './attributes.ts';
import { getAttribute, hasAttribute, makeDict } from './builtin-objects.ts';
import { isInstanceOf } from './builtin-types.ts';
import type { Builtin } from './builtin-values.ts';
import {
  all,
  arg,
  enumerate,
  extreme,
  firstArgument,
  fractionalProduct,
  length,
  mapBuiltin,
  opaque,
  range,
  toInteger,
  wholeQuotient,
  zip,
} from './builtin-values.ts';
import { callValue, type Place, positional } from './calls.ts';
import { setAttribute } from './classes.ts';

/** The functions of Python's own that are followed. */
export function pythonFunctions(): Readonly<Record<string, Builtin>> {
  return {
    len: (run, _, args) => length(run, arg(run, args, 0)),
    range,
    zip,
    enumerate,
    map: mapBuiltin,
    isinstance: isInstanceOf,
    int: (run, act, args, place) => {
      demandNumber(run, act, place.node, arg(run, args, 0), 'int');
      return (
        wholeQuotient(run, act, args) ??
        fractionalProduct(run, act, args) ??
        toInteger(run, arg(run, args, 0), Math.trunc)
      );
    },
    round: (run, _, args) =>
      args.items.length > 1
        ? { kind: 'float', value: null }
        : toInteger(run, arg(run, args, 0), (x) =>
            2 * Math.round(x / 2) === x + 0.5 || x % 1 !== 0.5 ? Math.round(x) : 2 * Math.round(x / 2),
          ),
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
  };
}

function attributeCall(run: Run, act: Activation, receiver: Value, name: string, place: Place): Value {
  return callValue(run, act, attributeOf(run, act, receiver, name, place), positional([]), place);
}

/** Names that Python itself gives to every module, of things that are not followed. */
export const NOT_FOLLOWED: ReadonlySet<string> = new Set([
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
