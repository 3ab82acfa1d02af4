import { findModule } from '../../modules/index.ts';
import { findOp } from '../../ops/index.ts';
import { int } from '../../symbols/index.ts';
import { DTYPES, type DType } from '../../tensor/dtype.ts';
import { intValue, NONE, type Value } from '../../values/value.ts';

/** Libraries that are never read as source: the engine models what it knows of them, the rest is unknown. */
const LIBRARIES = new Set([
  'torch',
  'einops',
  'math',
  'numpy',
  'functools',
  'itertools',
  'collections',
  'typing',
  'typing_extensions',
  'copy',
  'operator',
  'os',
  'sys',
  're',
  'abc',
  'dataclasses',
  'enum',
  'logging',
  'warnings',
  'contextlib',
  'time',
  'random',
  'json',
  'pathlib',
  'inspect',
  'types',
  'builtins',
  'jaxtyping',
  'torchtyping',
  'io',
  'pickle',
  'string',
  'tempfile',
  'threading',
  'glob',
  'argparse',
  'datetime',
  'scipy',
  'PIL',
  'safetensors',
  'tracemalloc',
]);

const DTYPE_ALIASES: Readonly<Record<string, DType>> = {
  float: 'float32',
  double: 'float64',
  half: 'float16',
  long: 'int64',
  int: 'int32',
  short: 'int16',
  cfloat: 'complex64',
  cdouble: 'complex128',
  chalf: 'complex32',
};
const MEMORY_FORMATS = ['contiguous_format', 'channels_last', 'channels_last_3d', 'preserve_format'] as const;
const FLOATS: Readonly<Record<string, number>> = {
  pi: Math.PI,
  e: Math.E,
  inf: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
  tau: 2 * Math.PI,
};

/** The value of a library's dotted name, or null where the library is the program's own. */
export const libraryValue = (name: string): Value | null =>
  remembered(values, name, (asked) => libraryEntry(asked, false));

/** The same of a name that some star import may bring in: only of libraries whose names are known. */
export const starredValue = (name: string): Value | null =>
  remembered(starred, name, (asked) => libraryEntry(asked, true));

const values = new Map<string, Value | null>();
const starred = new Map<string, Value | null>();

function remembered(
  known: Map<string, Value | null>,
  name: string,
  find: (name: string) => Value | null,
): Value | null {
  const before = known.get(name);
  if (before !== undefined) return before;
  const found = find(name);
  if (known.size >= MOST_NAMES) known.clear();
  known.set(name, found);
  return found;
}

const MOST_NAMES = 20_000;

function libraryEntry(name: string, onlyKnown: boolean): Value | null {
  const [top, ...path] = name.split('.');
  if (top === 'torchvision') return visionValue(name);
  if (top === undefined || !LIBRARIES.has(top)) return null;
  const last = path.at(-1) ?? top;
  if (onlyKnown && top !== 'torch' && top !== 'typing') return null;
  if (top === 'torch' && path.length === 1) {
    const dtype = DTYPES.find((d) => d === last) ?? DTYPE_ALIASES[last];
    if (dtype) return { kind: 'dtype', value: dtype };
    const format = MEMORY_FORMATS.find((f) => f === last);
    if (format) return { kind: 'memory-format', value: format };
  }
  const number = FLOATS[last];
  if (path.length === 1 && number !== undefined && (top === 'math' || top === 'torch' || top === 'numpy'))
    return { kind: 'float', value: number };
  if (name === 'torch.newaxis' || name === 'numpy.newaxis') return NONE;
  if (name === 'sys.maxsize') return intValue(int(Number.MAX_SAFE_INTEGER));
  if (name === 'typing.TYPE_CHECKING') return { kind: 'bool', value: false };
  return { kind: 'torch', name: canonical(name) };
}

/** Of torchvision the engine knows functions and a few modules. What else it has is read where its source can be had. */
function visionValue(name: string): Value | null {
  const known = name.replace(/^torchvision\.ops\.\w+\.(?=[A-Z])/, 'torchvision.ops.');
  return findOp(known) !== null || findModule(known) !== null ? { kind: 'torch', name: known } : null;
}

/** The namespaces in which it knows something, for where there is no source. */
const NAMESPACES = new Set([
  '',
  '.ops',
  '.transforms',
  '.transforms.functional',
  '.transforms.v2',
  '.transforms.v2.functional',
]);

export const isNamespace = (name: string): boolean =>
  name.startsWith('torchvision') && NAMESPACES.has(name.slice('torchvision'.length));

/** The name under which the engine knows it. */
function canonical(name: string): string {
  if (name.startsWith('torch.nn.modules.')) return `torch.nn.${name.split('.').at(-1)}`;
  if (name.startsWith('torch.nn.parameter.')) return `torch.nn.${name.split('.').at(-1)}`;
  if (name.startsWith('torch._C._nn.')) return `torch.nn.functional.${name.slice('torch._C._nn.'.length)}`;
  if (name === 'torch.functional' || name.startsWith('torch.functional.'))
    return name.replace('torch.functional', 'torch');
  return name;
}
