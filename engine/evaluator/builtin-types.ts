import { boolValue, unknown, type Value } from '../values/value.ts';
import type { Builtin } from './builtin-values.ts';
import { arg } from './builtin-values.ts';
import { mro } from './classes.ts';
import { isSequence } from './heap.ts';
import { isModuleClass } from './nn.ts';
import { heapRead, type Run } from './run.ts';
import { settled } from './settled.ts';

export const isInstanceOf: Builtin = (run, act, args) => {
  void act;
  const value = arg(run, args, 0);
  const type = arg(run, args, 1);
  const options = type.kind === 'tuple' ? type.items : [type];
  const answers = options.map((option) => hasType(run, value, settled(run, option)));
  if (answers.includes(true)) return boolValue(true);
  return answers.every((answer) => answer === false) ? boolValue(false) : unknown('the type is not known');
};

const PYTHON_TYPES: Readonly<Record<string, readonly Value['kind'][]>> = {
  'builtins.int': ['int', 'bool'],
  'builtins.float': ['float'],
  'builtins.bool': ['bool'],
  'builtins.str': ['str'],
  'builtins.tuple': ['tuple'],
  'torch.Tensor': ['tensor'],
  'torch.Size': ['tuple'],
  'collections.abc.Callable': ['program', 'torch'],
  'torch.dtype': ['dtype'],
};

const PLAIN_TYPES = new Set(
  ['int', 'float', 'bool', 'str', 'tuple', 'list', 'dict', 'set'].map((name) => `builtins.${name}`),
);

const isDefinition = (value: Value): boolean =>
  value.kind === 'program' || (value.kind === 'torch' && isModuleClass(value.name));

const KNOWN_KINDS = new Set<Value['kind']>([
  'int',
  'float',
  'bool',
  'str',
  'tuple',
  'tensor',
  'none',
  'dtype',
  'range',
  'slice',
]);

function hasType(run: Run, value: Value, type: Value): boolean | undefined {
  if (value.kind === 'unknown' || value.kind === 'either') return undefined;
  const object = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  if (type.kind === 'torch') {
    const kinds = PYTHON_TYPES[type.name];
    if (kinds?.includes(value.kind)) return true;
    // A class or function is no number, text or container.
    if (
      isDefinition(value) &&
      (PLAIN_TYPES.has(type.name) || type.name === 'torch.Tensor' || type.name === 'torch.nn.Module')
    )
      return false;
    const sequences: Readonly<Record<string, string>> = {
      'builtins.list': 'list',
      'builtins.dict': 'dict',
      'builtins.set': 'set',
    };
    if (object && object.object === sequences[type.name]) return true;
    if (/(Sequence|Iterable|Collection)$/.test(type.name))
      return value.kind === 'tuple' || isSequence(object)
        ? true
        : KNOWN_KINDS.has(value.kind) && value.kind !== 'str' && value.kind !== 'range'
          ? false
          : undefined;
    if (object?.object === 'instance') {
      if (
        object.torchClass === type.name ||
        (type.name === 'torch.nn.Module' && object.torchClass?.startsWith('torch.nn.'))
      )
        return true;
      return object.torchClass && type.name.startsWith('torch.nn.')
        ? related(object.torchClass, type.name)
          ? undefined
          : false
        : type.name.startsWith('builtins.')
          ? false
          : undefined;
    }
    if (value.kind === 'tensor')
      return type.name === 'torch.nn.Parameter'
        ? undefined
        : !type.name.startsWith('torch.') || type.name.startsWith('torch.nn.')
          ? false
          : undefined;
    return KNOWN_KINDS.has(value.kind) || object
      ? kinds || sequences[type.name] || type.name.startsWith('torch.')
        ? false
        : undefined
      : undefined;
  }
  if (type.kind === 'program' && type.what === 'class') {
    if (object?.object === 'instance')
      return object.classId !== null && mro(run, object.classId).some((info) => info.id === type.id);
    return KNOWN_KINDS.has(value.kind) ? false : undefined;
  }
  return undefined;
}

/** `nn.Conv2d` and `nn.modules.conv._ConvNd`, norms and their bases. */
const related = (a: string, b: string): boolean =>
  b.includes('._') || /(_|Base)/.test(b) || a === b || /Norm/.test(a) === /_Norm|_BatchNorm/.test(b);
