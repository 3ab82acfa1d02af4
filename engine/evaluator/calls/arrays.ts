import { DTYPES, type DType } from '../../tensor/dtype.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { intValue, tupleOf, unknown, type Value } from '../../values/value.ts';
import { isSequence } from '../state/heap.ts';
import { objectWith } from '../state/objects.ts';
import { heapRead, newStorage, type Run } from '../state/run.ts';
import { callTorchQuietly, sizeOf } from '../torch/torch.ts';
import { arg, type Builtin } from './builtin-values.ts';
import type { Arguments } from './calls.ts';

/**
 * An array of NumPy is an object that holds the tensor that torch makes of it. Only what makes a whole array is followed: what
 * is done with one by NumPy's own methods, which differ from torch's of the same names, is unknown.
 */
const ELEMENTS = 'elements of the array';

/** Where a function takes the shape, and of which dtype its array is where it is not asked for another. */
interface Maker {
  readonly shape: number | 'all';
  readonly named: 'shape' | 'size';
  readonly dtype: DType;
}

const filled: Maker = { shape: 0, named: 'shape', dtype: 'float64' };
const drawn = (shape: Maker['shape'], dtype: DType = 'float64'): Maker => ({ shape, named: 'size', dtype });

const MAKERS: Readonly<Record<string, Maker>> = {
  zeros: filled,
  ones: filled,
  empty: filled,
  'random.normal': drawn(2),
  'random.uniform': drawn(2),
  'random.randint': drawn(2, 'int64'),
  'random.rand': drawn('all'),
  'random.randn': drawn('all'),
  'random.random': drawn(0),
  'random.standard_normal': drawn(0),
};

export const arrays: Readonly<Record<string, Builtin>> = {
  ...Object.fromEntries(
    Object.entries(MAKERS).map(([name, maker]): [string, Builtin] => [
      `numpy.${name}`,
      (run, _, args) => made(run, args, maker) ?? unknown(`\`numpy.${name}\` is not followed`),
    ]),
  ),
  'numpy.array': (run, _, args) => {
    const data = arg(run, args, 0);
    const object = data.kind === 'ref' ? heapRead(run, data.ref) : undefined;
    const tensor = isSequence(object) && args.items.length === 1 ? callTorchQuietly(run, 'torch.tensor', [data]) : null;
    return tensor?.kind === 'tensor'
      ? arrayOf(run, tensor, dtypeIn(args, tensor.dtype === 'float32' ? 'float64' : tensor.dtype))
      : unknown('`numpy.array` is not followed');
  },
};

function made(run: Run, args: Arguments, { shape, named, dtype }: Maker): Value | null {
  if (args.open || args.rest) return null;
  const sizes =
    shape === 'all'
      ? tupleOf(args.items.map((_, i) => arg(run, args, i)))
      : (args.keywords.get(named) ?? (args.items[shape] ? arg(run, args, shape) : undefined));
  if (sizes === undefined || sizes.kind === 'unknown' || sizes.kind === 'none') return null;
  const tensor = callTorchQuietly(run, 'torch.zeros', [
    sizes.kind === 'int' ? tupleOf([intValue(sizes.value)]) : sizes,
  ]);
  const positional = named === 'shape' && args.items.length > 1;
  return tensor.kind === 'tensor' ? arrayOf(run, tensor, positional ? null : dtypeIn(args, dtype)) : null;
}

const PYTHON_DTYPES: Readonly<Record<string, DType>> = {
  'builtins.float': 'float64',
  'builtins.int': 'int64',
  'builtins.bool': 'bool',
};

function dtypeIn(args: Arguments, fallback: DType | null): DType | null {
  const given = args.keywords.get('dtype');
  if (given === undefined) return fallback;
  if (given.kind !== 'torch') return null;
  return PYTHON_DTYPES[given.name] ?? DTYPES.find((name) => given.name === `numpy.${name}`) ?? null;
}

function arrayOf(run: Run, tensor: Tensor, dtype: DType | null): Value {
  const held: Tensor = { ...tensor, dtype, elements: null, storage: newStorage(run, null, { is: 'unknown' }) };
  return objectWith(
    run,
    new Map<string, Value>([
      [ELEMENTS, held],
      ['shape', sizeOf(held)],
    ]),
  );
}

/** The tensor that torch makes of an array; null where the value is none. */
export function tensorOfArray(run: Run, value: Value | undefined): Tensor | null {
  const object = value?.kind === 'ref' ? heapRead(run, value.ref) : undefined;
  const held = object?.object === 'instance' ? object.attributes.get(ELEMENTS) : undefined;
  return held?.kind === 'tensor' ? held : null;
}
