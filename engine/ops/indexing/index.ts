import { ONE } from '../../symbols/index.ts';
import {
  type Fault,
  indexed,
  isComplex,
  isFault,
  type Layout,
  pairOverlap,
  type Result,
  raises,
  type Tensor,
} from '../../tensor/index.ts';
import { NONE, type Value } from '../../values/value.ts';
import { performing, resolvedTensor } from '../call.ts';
import { overflowsFilled } from '../constants.ts';
import { type Call, type OpContext, since } from '../context.ts';
import { copyInto } from '../families/fills.ts';
import type { OpResult, Outcome, Write } from '../outcome.ts';
import { one, writeRegion } from '../writing.ts';
import { type Address, address } from './address.ts';
import { readKey } from './keys.ts';
import { putIndexed, valueOver } from './put.ts';

/** `tensor[key]`: a view where the key holds no index tensor. A key that is a list comes as a tuple of that one part. */
export function getItem(tensor: Tensor, key: Value, context: OpContext): Outcome {
  return performing(context, (call) => ({ result: itemOf(resolvedTensor(tensor, context), key, call), writes: [] }));
}

function itemOf(tensor: Tensor, key: Value, call: Call): Result<OpResult> {
  const found = addressOf(tensor, key, call);
  if (isFault(found)) return found;
  if (found.indices === null) return { is: 'view', of: tensor, layout: found.layout, dtype: tensor.dtype };
  const layout = indexed(found.layout, found.indices, call.ask, { demand: call.demand });
  return isFault(layout) ? layout : { is: 'fresh', layout, dtype: tensor.dtype };
}

/** `tensor[key] = value` */
export function setItem(tensor: Tensor, key: Value, value: Value, context: OpContext): Outcome {
  return performing(context, (call) => {
    const writes = stored(resolvedTensor(tensor, context), key, value, call);
    return isFault(writes) ? { result: writes, writes: [] } : { result: { is: 'value', value: NONE }, writes };
  });
}

function stored(tensor: Tensor, key: Value, value: Value, call: Call): Result<readonly Write[]> {
  // `THPVariable_setitem`: False alone writes nothing and looks at nothing, True alone is a dim more.
  const [only, ...more] = key.kind === 'tuple' ? [] : [key];
  if (only?.kind === 'bool' && more.length === 0) {
    if (!only.value) return [];
    return stored(tensor, NONE, value, call);
  }
  const found = addressOf(tensor, key, call);
  if (isFault(found)) return found;
  if (value.kind === 'complex' && tensor.dtype !== null && tensor.dtype !== 'bool' && !isComplex(tensor.dtype))
    return raises({ is: 'cannot-cast', from: 'complex64', to: tensor.dtype });
  const unheld = overflowsFilled('value', value, tensor.dtype, ONE, call);
  if (unheld !== null) return unheld;
  if (found.indices !== null && fillsMask(key, value, call))
    return one(writeRegion(tensor, found.layout, {}, 'silent', call));
  if (found.indices !== null)
    return indexClash(tensor, key, value, call) ?? putIndexed(tensor, found.layout, found.indices, value, call);
  const region: Tensor = { ...tensor, id: REGION, layout: found.layout };
  if (value.kind === 'unknown') return one(writeRegion(tensor, found.layout, {}, 'silent', call));
  if (value.kind === 'tuple')
    return raises({ is: 'argument', name: 'value', got: 'a sequence', expects: 'a number or a tensor' });
  // A number is written through a 0-dim tensor: only since 2.0 does that look at the overlap of the region.
  if (value.kind !== 'tensor')
    return one(writeRegion(tensor, found.layout, {}, since(call, 2, 0) ? 'unchecked' : 'silent', call));
  // `copy_to` (torch/csrc/autograd/python_variable_indexing.cpp): what is 0-dim is filled in, from a copy if need be.
  if (isScalar(value.layout) && !isScalar(found.layout))
    return one(writeRegion(tensor, found.layout, {}, 'unchecked', call));
  // The value is expanded to the region before it is copied, which does nothing where both are the same memory.
  const wide = valueOver(found.layout, value, call);
  if (isFault(wide)) return wide;
  const writes = copyInto(region, { ...value, layout: wide }, call);
  return isFault(writes) ? writes : writes.map((write) => ({ ...write, target: tensor }));
}

const isScalar = ({ shape, front }: Layout): boolean => shape.length === 0 && !front;

/** `canDispatchToMaskedFill`: one number for the elements of a mask is filled in, whatever its dtype. */
function fillsMask(key: Value, value: Value, call: Call): boolean {
  if (value.kind !== 'tensor' || value.layout.front || !value.layout.shape.every(({ constant }) => constant === 1))
    return false;
  const parts = readKey(key, call);
  if (isFault(parts)) return false;
  return (
    parts.filter(({ is }) => is === 'mask').length === 1 && !parts.some(({ is }) => is === 'index' || is === 'flag')
  );
}

/** `index_put_` asserts that it does not write its own indices; a number for a mask is filled in, which reads it first. */
function indexClash(tensor: Tensor, key: Value, value: Value, { ask }: Call): Fault | null {
  for (const part of key.kind === 'tuple' ? key.items : [key]) {
    if (part.kind !== 'tensor' || part.storage.id !== tensor.storage.id) continue;
    const mayFill = value.kind !== 'tensor' && (part.dtype === null || part.dtype === 'bool' || part.dtype === 'uint8');
    const overlap = mayFill ? undefined : pairOverlap(tensor, part, ask);
    if (overlap === 'full' || overlap === 'partial') return raises({ is: 'partial-overlap', input: 'the index' });
  }
  return null;
}

/** The view that a key names is a tensor object of its own. */
const REGION = -1;

function addressOf(tensor: Tensor, key: Value, call: Call): Result<Address> {
  const parts = readKey(isNoMask(tensor.layout, key) ? { ...key, dtype: 'int64' } : key, call);
  return isFault(parts) ? parts : address(tensor.layout, parts, call);
}

/** A tensor of unknown dtype whose sizes are not those of the dims that it would mask holds indices. */
function isNoMask({ shape, front }: Layout, key: Value): key is Tensor {
  if (key.kind !== 'tensor' || key.dtype !== null || front || key.layout.front) return false;
  return key.layout.shape.some((size, d) => {
    const own = shape[d];
    return own === undefined || (own.constant !== null && size.constant !== null && own.constant !== size.constant);
  });
}
