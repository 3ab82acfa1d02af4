import {
  expand,
  type Fault,
  indexed,
  isFault,
  type Layout,
  type Result,
  raises,
  type Tensor,
} from '../../tensor/index.ts';
import { NONE, type Value } from '../../values/value.ts';
import { performing, resolvedTensor } from '../call.ts';
import { type Call, type OpContext, since } from '../context.ts';
import { copyInto } from '../families/fills.ts';
import type { OpResult, Outcome, Write } from '../outcome.ts';
import { one, writeRegion } from '../writing.ts';
import { type Address, address } from './address.ts';
import { readKey } from './keys.ts';

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
  const found = addressOf(tensor, key, call);
  if (isFault(found)) return found;
  if (found.indices !== null) return putIndexed(tensor, found, found.indices, value, call);
  const region: Tensor = { ...tensor, id: REGION, layout: found.layout };
  if (value.kind === 'unknown') return one(writeRegion(tensor, found.layout, {}, 'silent', call));
  // A number is written through a 0-dim tensor: only since 2.0 does that look at the overlap of the region.
  if (value.kind !== 'tensor')
    return one(writeRegion(tensor, found.layout, {}, since(call, 2, 0) ? 'unchecked' : 'silent', call));
  const writes = copyInto(region, { ...value, layout: withoutLeadingOnes(value.layout, found.layout) }, call);
  return isFault(writes) ? writes : writes.map((write) => ({ ...write, target: tensor }));
}

/** The view that a key names is a tensor object of its own. */
const REGION = -1;

/** `slicePrefix1sSize`: leading dims of size 1 beyond the rank of the region are dropped. */
function withoutLeadingOnes(value: Layout, region: Layout): Layout {
  let extra = 0;
  while (value.shape.length - extra > region.shape.length && value.shape[extra]?.constant === 1) extra += 1;
  if (extra === 0 || value.front) return value;
  return { ...value, shape: value.shape.slice(extra), stride: value.stride?.slice(extra) ?? null };
}

/** `index_put_`: the dtypes must agree, the value must broadcast to what the key picks, and not overlap the tensor. */
function putIndexed(
  tensor: Tensor,
  { layout }: Address,
  indices: readonly (Layout | null)[],
  value: Value,
  call: Call,
): Result<readonly Write[]> {
  const picked = indexed(layout, indices, call.ask, { demand: call.demand });
  if (isFault(picked)) return picked;
  if (value.kind !== 'tensor') return one(writeRegion(tensor, layout, {}, 'silent', call));
  const differs = dtypeDiffers(tensor, value);
  if (differs !== null) return differs;
  const fits = expand(withoutLeadingOnes(value.layout, picked), picked.shape, call.ask, { demand: call.demand });
  if (isFault(fits)) return fits;
  const clash = writeRegion(tensor, layout, { value }, 'apart', call);
  if (isFault(clash) && clash.fault === 'raises' && clash.cause.is === 'partial-overlap') return clash;
  return one(writeRegion(tensor, layout, {}, 'silent', call));
}

function dtypeDiffers(tensor: Tensor, value: Tensor): Fault | null {
  return tensor.dtype !== null && value.dtype !== null && tensor.dtype !== value.dtype
    ? raises({ is: 'dtype-differs', what: 'value', left: tensor.dtype, right: value.dtype })
    : null;
}

function addressOf(tensor: Tensor, key: Value, call: Call): Result<Address> {
  const parts = readKey(key);
  return isFault(parts) ? parts : address(tensor.layout, parts, call);
}
