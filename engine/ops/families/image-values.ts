import { ONE } from '../../symbols/index.ts';
import {
  type DType,
  expand,
  isFault,
  isFloat,
  preserve,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { kept, ofBoth, onTensor, sizesOf } from '../imaging.ts';
import { common, fresh as dense, unstrided } from '../layouts/format.ts';
import { type Entry, either, fresh, op, same } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { one, writeAll } from '../writing.ts';
import { truthOf } from './dropouts.ts';

type OfImage = 'f(img: any) -> any';

const IMAGE = '(2, 3, 8, 7)';
const LAST = '(2, 3, 8, 7)/(168, 1, 21, 3)';
const LONE = '(3, 8, 7)';

/** Values change, sizes do not: name, further parameters, arguments of a sample. */
const VALUES: readonly (readonly [string, string, string])[] = [
  ['adjust_brightness', ', brightness_factor: any', '  1.5'],
  ['adjust_contrast', ', contrast_factor: any', '  1.5'],
  ['adjust_saturation', ', saturation_factor: any', '  1.5'],
  ['adjust_gamma', ', gamma: any, gain: any = 1', '  2.0'],
  ['adjust_sharpness', ', sharpness_factor: any', '  2.0'],
  ['gaussian_blur', ', kernel_size: any, sigma: any = None', '  [3, 3]'],
  ['solarize', ', threshold: any', '  0.5'],
  ['invert', '', ''],
  ['autocontrast', '', ''],
];

const values = VALUES.map(([name, more, sample]) => {
  const { signature, also } = ofBoth(`${name}(img: any${more}) -> any` as OfImage);
  return op(signature, {
    also,
    maybe: ({ img }, call) => onTensor(img, call, (image) => fresh(kept(image.layout, call), image.dtype)),
    samples: [IMAGE, LAST, LONE].map((image) => `${image}${sample}`),
  });
});

/** Read through a grid: contiguous, of the same size unless the image may grow. */
const GRIDS: readonly (readonly [string, string, string])[] = [
  [
    'affine',
    'angle: any, translate: any, scale: any, shear: any, interpolation: any = None, fill: any = None, center: any = None',
    '10.0  [1, 1]  1.0  [0.0, 0.0]',
  ],
  [
    'perspective',
    'startpoints: any, endpoints: any, interpolation: any = None, fill: any = None',
    '[[0, 0], [6, 0], [6, 6], [0, 6]]  [[0, 0], [6, 0], [6, 6], [0, 6]]',
  ],
];

const grids = GRIDS.map(([name, more, sample]) => {
  const { signature, also } = ofBoth(`${name}(img: any, ${more}) -> any` as OfImage);
  return op(signature, {
    also,
    maybe: ({ img }, call) => onTensor(img, call, ({ layout, dtype }) => fresh(dense(layout.shape), dtype)),
    samples: [IMAGE, LAST, LONE].map((image) => `${image}  ${sample}`),
  });
});

/** The corners stick out where the image does not grow with them. */
function rotated({ layout, dtype }: Tensor, expands: Value, call: Call): OpResult {
  const grown = [call.context.fresh('height'), call.context.fresh('width')];
  const sizes = truthOf(expands) === false ? sizesOf(layout) : grown;
  return fresh(dense([...layout.shape.slice(0, -2), ...sizes]), dtype);
}

/** Luminance has one channel; where more are asked for, they are one in memory. */
function gray({ layout, dtype }: Tensor, channels: Value, call: Call): Result<OpResult> {
  if (channels.kind !== 'int') return unsure('the number of channels is not known');
  const { shape } = layout;
  const [before, sizes] = [shape.slice(0, -3), shape.slice(-2)];
  const single = [...before, ONE, ...sizes];
  const luminance = kept(layout, call).stride === null ? unstrided(single) : dense(single);
  if (channels.value.constant === 1) return fresh(luminance, dtype);
  const wide = expand(luminance, [...before, channels.value, ...sizes], call.ask);
  return isFault(wide) ? wide : fresh(wide, dtype);
}

function normalized(image: Tensor, inplace: Value, call: Call): Result<OpResult> {
  const got = image.layout.shape.length;
  if (got < 3) return raises({ is: 'rank-differs', what: 'tensor', expected: '3 or more', got });
  if (image.dtype !== null && !isFloat(image.dtype))
    return raises({ is: 'argument', name: 'tensor', got: image.dtype, expects: 'a floating point dtype' });
  const writes = truthOf(inplace);
  if (writes === true) return same(image);
  const layout = preserve(image.layout, call.ask);
  if (isFault(layout)) return layout;
  return writes === false ? fresh(layout, image.dtype) : either(image, common(image.layout, layout));
}

/** An image that has the dtype already comes back as it is. */
function converted(image: Tensor, dtype: DType | null, call: Call): OpResult {
  if (dtype !== null && image.dtype === dtype) return same(image);
  const layout = kept(image.layout, call);
  return dtype === null || image.dtype === null
    ? either(image, common(image.layout, layout), dtype)
    : fresh(layout, dtype);
}

const rotate = ofBoth(
  'rotate(img: any, angle: any, interpolation: any = None, expand: any = False, center: any = None, fill: any = None) -> any',
);
const grayscale = ofBoth('rgb_to_grayscale(img: any, num_output_channels: any = 1) -> any');
const hue = ofBoth('adjust_hue(img: any, hue_factor: any) -> any');
const normalize = ofBoth('normalize(tensor: any, mean: any, std: any, inplace: any = False) -> any');
const convert = ofBoth('convert_image_dtype(image: any, dtype: ScalarType = torch.float32) -> any');
const erase = ofBoth('erase(img: any, i: any, j: any, h: any, w: any, v: any, inplace: any = False) -> any');

/** What is made of an image of PIL, or becomes one. */
const foreign = ['to_tensor', 'pil_to_tensor', 'to_pil_image'].map((name) => {
  const { signature, also } = ofBoth(
    `${name}(pic: any${name === 'to_pil_image' ? ', mode: any = None' : ''}) -> any` as 'f(pic: any) -> any',
  );
  return op(signature, {
    also,
    maybe: ({ pic }) =>
      pic.kind === 'tensor' && name !== 'to_pil_image'
        ? raises({ is: 'argument', name: 'pic', got: 'a tensor', expects: 'an image of PIL' })
        : unsure('images of PIL are not followed'),
    samples: name === 'to_pil_image' ? [] : [`${LONE}  !`],
  });
});

/** Where the values of an image change. */
export const imageValues: readonly Entry[] = [
  ...values,
  ...grids,
  ...foreign,
  op(rotate.signature, {
    also: rotate.also,
    maybe: ({ img, expand: expands }, call) => onTensor(img, call, (image) => rotated(image, expands, call)),
    samples: [`${IMAGE}  30.0`, `${LAST}  30.0`, `${LONE}  30.0  expand=True`],
  }),
  op(grayscale.signature, {
    also: grayscale.also,
    maybe: ({ img, num_output_channels }, call) =>
      onTensor(img, call, (image) => gray(image, num_output_channels, call)),
    samples: [IMAGE, `${LAST}  3`, LONE],
  }),
  /** The two versions stack the channels in different ways. */
  op(hue.signature, {
    also: hue.also,
    maybe: ({ img }, call) => onTensor(img, call, ({ layout, dtype }) => fresh(unstrided(layout.shape), dtype)),
    samples: [`${IMAGE}  0.2`],
  }),
  op(normalize.signature, {
    also: normalize.also,
    maybe: ({ tensor, inplace }, call) => onTensor(tensor, call, (image) => normalized(image, inplace, call)),
    writes: ({ tensor, inplace }, call) =>
      tensor.kind === 'tensor' && truthOf(inplace) === true ? one(writeAll(tensor, {}, 'elementwise', call)) : [],
    samples: [
      `${IMAGE}  [0.5]  [0.5]`,
      `${LAST}  [0.5, 0.5, 0.5]  [0.5, 0.5, 0.5]`,
      `${LONE}  [0.5]  [0.5]  inplace=True`,
      `${LONE}:uint8  [0.5]  [0.5]  !`,
    ],
  }),
  op(convert.signature, {
    also: [...convert.also, 'torchvision.transforms.v2.functional.to_dtype'],
    maybe: ({ image, dtype }, call) =>
      onTensor(image, call, (tensor) => converted(tensor, typeof dtype === 'string' ? dtype : null, call)),
    samples: [IMAGE, `${IMAGE}:uint8`, `${LAST}  torch.uint8`],
  }),
  op(erase.signature, {
    also: erase.also,
    maybe: ({ img, inplace }, call) =>
      onTensor(img, call, (image) => {
        const layout = preserve(image.layout, call.ask);
        const writes = truthOf(inplace);
        if (writes === true) return same(image);
        if (isFault(layout)) return layout;
        return writes === false ? fresh(layout, image.dtype) : either(image, common(image.layout, layout));
      }),
    writes: ({ img, inplace }, call) =>
      img.kind === 'tensor' && truthOf(inplace) === true ? one(writeAll(img, {}, 'elementwise', call)) : [],
    samples: [],
  }),
];
