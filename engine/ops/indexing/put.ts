import { ONE } from '../../symbols/index.ts';
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
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import type { Write } from '../outcome.ts';
import { one, writeRegion } from '../writing.ts';

/**
 * `index_put_`: the dtypes must agree, the value must broadcast to what the key picks, and not overlap the tensor.
 * `layout` is the part of the tensor that the basic parts of the key leave.
 */
export function putIndexed(
  tensor: Tensor,
  layout: Layout,
  indices: readonly (Layout | null)[],
  value: Value,
  call: Call,
): Result<readonly Write[]> {
  const picked = indexed(layout, indices, call.ask, { demand: call.demand });
  if (isFault(picked)) return picked;
  if (value.kind !== 'tensor') return one(writeRegion(tensor, layout, {}, 'silent', call));
  const differs = dtypeDiffers(tensor, value);
  if (differs !== null) return differs;
  const fits = expand(withoutLeadingOnes(value.layout, picked, call), picked.shape, call.ask, { demand: call.demand });
  if (isFault(fits)) return fits;
  const clash = writeRegion(tensor, layout, { value }, 'apart', call);
  if (isFault(clash) && clash.fault === 'raises' && clash.cause.is === 'partial-overlap') return clash;
  return one(writeRegion(tensor, layout, {}, 'silent', call));
}

/** `slicePrefix1sSize`: leading dims of size 1 beyond the rank of the region are dropped. */
export function withoutLeadingOnes(value: Layout, region: Layout, { ask }: Call): Layout {
  let extra = 0;
  while (value.shape.length - extra > region.shape.length && ask.isOne(value.shape[extra] ?? ONE) === true) extra += 1;
  if (extra === 0 || value.front) return value;
  return { ...value, shape: value.shape.slice(extra), stride: value.stride?.slice(extra) ?? null };
}

function dtypeDiffers(tensor: Tensor, value: Tensor): Fault | null {
  return tensor.dtype !== null && value.dtype !== null && tensor.dtype !== value.dtype
    ? raises({ is: 'dtype-differs', what: 'value', left: tensor.dtype, right: value.dtype })
    : null;
}
