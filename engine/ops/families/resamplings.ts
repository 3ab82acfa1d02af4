import {
  add,
  always,
  divideExactly,
  floorDiv,
  int,
  mod,
  mul,
  ONE,
  product,
  type SymInt,
  sub,
  ZERO,
} from '../../symbols/index.ts';
import {
  type Fault,
  isFault,
  type Layout,
  preserve,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { spread } from '../layouts/convolution.ts';
import { fresh, suggested } from '../layouts/format.ts';
import { agree, isEmpty } from '../layouts/inquiry.ts';
import { ofRank } from '../layouts/product.ts';
import { type Entry, fresh as made, op, viewOf } from '../op.ts';
import type { OpResult } from '../outcome.ts';

/** The sizes after interpolation: those asked for, or `floor(size * scale)`. */
function interpolatedSizes(sizes: readonly SymInt[], size: Value, scale: Value, call: Call): readonly SymInt[] {
  const given = size.kind === 'none' ? scale : size;
  return sizes.map((length, d) => {
    const items = given.kind === 'tuple' ? given.items : [given];
    const item = items.length === 1 ? items[0] : items[d];
    if (size.kind !== 'none') return item?.kind === 'int' ? item.value : call.context.fresh('size');
    return scaled(length, item, call);
  });
}

/** `floor(size * factor)`: exact for whole factors, and for halves, quarters and the like. */
function scaled(length: SymInt, factor: Value | undefined, call: Call): SymInt {
  if (factor?.kind === 'int') return mul(length, factor.value);
  if (factor?.kind !== 'float' || factor.value === null || factor.value <= 0) return call.context.fresh('size');
  if (length.constant !== null) return int(Math.floor(length.constant * factor.value));
  for (const part of [1, 2, 4, 8, 16, 32, 64])
    if (Number.isInteger(factor.value * part)) return floorDiv(mul(length, int(factor.value * part)), int(part));
  return call.context.fresh('size');
}

function interpolated(input: Layout, size: Value, scale: Value, mode: string, call: Call): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  if (input.shape.length < 3 || input.shape.length > 5)
    return raises({ is: 'rank-differs', what: 'input', expected: '3, 4 or 5', got: input.shape.length });
  if (size.kind === 'none' && scale.kind === 'none')
    return raises({ is: 'argument', name: 'size', got: 'None', expects: 'either size or scale_factor' });
  const spatial = interpolatedSizes(input.shape.slice(2), size, scale, call);
  const shape = [...input.shape.slice(0, 2), ...spatial];
  // `area` is an adaptive average pool, which is contiguous in 3-D.
  const rowMajor = (mode === 'area' && input.shape.length === 5) || (mode === 'bicubic' && !since(call, 2, 6));
  return rowMajor ? fresh(shape) : suggested(input, shape, call.ask);
}

/** The ranks that the modes other than nearest and area are for. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ['linear', 3],
  ['bilinear', 4],
  ['bicubic', 4],
  ['trilinear', 5],
]);

/** What `F.interpolate` looks at first (torch/nn/functional.py, 2.13). */
function notInterpolated(input: Layout, mode: string, size: Value, scale: Value, corners: Value): Fault | null {
  const rank = RANKS.get(mode);
  if (rank === undefined && corners.kind !== 'none' && corners.kind !== 'unknown')
    return raises({ is: 'argument', name: 'align_corners', got: 'a value', expects: `None with mode='${mode}'` });
  if ([size, scale].every(({ kind }) => kind !== 'none' && kind !== 'unknown'))
    return raises({ is: 'argument', name: 'scale_factor', got: 'a value', expects: 'None where a size is given' });
  return rank === undefined ? null : ofRank(input, rank, 'input');
}

/** `check_grid_sampler_common`: a place in the input for every place of the result. */
function notAGrid(input: Layout, grid: Layout, call: Call): Fault | null {
  if (input.front || grid.front) return null;
  if (input.shape.length !== 4 && input.shape.length !== 5)
    return raises({ is: 'rank-differs', what: 'input', expected: '4 or 5', got: input.shape.length });
  return (
    ofRank(grid, input.shape.length, 'grid') ??
    agree(input.shape[0] ?? ONE, grid.shape[0] ?? ONE, 'dim 0 of grid', call) ??
    agree(grid.shape.at(-1) ?? ONE, int(input.shape.length - 2), 'the last dim of grid', call)
  );
}

const atLeast = (layout: Layout, ndim: number): Fault | null =>
  layout.shape.length >= ndim
    ? null
    : raises({ is: 'rank-differs', what: 'input', expected: `${ndim} or more`, got: layout.shape.length });

function quotient(size: SymInt, by: SymInt, name: string, call: Call): Result<SymInt> {
  if (always('equal', mod(size, by), ZERO, call.ask.facts) === false)
    return raises({ is: 'argument', name, got: `a size of ${size.constant}`, expects: `a multiple of ${by.constant}` });
  return divideExactly(size, by, call.ask.facts) ?? floorDiv(size, by);
}

