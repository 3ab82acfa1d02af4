import { ONE, type SymInt } from '../symbols/index.ts';
import { isContiguous, type Layout, type Result, raises, type Tensor, unsure } from '../tensor/index.ts';
import type { Value } from '../values/value.ts';
import type { Call } from './context.ts';
import { fresh as dense, suggested, suggests, unstrided } from './layouts/format.ts';
import type { OpResult } from './outcome.ts';

/**
 * `torchvision.transforms.functional`, and the functions of the same names of its second version, on tensors whose last
 * dims are channels, height and width. What is no tensor is an image of PIL, of which the engine knows nothing.
 */
const [FIRST, SECOND] = ['torchvision.transforms.functional', 'torchvision.transforms.v2.functional'];

/** A signature of the first version, and the name in the second. */
export const ofBoth = <const S extends string>(signature: S) => ({
  signature: `${FIRST}.${signature}` as S,
  also: [`${SECOND}.${signature.slice(0, signature.indexOf('('))}`],
});

export function onTensor(
  image: Value,
  call: Call,
  made: (image: Tensor, call: Call) => Result<OpResult>,
): Result<OpResult> {
  if (image.kind !== 'tensor') return unsure('the image is no tensor, or not known to be one');
  if (image.layout.front) return unsure('the rank of the image is not known');
  const got = image.layout.shape.length;
  return got < 2 ? raises({ is: 'rank-differs', what: 'img', expected: '2 or more', got }) : made(image, call);
}

/** Row-major and channels_last images stay what they are; of other layouts little is known. */
export function kept(layout: Layout, call: Call): Layout {
  if (isContiguous(layout, call.ask) === true) return dense(layout.shape);
  const last = suggests(layout, call.ask) === 'channels_last';
  return last ? suggested(layout, layout.shape, call.ask) : unstrided(layout.shape);
}

/** An image of other sizes in the format of `layout`. */
export function inSizes(layout: Layout, sizes: readonly SymInt[], call: Call): Layout {
  const shape = [...layout.shape.slice(0, -2), ...sizes];
  if (isContiguous(layout, call.ask) === true) return dense(shape);
  return layout.shape.length === 4 ? suggested(layout, shape, call.ask) : unstrided(shape);
}

/** Height and width. */
export const sizesOf = ({ shape }: Layout): readonly [SymInt, SymInt] => [shape.at(-2) ?? ONE, shape.at(-1) ?? ONE];
