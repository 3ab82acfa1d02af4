import { add, always, int, ONE, type SymInt, sub, type Truth, ZERO } from '../../symbols/index.ts';
import { isFault, narrow, preserve, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import { intValue, tupleOf, type Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { inSizes, ofBoth, onTensor, sizesOf } from '../imaging.ts';
import { fresh as dense } from '../layouts/format.ts';
import { type PadMode, pad } from '../layouts/padding.ts';
import { type Entry, either, fresh, op, same, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';

/** Height and width that `[h, w]` asks for; null where one number asks for the smaller edge. */
function wantedSizes(size: Value): readonly SymInt[] | null {
  const items = size.kind === 'tuple' ? size.items : [];
  const sizes = items.flatMap((item) => (item.kind === 'int' ? [item.value] : []));
  return items.length === 2 && sizes.length === 2 ? sizes : null;
}

/** A part of the image, or a new one: only the sizes are known. */
const perhaps = (image: Tensor, sizes: readonly SymInt[]): OpResult =>
  either(image, { ...image.layout, shape: [...image.layout.shape.slice(0, -2), ...sizes], stride: null, offset: null });

const both = (a: Truth, b: Truth): Truth =>
  a === false || b === false ? false : a === undefined || b === undefined ? undefined : true;

/** What is already of that size comes back as it is. */
function resized(image: Tensor, size: Value, call: Call): OpResult {
  const wanted = wantedSizes(size);
  if (wanted === null) {
    const sizes = [call.context.fresh('height'), call.context.fresh('width')];
    return perhaps(image, sizes);
  }
  const [height, width] = sizesOf(image.layout);
  const alike = both(call.ask.equal(height, wanted[0] ?? ONE), call.ask.equal(width, wanted[1] ?? ONE));
  if (alike === true) return same(image);
  const layout = inSizes(image.layout, wanted, call);
  return alike === false ? fresh(layout, image.dtype) : perhaps(image, wanted);
}

interface Window {
  readonly top: SymInt;
  readonly left: SymInt;
  readonly height: SymInt;
  readonly width: SymInt;
}

/** A part of the image is a view; a window that reaches beyond it is padded with zeros. */
function cropped(image: Tensor, { top, left, height, width }: Window, call: Call): Result<OpResult> {
  const { layout, dtype } = image;
  const [tall, wide] = sizesOf(layout);
  const room = [top, left, sub(tall, add(top, height)), sub(wide, add(left, width))];
  const beyond = room.map((space) => always('less', space, ZERO, call.ask.facts));
  if (beyond.includes(true)) return fresh(inSizes(layout, [height, width], call), dtype);
  if (beyond.includes(undefined)) return perhaps(image, [height, width]);
  const rows = narrow(layout, -2, top, height, call.ask);
  if (isFault(rows)) return rows;
  const part = narrow(rows, -1, left, width, call.ask);
  return isFault(part) ? part : viewOf(image, part);
}

/** Half of the room, rounded to even as Python does. */
function middle(room: SymInt): SymInt | null {
  if (room.constant === null) return null;
  const half = Math.floor(room.constant / 2);
  return int(room.constant % 2 !== 0 && half % 2 !== 0 ? half + 1 : half);
}

function centered(image: Tensor, size: Value, call: Call): Result<OpResult> {
  const { layout } = image;
  const items = size.kind === 'tuple' ? size.items : [size];
  const [height = ONE, width = height] = items.map((item) =>
    item.kind === 'int' ? item.value : call.context.fresh('size'),
  );
  const [tall, wide] = sizesOf(layout);
  const [top, left] = [middle(sub(tall, height)), middle(sub(wide, width))];
  if (top !== null && left !== null) return cropped(image, { top, left, height, width }, call);
  const shape = [...layout.shape.slice(0, -2), height, width];
  const fits = [sub(tall, height), sub(wide, width)].map((room) => always('less', room, ZERO, call.ask.facts));
  if (fits.every((less) => less === false)) return viewOf(image, { ...layout, shape, offset: null });
  return perhaps(image, [height, width]);
}

/** The four corners and the middle. */
function corners(image: Tensor, size: Value, call: Call): Result<OpResult> {
  const items = size.kind === 'tuple' ? size.items : [size];
  const [height, width = height] = items.flatMap((item) => (item.kind === 'int' ? [item.value] : []));
  if (!height || !width) return unsure('the size of the crops is not known');
  const [tall, wide] = sizesOf(image.layout);
  const [bottom, right] = [sub(tall, height), sub(wide, width)];
  const crops: OpResult[] = [];
  for (const [top, left] of [
    [ZERO, ZERO],
    [ZERO, right],
    [bottom, ZERO],
    [bottom, right],
  ] as const) {
    const crop = cropped(image, { top, left, height, width }, call);
    if (isFault(crop)) return crop;
    crops.push(crop);
  }
  const center = centered(image, size, call);
  return isFault(center) ? center : { is: 'tuple', items: [...crops, center] };
}

/** One amount for all sides, one for left and right and one for top and bottom, or left, top, right, bottom. */
function amountsOf(padding: Value): readonly SymInt[] | null {
  const items = padding.kind === 'tuple' ? padding.items : [padding];
  const amounts = items.flatMap((item) => (item.kind === 'int' ? [item.value] : []));
  const [left, top = left, right = left, bottom = top] = amounts;
  if (amounts.length !== items.length || !left || !top || !right || !bottom) return null;
  return [left, right, top, bottom];
}

const PAD_MODES: ReadonlyMap<string, PadMode> = new Map([
  ['constant', 'constant'],
  ['edge', 'replicate'],
  ['reflect', 'reflect'],
]);

/** Where no zeros are put, an image without a batch goes through as a batch of one. */
function padded(image: Tensor, padding: Value, mode: string, call: Call): Result<OpResult> {
  const amounts = amountsOf(padding);
  const how = PAD_MODES.get(mode);
  if (amounts === null || how === undefined) return unsure('how the image is padded is not known');
  const lone = how !== 'constant' && image.layout.shape.length === 3;
  const layout = pad(lone ? dense([ONE, ...image.layout.shape]) : image.layout, amounts, how, call);
  if (isFault(layout)) return layout;
  return fresh(lone ? dense(layout.shape.slice(1)) : layout, image.dtype);
}

const IMAGE = '(2, 3, 8, 7)';
const LAST = '(2, 3, 8, 7)/(168, 1, 21, 3)';
const LONE = '(3, 8, 7)';

const flips = ['hflip', 'vflip'].map((name) => {
  const { signature, also } = ofBoth(`${name}(img: any) -> any` as 'f(img: any) -> any');
  return op(signature, {
    also: [
      ...also,
      ...also.map((other) => other.replace('hflip', 'horizontal_flip').replace('vflip', 'vertical_flip')),
    ],
    maybe: ({ img }, call) =>
      onTensor(img, call, (image) => {
        const layout = preserve(image.layout, call.ask);
        return isFault(layout) ? layout : fresh(layout, image.dtype);
      }),
    samples: [IMAGE, LAST, LONE],
  });
});

/** What is asked of an image: the functions and the sizes that they tell, counted from the end. */
const sizes = (
  [
    ['get_dimensions', [-3, -2, -1]],
    ['get_image_size', [-1, -2]],
    ['get_image_num_channels', [-3]],
  ] as const
).map(([name, dims]) => {
  const { signature, also } = ofBoth(`${name}(img: any) -> any` as 'f(img: any) -> any');
  return op(signature, {
    also,
    maybe: ({ img }, call) =>
      onTensor(img, call, ({ layout }) => {
        const told = dims.map((dim) => intValue(layout.shape.at(dim) ?? ONE));
        const [only] = told;
        return { is: 'value', value: only !== undefined && told.length === 1 ? only : tupleOf(told) };
      }),
    samples: [IMAGE, LONE],
  });
});

const resize = ofBoth(
  'resize(img: any, size: any, interpolation: any = None, max_size: any = None, antialias: any = True) -> any',
);
const crop = ofBoth('crop(img: any, top: SymInt, left: SymInt, height: SymInt, width: SymInt) -> any');
const resizedCrop = ofBoth(
  'resized_crop(img: any, top: SymInt, left: SymInt, height: SymInt, width: SymInt, size: any, interpolation: any = None, antialias: any = True) -> any',
);
const centerCrop = ofBoth('center_crop(img: any, output_size: any) -> any');
const fiveCrop = ofBoth('five_crop(img: any, size: any) -> any');
const padding = ofBoth("pad(img: any, padding: any, fill: any = 0, padding_mode: str = 'constant') -> any");

/** Where the image is cut, moved or made larger. */
export const images: readonly Entry[] = [
  ...flips,
  ...sizes,
  op(resize.signature, {
    also: resize.also,
    maybe: ({ img, size }, call) => onTensor(img, call, (image) => resized(image, size, call)),
    samples: [`${IMAGE}  [4, 5]`, `${LAST}  [4, 5]`, `${LONE}  [4, 5]`, `${IMAGE}  [8, 7]`, `${IMAGE}:uint8  [4, 5]`],
  }),
  op(crop.signature, {
    also: crop.also,
    maybe: ({ img, ...window }, call) => onTensor(img, call, (image) => cropped(image, window, call)),
    samples: [`${IMAGE}  1  2  3  4`, `${LAST}  1  2  3  4`, `${IMAGE}  -1  2  12  4`, `${LONE}  0  0  8  8`],
  }),
  op(resizedCrop.signature, {
    also: resizedCrop.also,
    maybe: ({ img, size }, call) =>
      onTensor(img, call, (image) => {
        const wanted = wantedSizes(size) ?? [call.context.fresh('height'), call.context.fresh('width')];
        return perhaps(image, wanted);
      }),
    samples: [],
  }),
  op(centerCrop.signature, {
    also: centerCrop.also,
    maybe: ({ img, output_size }, call) => onTensor(img, call, (image) => centered(image, output_size, call)),
    samples: [`${IMAGE}  [4, 5]`, `${LAST}  4`, `${IMAGE}  [5, 4]`, `${LONE}  [3, 2]`, `${IMAGE}  [10, 9]`],
  }),
  op(fiveCrop.signature, {
    also: fiveCrop.also,
    maybe: ({ img, size }, call) => onTensor(img, call, (image) => corners(image, size, call)),
    samples: [`${IMAGE}  [4, 4]`, `${LAST}  4`],
  }),
  op(padding.signature, {
    also: padding.also,
    maybe: ({ img, padding, padding_mode }, call) =>
      onTensor(img, call, (image) => padded(image, padding, padding_mode, call)),
    samples: [
      `${IMAGE}  [1]`,
      `${LAST}  [1, 2]`,
      `${IMAGE}  [1, 2, 3, 4]`,
      `${IMAGE}  1  padding_mode='reflect'`,
      `${LONE}  2  padding_mode='edge'`,
    ],
  }),
];
