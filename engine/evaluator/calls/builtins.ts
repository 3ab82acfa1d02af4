import type { Value } from '../../values/value.ts';
import { once } from '../state/once.ts';
import type { Activation, Run } from '../state/run.ts';
import { callModuleMethod } from '../torch/module-methods.ts';
import { torchReturns } from '../torch/torch-functions.ts';
import { libraryFunctions } from './builtin-libraries.ts';
import { callBaseForward, initBase } from './builtin-objects.ts';
import { NOT_FOLLOWED, pythonFunctions } from './builtin-python.ts';
import type { Builtin } from './builtin-values.ts';
import { opaque } from './builtin-values.ts';
import { type Arguments, NOT_BUILT_IN, type Place } from './calls.ts';
import { callContainer } from './containers.ts';

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

const builtins = once(
  (): ReadonlyMap<string, Builtin> => new Map(Object.entries({ ...pythonFunctions(), ...libraryFunctions() })),
);

/** The names that Python itself gives to every module. */
export const isBuiltin = (name: string): boolean =>
  (!name.includes('.') && builtins().has(name)) || NOT_FOLLOWED.has(name);
