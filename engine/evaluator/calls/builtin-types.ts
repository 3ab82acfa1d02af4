import { boolValue, unknown, type Value } from '../../values/value.ts';
import { type Instance, isSequence } from '../state/heap.ts';
import { optionsOf } from '../state/join.ts';
import { heapRead, type Run } from '../state/run.ts';
import { settled } from '../state/settled.ts';
import { isModuleClass } from '../torch/nn.ts';
import type { Builtin } from './builtin-values.ts';
import { arg } from './builtin-values.ts';
import { mro } from './classes.ts';

export const isInstanceOf: Builtin = (run, act, args) => {
  void act;
  const value = arg(run, args, 0);
  const type = arg(run, args, 1);
  const options = type.kind === 'tuple' ? type.items : [type];
  const answers = options.map((option) => hasType(run, value, settled(run, option)));
  if (answers.includes(true)) return boolValue(true);
  return answers.every((answer) => answer === false) ? boolValue(false) : unknown('the type is not known');
};

type Held = ReturnType<typeof heapRead>;

/** What a value is, or what the heap holds for it, if it is of a Python type. */
const PYTHON_TYPES: Readonly<Record<string, (value: Value, held: Held) => boolean>> = {
  'builtins.int': ({ kind }) => kind === 'int' || kind === 'bool',
  'builtins.float': ({ kind }) => kind === 'float',
  'builtins.bool': ({ kind }) => kind === 'bool',
  'builtins.str': ({ kind }) => kind === 'str',
  'builtins.tuple': ({ kind }) => kind === 'tuple',
  'builtins.list': (_, held) => held?.object === 'list',
  'builtins.dict': (_, held) => held?.object === 'dict',
  'builtins.set': (_, held) => held?.object === 'set',
  'builtins.type': (value) => isClass(value),
  'types.FunctionType': (value) => value.kind === 'program' && value.what === 'function',
  'functools.partial': (_, held) => isPartial(held),
  'collections.abc.Callable': (value, held) => isDefinition(value) || isPartial(held),
  'torch.Tensor': ({ kind }) => kind === 'tensor',
  'torch.Size': ({ kind }) => kind === 'tuple',
  'torch.dtype': ({ kind }) => kind === 'dtype',
};

const isPartial = (held: Held): boolean =>
  held?.object === 'instance' && held.attributes.get('__call__')?.kind === 'torch';

const isClass = (value: Value): boolean =>
  (value.kind === 'program' && value.what === 'class') || (value.kind === 'torch' && isModuleClass(value.name));

const isDefinition = (value: Value): boolean => value.kind === 'program' || isClass(value);

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
  if (value.kind === 'unknown') return undefined;
  if (value.kind === 'either') {
    const answers = new Set(optionsOf(value).map((option) => hasType(run, settled(run, option), type)));
    const [only] = answers;
    return answers.size === 1 ? only : undefined;
  }
  const held = value.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  if (type.kind === 'torch') return hasLibraryType(value, held, type.name);
  if (type.kind !== 'program' || type.what !== 'class') return undefined;
  if (held?.object === 'instance')
    return held.classId !== null && mro(run, held.classId).some((info) => info.id === type.id);
  return KNOWN_KINDS.has(value.kind) ? false : undefined;
}

/** Whether a value is of a type of Python's, of its library's or of torch's. */
function hasLibraryType(value: Value, held: Held, type: string): boolean | undefined {
  const python = PYTHON_TYPES[type];
  if (python?.(value, held) === true) return true;
  if (/(Sequence|Iterable|Collection)$/.test(type)) return isOrdered(value, held);
  // A class or function is no number, text, container or module.
  if (isDefinition(value) || isPartial(held))
    return python !== undefined || type === 'torch.nn.Module' ? false : undefined;
  if (held?.object === 'instance') return isInstanceOfLibrary(held, type);
  if (value.kind === 'tensor')
    return type === 'torch.nn.Parameter'
      ? undefined
      : !type.startsWith('torch.') || type.startsWith('torch.nn.')
        ? false
        : undefined;
  if (!KNOWN_KINDS.has(value.kind) && held === undefined) return undefined;
  return python !== undefined || type.startsWith('torch.') ? false : undefined;
}

function isOrdered(value: Value, held: Held): boolean | undefined {
  if (value.kind === 'tuple' || isSequence(held)) return true;
  if (isDefinition(value)) return false;
  return KNOWN_KINDS.has(value.kind) && value.kind !== 'str' && value.kind !== 'range' ? false : undefined;
}

function isInstanceOfLibrary({ torchClass }: Instance, type: string): boolean | undefined {
  if (torchClass === type || (type === 'torch.nn.Module' && torchClass?.startsWith('torch.nn.'))) return true;
  if (torchClass && type.startsWith('torch.nn.')) return related(torchClass, type) ? undefined : false;
  return PYTHON_TYPES[type] !== undefined ? false : undefined;
}

/** `nn.Conv2d` and `nn.modules.conv._ConvNd`, norms and their bases. */
const related = (a: string, b: string): boolean =>
  b.includes('._') || /(_|Base)/.test(b) || a === b || /Norm/.test(a) === /_Norm|_BatchNorm/.test(b);