function shuffled(input: Layout, factor: SymInt, call: Call): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  const wrong = atLeast(input, 3);
  if (wrong !== null) return wrong;
  const [channels = ONE, height = ONE, width = ONE] = input.shape.slice(-3);
  const out = quotient(channels, mul(factor, factor), 'upscale_factor', call);
  if (isFault(out)) return out;
  return suggested(input, [...input.shape.slice(0, -3), out, mul(height, factor), mul(width, factor)], call.ask);
}

/** Without elements it is a clone, of the sizes that went in. */
function unshuffled(input: Layout, factor: SymInt, call: Call): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  const wrong = atLeast(input, 3);
  if (wrong !== null) return wrong;
  const [channels = ONE, height = ONE, width = ONE] = input.shape.slice(-3);
  const tall = quotient(height, factor, 'downscale_factor', call);
  if (isFault(tall)) return tall;
  const wide = quotient(width, factor, 'downscale_factor', call);
  if (isFault(wide)) return wide;
  if (input.shape.some((size) => isEmpty(size, call))) return preserve(input, call.ask);
  // Without elements it stays as it is, whatever the factor.
  call.ask.leaveOut({ relation: 'equal', left: product(input.shape), right: ZERO });
  return suggested(input, [...input.shape.slice(0, -3), mul(channels, factor, factor), tall, wide], call.ask);
}

const positions = (size: SymInt, kernel: SymInt, dilation: SymInt, padding: SymInt, stride: SymInt): SymInt =>
  add(floorDiv(sub(sub(add(size, mul(int(2), padding)), mul(dilation, sub(kernel, ONE))), ONE), stride), ONE);

interface Blocks {
  readonly kernel_size: readonly SymInt[];
  readonly dilation: readonly SymInt[];
  readonly padding: readonly SymInt[];
  readonly stride: readonly SymInt[];
}

function blockCount(sizes: readonly SymInt[], { kernel_size, dilation, padding, stride }: Blocks): SymInt {
  const [k, d, p, s] = [kernel_size, dilation, padding, stride].map((values) => spread(values, 2));
  return product(sizes.map((size, i) => positions(size, k?.[i] ?? ONE, d?.[i] ?? ONE, p?.[i] ?? ZERO, s?.[i] ?? ONE)));
}

/** Blocks of a (N, C, H, W) or (C, H, W) input as columns: contiguous. */
function unfolded(input: Layout, blocks: Blocks): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  const wrong = input.shape.length === 3 ? null : ofRank(input, 4, 'input');
  if (wrong !== null) return wrong;
  const batch = input.shape.slice(0, -3);
  const [channels = ONE, ...sizes] = input.shape.slice(-3);
  const count = blockCount(sizes, blocks);
  if (count.constant !== null && count.constant < 1)
    return raises({
      is: 'argument',
      name: 'kernel_size',
      got: 'a larger one',
      expects: 'blocks no larger than the input',
    });
  return fresh([...batch, mul(channels, product([...spread(blocks.kernel_size, 2)])), count]);
}

function folded(input: Layout, outputSize: readonly SymInt[], blocks: Blocks, call: Call): Result<Layout> {
  if (input.front) return unsure('the rank of the input is not known');
  const wrong = input.shape.length === 2 ? null : ofRank(input, 3, 'input');
  if (wrong !== null) return wrong;
  const channels = quotient(
    input.shape.at(-2) ?? ONE,
    product([...spread(blocks.kernel_size, 2)]),
    'kernel_size',
    call,
  );
  if (isFault(channels)) return channels;
  const count = blockCount(spread(outputSize, 2), blocks);
  const differs = agree(input.shape.at(-1) ?? ONE, count, `dim ${input.shape.length - 1} of input`, call);
  if (differs !== null) return differs;
  return fresh([...input.shape.slice(0, -2), channels, ...spread(outputSize, 2)]);
}

function sampled(input: Layout, grid: Layout): Result<Layout> {
  if (input.front || grid.front) return unsure('the rank of the input is not known');
  return fresh([...input.shape.slice(0, 2), ...grid.shape.slice(1, -1)]);
}

/** Without elements it is an alias. */
function channelShuffled(self: Tensor, groups: Value, call: Call): Result<OpResult> {
  const input = self.layout;
  if (input.front) return unsure('the rank of the input is not known');
  const wrong = atLeast(input, 3);
  if (wrong !== null) return wrong;
  const shared = groups.kind === 'int' ? quotient(input.shape[1] ?? ONE, groups.value, 'groups', call) : ONE;
  if (isFault(shared)) return shared;
  return input.shape.some((size) => isEmpty(size, call))
    ? viewOf(self, input)
    : made(suggested(input, input.shape, call.ask), self.dtype);
}

