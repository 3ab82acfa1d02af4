import { add, floorDiv, int, mul, ONE, type SymInt } from '../../symbols/index.ts';
import { type Fault, type Layout, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { convolution, spread } from '../layouts/convolution.ts';
import { fresh } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { ofRank, oneDType } from '../layouts/product.ts';
import { type Entry, op } from '../op.ts';
import { tensorOrNull } from './products.ts';

type Regions = Tensor | readonly Tensor[];

/** Regions come as (K, 5), each with the index of its image, or as a list with (L, 4) for each image. */
function notRegions(boxes: Regions, call: Call): Fault | null {
  const [layouts, width] = 'kind' in boxes ? [[boxes.layout], 5] : [boxes.map(({ layout }) => layout), 4];
  for (const layout of layouts) {
    const differs =
      ofRank(layout, 2, 'boxes') ??
      (layout.front ? null : agree(layout.shape[1] ?? ONE, int(width), 'dim 1 of boxes', call));
    if (differs !== null) return differs;
  }
  return null;
}

function regionCount(boxes: Regions, { context }: Call): SymInt {
  const layouts = 'kind' in boxes ? [boxes.layout] : boxes.map(({ layout }) => layout);
  return add(...layouts.map(({ shape, front }) => (front ? undefined : shape[0]) ?? context.fresh('regions')));
}

/** Every region becomes an image of `output_size`: contiguous. `ps_` ones take their channels from its positions. */
function pooledRegions(
  input: Layout,
  boxes: Regions,
  size: readonly SymInt[],
  positional: boolean,
  call: Call,
): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  const wrong = ofRank(input, 4, 'input');
  if (wrong !== null) return wrong;
  const [height = ONE, width = ONE] = spread(size, 2);
  const [, channels = ONE] = input.shape;
  const kept = positional ? floorDiv(channels, mul(height, width)) : channels;
  return fresh([regionCount(boxes, call), kept, height, width]);
}

const POOLS: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'roi_align',
    ', sampling_ratio: any = -1, aligned: any = False',
    [
      '(2, 3, 8, 7)  (5, 5)  2',
      '(2, 3, 8, 7)/(168, 1, 21, 3)  (5, 5)  (2, 3)',
      '(2, 3, 8, 7)  {(5, 4) (1, 4)}  2',
      '(2, 3, 8, 7)  (5, 4)  2  !',
      '(2, 3, 8, 7)  {(5, 5)}  2  !',
    ],
  ],
  ['roi_pool', '', ['(2, 3, 8, 7)  (5, 5)  2', '(2, 3, 8, 7)  {(5, 4) (1, 4)}  (2, 3)']],
  ['ps_roi_align', ', sampling_ratio: any = -1', ['(2, 8, 8, 7)  (5, 5)  2']],
  ['ps_roi_pool', '', ['(2, 8, 8, 7)  (5, 5)  2']],
];

const pools = POOLS.map(([name, more, samples]) =>
  op(
    `torchvision.ops.${name}(input: Tensor, boxes: Tensor | Tensor[], output_size: SymInt[2], spatial_scale: any = 1.0${more}) -> Tensor` as 'p(input: Tensor, boxes: Tensor | Tensor[], output_size: SymInt[2]) -> Tensor',
    {
      also: [`torchvision.ops.${name}.${name}`],
      ndim: { input: 4 },
      raises: ({ boxes }, call) => notRegions(boxes, call),
      shape: ({ input, boxes, output_size }, call) =>
        pooledRegions(input.layout, boxes, output_size, name.startsWith('ps_'), call),
      samples,
    },
  ),
);

/** The offsets of every position of the kernel, in y and x, have the sizes of the output. */
function offsetsAgree(
  offset: Layout,
  mask: Value,
  output: Layout,
  kernel: readonly SymInt[],
  call: Call,
): Fault | null {
  const positions = mul(kernel[0] ?? ONE, kernel[1] ?? ONE);
  for (const [layout, what, each] of [
    [offset, 'offset', mul(int(2), positions)],
    [tensorOrNull(mask)?.layout, 'mask', positions],
  ] as const) {
    if (layout === undefined || layout.front) continue;
    const wrong = ofRank(layout, 4, what);
    if (wrong !== null) return wrong;
    const groups = floorDiv(layout.shape[1] ?? ONE, each);
    const expected = [output.shape[0], mul(each, groups), output.shape[2], output.shape[3]];
    for (const [d, size] of expected.entries()) {
      const differs = agree(layout.shape[d] ?? ONE, size ?? ONE, `dim ${d} of ${what}`, call);
      if (differs !== null) return differs;
    }
  }
  return null;
}

export const regions: readonly Entry[] = [
  ...pools,
  op(
    'torchvision.ops.deform_conv2d(input: Tensor, offset: Tensor, weight: Tensor, bias: any = None, stride: SymInt[2] = 1, padding: SymInt[2] = 0, dilation: SymInt[2] = 1, mask: any = None) -> Tensor',
    {
      also: ['torchvision.ops.deform_conv.deform_conv2d'],
      ndim: { input: 4, offset: 4, weight: 4 },
      raises: ({ input, weight }) => ofRank(input.layout, 4, 'input') ?? oneDType('weight', input.dtype, weight.dtype),
      shape: ({ input, offset, weight, stride, padding, dilation, mask }, call) => {
        const groups = groupsOf(input.layout, weight.layout);
        const conv = { spatial: 2, stride, padding, dilation, groups, outputPadding: null, dtype: input.dtype };
        const made = convolution(input.layout, weight.layout, conv, call);
        if ('fault' in made) return made;
        return offsetsAgree(offset.layout, mask, made, weight.layout.shape.slice(2), call) ?? fresh(made.shape);
      },
      samples: [
        '(2, 4, 8, 7)  (2, 18, 6, 5)  (6, 4, 3, 3)',
        '(2, 4, 8, 7)/(224, 1, 28, 4)  (2, 18, 8, 7)  (6, 4, 3, 3)  padding=1',
        '(2, 4, 8, 7)  (2, 36, 6, 5)  (6, 2, 3, 3)  mask=(2, 18, 6, 5)',
        '(2, 4, 8, 7)  (2, 18, 8, 7)  (6, 4, 3, 3)  !',
      ],
    },
  ),
];

/** Groups are what the weight leaves of the channels. */
function groupsOf(input: Layout, weight: Layout): SymInt {
  const [channels, each] = [input.shape[1], weight.shape[1]];
  return channels === undefined || each === undefined ? ONE : floorDiv(channels, each);
}
