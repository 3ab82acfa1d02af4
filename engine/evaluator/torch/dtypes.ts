import type { OpResult } from '../../ops/outcome.ts';
import {
  type Cause,
  type DType,
  isFloat,
  layoutOf,
  type MemoryFormat,
  storageNbytes,
  strideFor,
} from '../../tensor/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import { isSequence } from '../state/heap.ts';
import { currentTensor, heapRead, heapWrite, newStorage, nextId, type Run } from '../state/run.ts';
import { isContainer } from './nn.ts';

/**
 * Whether two floating dtypes that differ on paper may be one when the code runs: autocast casts all but float64, a whole
 * module may have been converted before its method is called, and the default dtype may be another.
 */
export function mayAgree(run: Run, op: string, cause: Cause, inputs: readonly Tensor[]): boolean {
  if (cause.is !== 'dtype-differs' || !isFloat(cause.left) || !isFloat(cause.right)) return false;
  if (run.defaultDType === null) return true;
  const cast = run.autocastOpen || run.autocast.some(({ on }) => on !== false);
  if (cast && cause.left !== 'float64' && cause.right !== 'float64') return true;
  const ofModule =
    op.startsWith('nn.') ||
    inputs.some(({ storage: { origin } }) => origin.is === 'module-parameter' || origin.is === 'buffer');
  return run.selfOpen && ofModule;
}

/** Under autocast a module that is not made of ops picks the dtype of what it makes. */
export function uncertain(result: OpResult): OpResult {
  if (result.is === 'tuple' || result.is === 'list') return { ...result, items: result.items.map(uncertain) };
  const casts = result.is === 'fresh' && result.dtype !== null && isFloat(result.dtype) && result.dtype !== 'float64';
  return casts ? { ...result, dtype: null } : result;
}

const NAMED: Readonly<Record<string, DType>> = {
  half: 'float16',
  float: 'float32',
  double: 'float64',
  bfloat16: 'bfloat16',
};

/** The dtype to which `module.half()` or `module.to(…)` converts; null where it is not known, undefined where there is none. */
export function convertsTo(
  method: string,
  items: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  source: string,
): DType | null | undefined {
  const named = NAMED[method];
  if (named !== undefined) return named;
  if (method !== 'to' && method !== 'type') return undefined;
  const given = [
    ...items,
    ...[...keywords].flatMap(([key, value]) => (key === 'dtype' || key === 'tensor' ? [value] : [])),
  ];
  for (const value of given) {
    if (value.kind === 'dtype') return value.value;
    if (value.kind === 'tensor') return value.dtype;
  }
  const open = given.some(({ kind }) => kind === 'unknown' || kind === 'either');
  // `model.to(device)`
  return open && !/dev|rank|gpu|cuda/i.test(source) ? null : undefined;
}

/** Converts the floating parameters and buffers of a module and its submodules, as `Module._apply` does. */
export const convertModule = (run: Run, ref: number, dtype: DType | null): void =>
  changeModule(run, ref, (value) => converted(run, value, dtype));

/** Brings the parameters and buffers of a rank that the memory format is for into it, as `Module.to` does. */
export const formatModule = (run: Run, ref: number, format: MemoryFormat): void =>
  changeModule(run, ref, (value) => formatted(run, value, format));

/** Puts what `change` makes of them in the place of the values that a module and its submodules hold. */
function changeModule(run: Run, ref: number, change: (value: Value) => Value, seen: Set<number> = new Set()): void {
  if (seen.has(ref)) return;
  seen.add(ref);
  const object = heapRead(run, ref);
  if (object?.object !== 'instance') return;
  for (const [name, value] of object.attributes) {
    const made = change(value);
    const writable = made === value ? undefined : heapWrite(run, ref);
    if (writable?.object === 'instance') writable.attributes.set(name, made);
    if (value.kind !== 'ref') continue;
    if (isContainer(object)) changeChildren(run, value.ref, change, seen);
    changeModule(run, value.ref, change, seen);
  }
}

function changeChildren(run: Run, ref: number, change: (value: Value) => Value, seen: Set<number>): void {
  const held = heapRead(run, ref);
  if (!isSequence(held) && held?.object !== 'dict') return;
  const children = held.object === 'dict' ? [...held.entries.values()].map(({ value }) => value) : held.items;
  for (const child of held.rest === null ? children : [...children, held.rest])
    if (child.kind === 'ref') changeModule(run, child.ref, change, seen);
}

/** The parameter or buffer in its new dtype: other memory, under the same name. */
function converted(run: Run, value: Value, dtype: DType | null): Value {
  if (value.kind !== 'tensor') return value;
  const tensor = currentTensor(run, value);
  const { origin } = tensor.storage;
  if ((origin.is !== 'module-parameter' && origin.is !== 'buffer') || tensor.dtype === dtype) return value;
  if (tensor.dtype !== null && !isFloat(tensor.dtype)) return value;
  return {
    ...tensor,
    id: nextId(run),
    dtype,
    storage: newStorage(run, dtype ? storageNbytes(tensor.layout, dtype) : null, origin),
  };
}

/** The parameter or buffer in its new format: `Module.to` asks tensors of four and five dims only. */
function formatted(run: Run, value: Value, format: MemoryFormat): Value {
  if (value.kind !== 'tensor') return value;
  const tensor = currentTensor(run, value);
  const { origin } = tensor.storage;
  const { shape, front } = tensor.layout;
  if ((origin.is !== 'module-parameter' && origin.is !== 'buffer') || front) return value;
  if (shape.length !== (format === 'channels_last_3d' ? 5 : 4)) return value;
  return {
    ...tensor,
    id: nextId(run),
    layout: layoutOf(shape, strideFor(shape, format)),
    storage: newStorage(run, tensor.storage.nbytes, origin),
  };
}
