import { add, always, ceilDiv, floorDiv, int, minimum, mul, ONE, type SymInt, sub, ZERO } from '../../symbols/index.ts';
import { isFault, type Layout, type Result, raises, squeeze, unsqueeze, unsure } from '../../tensor/index.ts';
import { spread } from './convolution.ts';
import { fresh, suggested } from './format.ts';
import type { Inquiry } from './inquiry.ts';
import { outOfBounds } from './windows.ts';

export interface Pooling {
  /** 1, 2 or 3. */
  readonly spatial: number;
  readonly kernel: readonly SymInt[];
  /** Empty: the kernel size. */
  readonly stride: readonly SymInt[];
  readonly padding: readonly SymInt[];
  readonly dilation: readonly SymInt[];
  readonly ceil: boolean;
}

/** `pooling_output_shape` (aten/src/ATen/native/Pool.h): with ceil_mode no window may start beyond the left padding. */
export function pooledSize(
  size: SymInt,
  kernel: SymInt,
  stride: SymInt,
  padding: SymInt,
  dilation: SymInt,
  ceil: boolean,
  inquiry: Inquiry,
): SymInt {
  const slack = sub(sub(add(size, mul(int(2), padding)), mul(dilation, sub(kernel, ONE))), ONE);
  if (!ceil) return add(floorDiv(slack, stride), ONE);
  const rounded = add(floorDiv(sub(add(slack, stride), ONE), stride), ONE);
  const starts = add(padding, stride);
  const reach = add(mul(dilation, sub(kernel, ONE)), int(2));
  if (always('less', starts, reach, inquiry.ask.facts) === true) return rounded;
  return minimum(rounded, ceilDiv(add(size, padding), stride));
}

/** The sizes that a pool leaves of the last `spatial` dims; a window that provably does not fit leaves none. */
export function pooledSizes(sizes: readonly SymInt[], pool: Pooling, inquiry: Inquiry): Result<readonly SymInt[]> {
  const wrong =
    outOfBounds('kernel_size', pool.kernel, pool.spatial, 1) ??
    (pool.stride.length === 0 ? null : outOfBounds('stride', pool.stride, pool.spatial, 1)) ??
    (pool.padding.length === 0 ? null : outOfBounds('padding', pool.padding, pool.spatial, 0)) ??
    (pool.dilation.length === 0 ? null : outOfBounds('dilation', pool.dilation, pool.spatial, 1));
  if (wrong !== null) return wrong;
  const kernel = spread(pool.kernel, pool.spatial);
  const stride = pool.stride.length === 0 ? kernel : spread(pool.stride, pool.spatial);
  const padding = spread(pool.padding, pool.spatial);
  const dilation = spread(pool.dilation, pool.spatial);
  const pooled: SymInt[] = [];
  for (const [d, size] of sizes.entries()) {
    const window = kernel[d] ?? ONE;
    const step = stride[d] ?? ONE;
    const reach = add(mul(dilation[d] ?? ONE, sub(window, ONE)), ONE);
    const pad = padding[d] ?? ZERO;
    if (always('less', reach, mul(int(2), pad), inquiry.ask.facts) === true)
      return raises({
        is: 'argument',
        name: 'padding',
        got: `${pad.constant ?? 'a size'}`,
        expects: `at most half the kernel, ${reach.constant ?? 'a size'}`,
      });
    const out = pooledSize(size, window, step, pad, dilation[d] ?? ONE, pool.ceil, inquiry);
    if (out.constant !== null && out.constant < 1)
      return raises({
        is: 'argument',
        name: 'kernel_size',
        got: `${window.constant}`,
        expects: `at most the input, ${size.constant}`,
      });
    pooled.push(out);
  }
  return pooled;
}

/**
 * How the result of a pool lies: S follows the input's suggestion, C is row-major, `tall` pools rows as a 4-D input and
 * `narrow` columns.
 */
export type PoolLayout = 'S' | 'C' | 'tall' | 'narrow';

/**
 * A pool over the last `spatial` dims to `sizes`. An input without a batch gives a contiguous result; a 1-D pool that
 * runs as a 2-D one follows what its 4-D form suggests.
 */
export function pooled(
  input: Layout,
  spatial: number,
  sizes: readonly SymInt[],
  how: PoolLayout,
  inquiry: Inquiry,
): Result<Layout> {
  const leading = leadingDims(input, spatial);
  if (isFault(leading)) return leading;
  const shape = [...leading, ...sizes];
  if (how === 'C' || leading.length === 1) return fresh(shape);
  if (how === 'S') return suggested(input, shape, inquiry.ask);
  const extra = how === 'tall' ? 2 : 3;
  const plane = unsqueeze(input, extra);
  if (isFault(plane)) return plane;
  const shape2d = how === 'tall' ? [...leading, ONE, ...sizes] : [...shape, ONE];
  return squeeze(suggested(plane, shape2d, inquiry.ask), [extra], inquiry.ask);
}

/** Batch and channels, or channels alone. */
export function leadingDims(input: Layout, spatial: number): Result<readonly SymInt[]> {
  if (input.front) return unsure('the rank of the input is not known');
  const ndim = input.shape.length;
  if (ndim !== spatial + 1 && ndim !== spatial + 2)
    return raises({ is: 'rank-differs', what: 'input', expected: `${spatial + 1} or ${spatial + 2}`, got: ndim });
  return input.shape.slice(0, ndim - spatial);
}
