import { findOp } from '../../ops/index.ts';
import { NONE, tupleOf, type Unknown, unknown, type Value } from '../../values/value.ts';
import { keyText } from '../expressions/displays.ts';
import { isPlain } from '../state/join.ts';
import { objectWith } from '../state/objects.ts';
import { type Activation, allocate, heapRead, namedUnknown, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { iterate } from '../statements/iteration.ts';
import { initTorch } from '../torch/nn.ts';
import { attributeOf } from './attributes.ts';
import { arg, type Builtin } from './builtin-values.ts';
import { type Arguments, callValue, type Place } from './calls.ts';
import { findInClass, mro } from './classes.ts';

const MODULE_METHODS = new Set([
  'parameters',
  'named_parameters',
  'modules',
  'named_modules',
  'children',
  'named_children',
  'buffers',
  'named_buffers',
  'register_buffer',
  'register_parameter',
  'add_module',
  'register_module',
  'to',
  'cuda',
  'cpu',
  'half',
  'float',
  'double',
  'bfloat16',
  'eval',
  'train',
  'apply',
  'state_dict',
  'load_state_dict',
  'zero_grad',
  'requires_grad_',
  'extra_repr',
  'register_forward_hook',
  'register_forward_pre_hook',
  'get_submodule',
  'type',
  '_init_weights',
  'compile',
  '__init__',
  '__setattr__',
  '__getattr__',
]);

export const isModuleMethod = (name: string): boolean => MODULE_METHODS.has(name);

/** `super().__init__(…)` of a class that inherits from a torch class. */
export function initBase(run: Run, name: string, args: Arguments): Value {
  const [self, ...items] = args.items;
  if (self?.kind === 'ref') initTorch(run, self.ref, name.slice(0, -'.__init__'.length), { ...args, items, nodes: [] });
  return NONE;
}

export function callBaseForward(run: Run, act: Activation, args: Arguments, place: Place): Value {
  const [self, ...items] = args.items;
  const object = self?.kind === 'ref' ? heapRead(run, self.ref) : undefined;
  if (object?.object !== 'instance' || !object.torchClass) return unknown('the base class is not known');
  const plain = {
    ...object,
    classId: null,
    attributes: new Map([...object.attributes].filter(([key]) => key !== 'forward')),
  };
  return callValue(run, act, { kind: 'ref', ref: allocate(run, plain) }, { ...args, items, nodes: [] }, place);
}

export const mode =
  (name: string): Builtin =>
  (_run, _act, args) => {
    // used as a decorator on a function value it gives the function back
    const [only] = args.items;
    return only?.kind === 'program' ? only : { kind: 'str', value: name };
  };

export function getAttribute(run: Run, act: Activation, args: Arguments, place: Place): Value {
  const name = arg(run, args, 1);
  const of = arg(run, args, 0);
  if (name.kind !== 'str') return unknown('the attribute is not known');
  if (args.items[2] !== undefined && hasAttribute(run, of, name.value) === false) return arg(run, args, 2);
  const value = attributeOf(run, act, of, name.value, place);
  return args.items[2] !== undefined && value.kind === 'unknown' && hasAttribute(run, of, name.value) !== true
    ? orDefault(run, value, arg(run, args, 2), name.value)
    : value;
}

/** An attribute or what is given for one that is not there: a plain object's is a number or None at any rate, if that is. */
function orDefault(run: Run, value: Unknown, given: Value, name: string): Value {
  if (!isPlain(run, value) || !isPlain(run, given)) return unknown(value.reason);
  if (given.kind === 'none') return value;
  const made = namedUnknown(run, name, value.reason);
  if (made.symbol !== undefined) run.plain.add(made.symbol);
  return made;
}

export function hasAttribute(run: Run, of: Value, name: string): boolean | undefined {
  if (of.kind === 'ref') {
    const object = heapRead(run, of.ref);
    if (object?.object !== 'instance') return undefined;
    if (
      object.attributes.has(name) ||
      (object.classId !== null && findInClass(run, object.classId, name) !== undefined)
    )
      return true;
    return object.classId !== null &&
      mro(run, object.classId).every((info) => info.bases.every((base) => base.kind !== 'unknown'))
      ? false
      : undefined;
  }
  if (of.kind === 'none') return false;
  if (of.kind === 'torch')
    return of.name === 'torch'
      ? findOp(`torch.${name}`) !== null || undefined
      : of.name === 'torch.nn.functional'
        ? findOp(`${of.name}.${name}`) !== null
          ? true
          : undefined
        : undefined;
  return undefined;
}

export const partial: Builtin = (run, _, args) =>
  objectWith(
    run,
    new Map<string, Value>([
      ['func', arg(run, args, 0)],
      ['args', tupleOf(args.items.slice(1))],
      ['keywords', dictOf(run, args)],
      ['__call__', { kind: 'torch', name: 'functools.partial.call' }],
    ]),
  );

function dictOf(run: Run, args: Arguments): Value {
  const entries = new Map(
    [...args.keywords].map(([key, value]) => [`s:${key}`, { key: { kind: 'str', value: key } as Value, value }]),
  );
  return {
    kind: 'ref',
    ref: allocate(run, { object: 'dict', entries, rest: args.open ? unknown('it is passed by `**`') : null }),
  };
}

export const makeDict: Builtin = (run, _, args) => {
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

export const deepcopy: Builtin = (run, _, args) => {
  const value = arg(run, args, 0);
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  return object ? { kind: 'ref', ref: allocate(run, object) } : value;
};
