import { always, type Decisions, mod, mul, ONE, product, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  chain,
  elementwise,
  expand,
  type Fault,
  isChannelsLast,
  isContiguous,
  isFault,
  type Layout,
  ndim,
  preserve,
  type Result,
  raises,
  SCALAR,
  type Tensor,
  unsure,
  view,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { since } from '../context.ts';
import { commonDType, dtypeOfKind } from '../elementwise.ts';
import { common, commonPacked, fresh, inFormat, suggested, suggests, unstrided } from '../layouts/format.ts';
import { agree, isEmpty } from '../layouts/inquiry.ts';
import { oneDType } from '../layouts/product.ts';
import { denseLike, reduced } from '../layouts/reduction.ts';
import { type Entry, op, same } from '../op.ts';
import { truthOf } from './dropouts.ts';
import { tensorOrNull } from './products.ts';

/** The last sizes must be the normalized shape. */
function normalizes(layout: Layout, shape: readonly SymInt[], call: Call): Fault | null {
  const known = layout.front ? layout.shape.slice(1) : layout.shape;
  if (!layout.front && known.length < shape.length)
    return raises({ is: 'rank-differs', what: 'input', expected: `${shape.length} or more`, got: known.length });
  for (let back = 1; back <= Math.min(shape.length, known.length); back++) {
    const [size, expected] = [known[known.length - back], shape[shape.length - back]];
    if (size === undefined || expected === undefined) continue;
    const differs = agree(size, expected, `dim ${layout.shape.length - back} of input`, call);
    if (differs !== null) return differs;
  }
  return null;
}

function channelsAgree(layout: Layout, value: Value, call: Call): Fault | null {
  const other = tensorOrNull(value)?.layout;
  const channels = layout.shape[1];
  if (other === undefined || other.front || other.shape.length !== 1 || layout.front || channels === undefined)
    return null;
  return agree(channels, other.shape[0] ?? ONE, 'dim 1 of input', call);
}

/** Weights have the dtype of the input, but a half precision input may meet float32 weights. */
function oneDTypeOrMixed(input: Tensor, ...values: readonly Value[]): Fault | null {
  const half = input.dtype === 'float16' || input.dtype === 'bfloat16';
  for (const value of values) {
    const dtype = tensorOrNull(value)?.dtype;
    const differs = half && dtype === 'float32' ? null : oneDType('weight', input.dtype, dtype);
    if (differs !== null) return differs;
  }
  return null;
}

/** Whatever meets the channels has their number and dtype; without elements nobody looks. */
function statistics(input: Tensor, sizes: readonly Value[], dtypes: readonly Value[], call: Call): Fault | null {
  if (hasNone(input.layout, call)) return null;
  for (const value of sizes) {
    const differs = channelsAgree(input.layout, value, call);
    if (differs !== null) return differs;
  }
  return oneDTypeOrMixed(input, ...dtypes);
}

const hasNone = ({ shape }: Layout, call: Call): boolean => shape.some((size) => isEmpty(size, call));

/** `_verify_batch_size` and `_verify_spatial_size` (torch/nn/functional.py): one value has no variance. */
function oneValue(counted: readonly SymInt[], training: Value, { ask }: Call): Fault | null {
  if (truthOf(training) !== true || always('equal', product([...counted]), ONE, ask.facts) !== true) return null;
  return raises({ is: 'argument', name: 'input', got: '1 value per channel', expects: 'more than 1 when training' });
}

/** Batch and spatial sizes: all but the channels. */
const beyondChannels = ({ shape, front }: Layout): readonly SymInt[] =>
  front || shape.length < 2 ? [ZERO] : [...shape.slice(0, 1), ...shape.slice(2)];

const isPacked = (value: Value, { ask }: Call): boolean =>
  value.kind !== 'tensor' || isContiguous(value.layout, ask) === true;

/** What elements of the weights, each of no dim, make of the dtype. */
const scaledDType = (input: Tensor, affine: readonly Value[]) =>
  commonDType([input, ...affine.flatMap((value) => (value.kind === 'tensor' ? [{ ...value, layout: SCALAR }] : []))]);

/** A clone, times the first weight, plus the first bias. */
function withoutElements(layout: Layout, affine: readonly Value[], { ask }: Call): Result<Layout> {
  let result = preserve(layout, ask);
  for (const value of affine) if (value.kind !== 'none') result = chain(result, (so) => elementwise([so, SCALAR], ask));
  return result;
}

export function batchNorm(layout: Layout, affine: readonly Value[], call: Call): Result<Layout> {
  return hasNone(layout, call) ? withoutElements(layout, affine, call) : nativeBatchNorm(layout, call);
}

/** `_choose_batch_norm_layout`: contiguous stays, channels_last stays, all else follows the suggested format. */
export function nativeBatchNorm(layout: Layout, call: Call): Result<Layout> {
  if (layout.front) return packed(layout, call.ask);
  if (layout.shape.length < 4) return fresh(layout.shape);
  const dense = isContiguous(layout, call.ask);
  if (dense === true) return fresh(layout.shape);
  const last = isChannelsLast(layout, call.ask);
  if (dense === undefined || last === undefined) return unstrided(layout.shape);
  if (last) return inFormat(layout.shape, layout.shape.length === 4 ? 'channels_last' : 'channels_last_3d');
  return suggested(layout, layout.shape, call.ask);
}

/** A batch norm of all channels of the batch side by side, seen as the input: contiguous, where there are elements. */
function instanceNorm(layout: Layout, affine: readonly Value[], call: Call): Result<Layout> {
  const [batch, channels, ...spatial] = layout.shape;
  if (layout.front || batch === undefined || channels === undefined || !hasNone(layout, call)) return denseLike(layout);
  return chain(view(layout, [ONE, mul(batch, channels), ...spatial], call.ask), (wide) =>
    chain(batchNorm(wide, affine, call), (normed) => view(normed, layout.shape, call.ask)),
  );
}

function groupNorm(layout: Layout, groups: SymInt, call: Call): Result<Layout> {
  if (layout.front) return packed(layout, call.ask);
  if (layout.shape.length < 2)
    return raises({ is: 'rank-differs', what: 'input', expected: '2 or more', got: layout.shape.length });
  if (always('equal', mod(layout.shape[1] ?? ONE, groups), ZERO, call.ask.facts) === false)
    return raises({
      is: 'argument',
      name: 'num_groups',
      got: `${groups.constant}`,
      expects: 'a divisor of the number of channels',
    });
  return suggested(layout, layout.shape, call.ask);
}

/** `x * rsqrt(mean(x * x) + eps)`, then `* weight`; since 2.13 made contiguous unless the input suggests channels_last. */
function rmsNorm(layout: Layout, shape: readonly SymInt[], weight: Layout | null, call: Call): Result<Layout> {
  const wrong = normalizes(layout, shape, call);
  if (wrong !== null) return wrong;
  const format = suggests(layout, call.ask);
  const kept = scaled(layout, shape, weight, call);
  if (!since(call, 2, 13) || isFault(kept)) return kept;
  if (format === 'contiguous_format') return denseAfter(layout, shape, weight, call);
  return format === undefined ? common(kept, denseLike(layout)) : kept;
}

function scaled(layout: Layout, shape: readonly SymInt[], weight: Layout | null, call: Call): Result<Layout> {
  const known = ndim(layout) - shape.length;
  const rstd = fresh(
    layout.shape.map((size, d) => (d >= known ? ONE : size)),
    layout.front,
  );
  const result = elementwise([layout, rstd], call.ask, call);
  return isFault(result) || weight === null ? result : elementwise([result, weight], call.ask, call);
}

/** `contiguous()` keeps the strides that dims of size 1 have where it changes nothing. */
function denseAfter(layout: Layout, shape: readonly SymInt[], weight: Layout | null, call: Call): Result<Layout> {
  const result = scaled(layout, shape, weight, call);
  if (isFault(result)) return denseLike(layout);
  const already = isContiguous(result, call.ask);
  if (already === undefined) return commonPacked(result, denseLike(layout), call.ask);
  return already ? result : denseLike(layout);
}

/** Behind an unknown front only a contiguous layout is sure to stay as it is. */
const packed = (layout: Layout, ask: Decisions): Layout =>
  isContiguous(layout, ask) === true ? denseLike(layout) : unstrided(layout.shape, true);

interface BatchNorm {
  readonly input: Tensor;
  readonly running_mean: Value;
  readonly running_var: Value;
  readonly weight: Value;
  readonly bias: Value;
}

/** Statistics with gaps take another kernel, which keeps no channels_last. */
const normed = ({ input, running_mean, running_var, weight, bias }: BatchNorm, call: Call): Result<Layout> =>
  chain(batchNorm(input.layout, [weight, bias], call), (layout) =>
    [running_mean, running_var, weight, bias].every((value) => isPacked(value, call)) ||
    isContiguous(layout, call.ask) === true
      ? layout
      : { ...layout, stride: null },
  );

const normedDType = ({ input, weight, bias }: BatchNorm, call: Call) =>
  hasNone(input.layout, call) ? scaledDType(input, [weight, bias]) : input.dtype;

export const norms: readonly Entry[] = [
  op(
    'F.layer_norm(input: Tensor, normalized_shape: SymInt[1], weight: any = None, bias: any = None, eps: any = 1e-5) -> Tensor',
    {
      also: ['torch.layer_norm'],
      raises: ({ input, normalized_shape, weight, bias }, call) =>
        normalizes(input.layout, normalized_shape, call) ?? oneDTypeOrMixed(input, weight, bias),
      shape: ({ input }) => denseLike(input.layout),
      samples: [
        '(2, 3, 4)  (4,)',
        '(2, 3, 4)/(1, 8, 2)  (3, 4)',
        '(2, 3, 4):bfloat16  (4,)  (4,)',
        '(2, 3)  (4,)  !',
        '(2, 3, 4)  (4,)  (4,):float64  !',
      ],
    },
  ),
  op('F.rms_norm(input: Tensor, normalized_shape: SymInt[1], weight: any = None, eps: any = None) -> Tensor', {
    also: ['torch.rms_norm'],
    shape: ({ input, normalized_shape, weight }, call) =>
      rmsNorm(input.layout, normalized_shape, tensorOrNull(weight)?.layout ?? null, call),
    samples: ['(2, 3, 4)  (4,)', '(2, 3, 4)/(1, 8, 2)  (4,)', '(2, 3, 4)/(1, 8, 2)  (4,)  (4,)', '(2, 3)  (4,)  !'],
  }),
  op(
    'F.batch_norm(input: Tensor, running_mean: any, running_var: any, weight: any = None, bias: any = None, training: any = False, momentum: any = 0.1, eps: any = 1e-5) -> Tensor',
    {
      raises: ({ input, running_mean, running_var, weight, bias, training }, call) =>
        oneValue(beyondChannels(input.layout), training, call) ??
        statistics(input, [running_mean, weight], [running_mean, running_var, weight, bias], call),
      shape: normed,
      dtype: normedDType,
      samples: [
        '(2, 3, 4, 5)  (3,)  (3,)',
        '(2, 3, 4, 5)/(60, 1, 15, 3)  (3,)  (3,)',
        '(2, 3, 4)/(12, 1, 3)  (3,)  (3,)',
        '(2, 3):float16  (3,)  (3,)',
        '(2, 3)  (4,)  (4,)  !',
        '(0, 3)  (4,)  (4,)',
        '(0, 3)/(1, 5)  (3,)  (3,)  (3,)  (3,)',
        '(2, 3):float64  (3,)  (3,)  !',
        '(1, 3)  (3,)  (3,)  training=True  !',
      ],
    },
  ),
  op(
    'torch.batch_norm(input: Tensor, weight: any, bias: any, running_mean: any, running_var: any, training: any, momentum: any, eps: any, cudnn_enabled: any) -> Tensor',
    {
      raises: ({ input, running_mean }, call) => statistics(input, [running_mean], [], call),
      shape: normed,
      dtype: normedDType,
      samples: ['(2, 3, 4, 5)  None  None  (3,)  (3,)  False  0.1  1e-5  True'],
    },
  ),
  op(
    'F.instance_norm(input: Tensor, running_mean: any = None, running_var: any = None, weight: any = None, bias: any = None, use_input_stats: any = True, momentum: any = 0.1, eps: any = 1e-5) -> Tensor',
    {
      raises: ({ input, running_mean, weight, bias, use_input_stats }, call) =>
        oneValue(input.layout.front ? [ZERO] : input.layout.shape.slice(2), use_input_stats, call) ??
        statistics(input, [running_mean, weight], [weight, bias], call),
      shape: ({ input, weight, bias }, call) => instanceNorm(input.layout, [weight, bias], call),
      samples: [
        '(2, 3, 4, 5)',
        '(2, 3, 4, 5)/(60, 1, 15, 3)',
        '(1, 0, 2)/(1, 1, 1)',
        '(2, 0, 3)/(1, 1, 1)',
        '(2, 3, 4, 5)  weight=(3,)  bias=(3,)',
        '(2, 3, 1)  !',
        '(2, 3, 4, 5)  weight=(4,)  !',
        '(2, 3, 4, 5):float64  weight=(3,)  !',
      ],
    },
  ),
  op(
    'F.group_norm(input: Tensor, num_groups: SymInt, weight: any = None, bias: any = None, eps: any = 1e-5) -> Tensor',
    {
      also: ['torch.group_norm'],
      raises: ({ input, weight, bias }, call) =>
        channelsAgree(input.layout, weight, call) ?? oneDTypeOrMixed(input, weight, bias),
      shape: ({ input, num_groups }, call) => groupNorm(input.layout, num_groups, call),
      samples: ['(2, 4, 5, 6)  2', '(2, 4, 5, 6)/(120, 1, 24, 4)  2', '(2, 4, 5)/(20, 1, 4)  2', '(2, 4, 5)  3  !'],
    },
  ),
  op('F.normalize(input: Tensor, p: any = 2.0, dim: int = 1, eps: any = 1e-12) -> Tensor', {
    shape: ({ input, dim }, { ask, demand }) => {
      const norm = reduced(input.layout, [dim], true);
      if (input.layout.front) return commonPacked(input.layout, packed(input.layout, ask), ask);
      if (isFault(norm)) return norm;
      // The norm is expanded first, which shows where there is no element: then all operands count as contiguous.
      return chain(expand(norm, input.layout.shape, ask, { demand }), (wide) =>
        elementwise([input.layout, wide], ask, { demand }),
      );
    },
    samples: ['(2, 3, 4)', '(2, 3)/(1, 2)  dim=0', '(2, 3)  dim=-1', '(3,)  !'],
  }),
  op('F.local_response_norm(input: Tensor, size: any, alpha: any = 0.0001, beta: any = 0.75, k: any = 1.0) -> Tensor', {
    maybe: ({ input }, call) => {
      const { layout, dtype } = input;
      if (layout.front) return unsure('the rank of the input is not known');
      if (layout.shape.length < 3)
        return raises({ is: 'rank-differs', what: 'input', expected: '3 or more', got: layout.shape.length });
      if (hasNone(layout, call)) return same(input);
      return chain(elementwise([layout, fresh(layout.shape)], call.ask), (made) => ({
        is: 'fresh',
        layout: made,
        // The input is divided by a power of its squares.
        dtype: dtypeOfKind('float', dtype),
      }));
    },
    samples: [
      '(2, 3)  2  !',
      '(2, 3, 4):int64  2',
      '(2, 0, 4, 5)  2',
      '(2, 3, 4, 5)  2',
      '(2, 3, 4, 5)/(60, 1, 15, 3)  2',
    ],
  }),
];