export const resamplings: readonly Entry[] = [
  op(
    "F.interpolate(input: Tensor, size: any = None, scale_factor: any = None, mode: str = 'nearest', align_corners: any = None, recompute_scale_factor: any = None, antialias: any = False) -> Tensor",
    {
      also: ['F.upsample'],
      raises: ({ input, size, scale_factor, mode, align_corners }) =>
        notInterpolated(input.layout, mode, size, scale_factor, align_corners),
      shape: ({ input, size, scale_factor, mode }, call) => interpolated(input.layout, size, scale_factor, mode, call),
      samples: [
        '(2, 3, 4, 5)  scale_factor=2',
        '(2, 3, 4, 5)/(60, 1, 15, 3)  [7, 9]',
        "(2, 3, 4)  8  mode='linear'",
        "(2, 3, 4, 5)/(60, 1, 15, 3)  scale_factor=0.5  mode='bilinear'",
        "(2, 3, 4, 5)/(60, 1, 15, 3)  scale_factor=2  mode='bicubic'",
        '(2, 3)  4  !',
        '(2, 3, 4)  4  2  !',
        "(2, 3, 4)  4  mode='bilinear'  !",
        '(2, 3, 4)  4  align_corners=True  !',
      ],
    },
  ),
  ...(['upsample_nearest', 'upsample_bilinear'] as const).map((name) =>
    op(`F.${name}(input: Tensor, size: any = None, scale_factor: any = None) -> Tensor`, {
      shape: ({ input, size, scale_factor }, call) => interpolated(input.layout, size, scale_factor, 'nearest', call),
      samples: ['(2, 3, 4, 5)  scale_factor=2'],
    }),
  ),
  op('F.pixel_shuffle(input: Tensor, upscale_factor: SymInt) -> Tensor', {
    also: ['torch.pixel_shuffle'],
    shape: ({ input, upscale_factor }, call) => shuffled(input.layout, upscale_factor, call),
    samples: ['(2, 8, 3, 4)  2', '(2, 8, 3, 4)/(96, 1, 32, 8)  2', '(2, 3, 3, 4)  2  !', '(2, 3)  2  !'],
  }),
  op('F.pixel_unshuffle(input: Tensor, downscale_factor: SymInt) -> Tensor', {
    also: ['torch.pixel_unshuffle'],
    shape: ({ input, downscale_factor }, call) => unshuffled(input.layout, downscale_factor, call),
    samples: ['(2, 3, 4, 6)  2', '(2, 3, 4, 6)/(72, 1, 18, 3)  2', '(2, 0, 4, 6)  2', '(2, 3, 3, 4)  2  !'],
  }),
  op('F.channel_shuffle(input: Tensor, groups: any) -> Tensor', {
    also: ['torch.channel_shuffle', 'torch.native_channel_shuffle', 'F.native_channel_shuffle'],
    maybe: ({ input, groups }, call) => channelShuffled(input, groups, call),
    samples: [
      '(2, 4, 3, 3)  2',
      '(0, 4, 3, 3)/(1, 9, 3, 1)  2',
      '(2, 4, 3, 3)/(36, 1, 12, 4)  2',
      '(2, 4, 3, 3)  3  !',
    ],
  }),
  op(
    "F.grid_sample(input: Tensor, grid: Tensor, mode: any = 'bilinear', padding_mode: any = 'zeros', align_corners: any = None) -> Tensor",
    {
      raises: ({ input, grid }, call) => notAGrid(input.layout, grid.layout, call),
      shape: ({ input, grid }) => sampled(input.layout, grid.layout),
      samples: [
        '(2, 3, 4, 5)  (2, 6, 7, 2)',
        '(2, 3, 4, 5)/(60, 1, 15, 3)  (2, 6, 7, 2)',
        '(2, 3, 4, 5)  (2, 6, 7, 3)  !',
        '(2, 3, 4, 5)  (1, 6, 7, 2)  !',
        '(2, 3, 4, 5)  (2, 6, 2)  !',
      ],
    },
  ),
  op('F.affine_grid(theta: Tensor, size: SymInt[], align_corners: any = None) -> Tensor', {
    shape: ({ size }) => {
      const [batch = ONE, , ...sizes] = size;
      return [batch, ...sizes, int(sizes.length)];
    },
    samples: ['(2, 2, 3)  (2, 3, 4, 5)'],
  }),
  op(
    'F.unfold(input: Tensor, kernel_size: SymInt[2], dilation: SymInt[2] = 1, padding: SymInt[2] = 0, stride: SymInt[2] = 1) -> Tensor',
    {
      ndim: { input: 4 },
      shape: ({ input, ...blocks }) => unfolded(input.layout, blocks),
      samples: ['(2, 3, 6, 8)  2  stride=2', '(2, 3, 6, 8)/(144, 1, 24, 3)  (2, 3)  padding=1', '(3, 6, 8)  2'],
    },
  ),
  op(
    'F.fold(input: Tensor, output_size: SymInt[2], kernel_size: SymInt[2], dilation: SymInt[2] = 1, padding: SymInt[2] = 0, stride: SymInt[2] = 1) -> Tensor',
    {
      ndim: { input: 3 },
      shape: ({ input, output_size, ...blocks }, call) => folded(input.layout, output_size, blocks, call),
      samples: [
        '(2, 12, 12)  (6, 8)  2  stride=2',
        '(2, 11, 12)  (6, 8)  2  stride=2  !',
        '(2, 12, 11)  (6, 8)  2  stride=2  !',
      ],
    },
  ),
];
