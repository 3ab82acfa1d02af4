import type { SymInt } from '../../symbols/index.ts';
import {
  expand,
  type Fault,
  indexed,
  isFault,
  type Layout,
  type Result,
  raises,
  type Tensor,
  unsure,
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
  const given = withoutLeadingOnes(value, call);
  const fits = fitted(given.layout, picked.shape, call);
  if (isFault(fits)) return fits;
  const clash = writeRegion(tensor, layout, { value: given }, 'apart', call);
  if (isFault(clash) && clash.fault === 'raises' && clash.cause.is === 'partial-overlap') return clash;
  return one(writeRegion(tensor, layout, {}, 'silent', call));
}

/** A value of the very sizes of the region stays as it is, every other is expanded to them. */
export function valueOver({ shape, front }: Layout, value: Tensor, call: Call): Result<Layout> {
  const { layout } = value;
  if (front || layout.front) return layout;
  if (layout.shape.length === shape.length && layout.shape.every((size, d) => size.key === shape[d]?.key))
    return layout;
  return fitted(withoutLeadingOnes(value, call).layout, shape, call);
}

/** Further dims in front may still turn out to have size 1. */
function fitted(value: Layout, shape: readonly SymInt[], call: Call): Result<Layout> {
  const further = value.shape.slice(0, Math.max(0, value.shape.length - shape.length));
  if (further.length > 0 && further.every((size) => call.ask.isOne(size) !== false))
    return unsure('whether the leading dims have size 1 is not known');
  return expand(value, shape, call.ask, { demand: call.demand });
}

/** `slicePrefix1sSize`: the value is seen without its leading dims of size 1, which makes another tensor of it. */
function withoutLeadingOnes(value: Tensor, { ask }: Call): Tensor {
  const { shape, stride, front } = value.layout;
  const first = shape.findIndex((size) => ask.isOne(size) !== true);
  const extra = first < 0 ? shape.length : first;
  if (extra === 0 || front) return value;
  return {
    ...value,
    id: WITHOUT,
    layout: { ...value.layout, shape: shape.slice(extra), stride: stride?.slice(extra) ?? null },
  };
}

const WITHOUT = -2;

function dtypeDiffers(tensor: Tensor, value: Tensor): Fault | null {
  return tensor.dtype !== null && value.dtype !== null && tensor.dtype !== value.dtype
    ? raises({ is: 'dtype-differs', what: 'value', left: tensor.dtype, right: value.dtype })
    : null;
}
