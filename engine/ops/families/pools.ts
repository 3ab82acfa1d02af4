import { add, int, mul, ONE, type SymInt, sub, ZERO } from '../../symbols/index.ts';
import { isFault, type Layout, type Result, type Tensor, unsure } from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import type { Call } from '../context.ts';
import { spread } from '../layouts/convolution.ts';
import { leadingDims, type PoolLayout, pooled, pooledSizes } from '../layouts/pooling.ts';
import { type Entry, fresh, op } from '../op.ts';

type Spatial = 1 | 2 | 3;
const SPATIAL = [1, 2, 3] as const;

interface Windows {
  readonly kernel_size: readonly SymInt[];
  readonly stride: readonly SymInt[] | null;
  readonly padding: readonly SymInt[];
  readonly dilation: readonly SymInt[];
  readonly ceil_mode: boolean;
}

/** The layout of a pool whose windows slide over the last `spatial` dims. */
export function slid(input: Tensor, spatial: Spatial, windows: Windows, how: PoolLayout, call: Call): Result<Layout> {
  const leading = leadingDims(input.layout, spatial);
  if (isFault(leading)) return leading;
  const { kernel_size: kernel, stride, padding, dilation, ceil_mode: ceil } = windows;
  const sizes = input.layout.shape.slice(-spatial);
  const pool = { spatial, kernel, stride: stride ?? [], padding, dilation, ceil };
  const left = pooledSizes(sizes, pool, call);
  return isFault(left) ? left : pooled(input.layout, spatial, left, how, call);
}

/** The output sizes of an adaptive pool: `None` keeps a size. */
export function adaptiveSizes(value: Value, sizes: readonly SymInt[], call: Call): readonly SymInt[] {
  const items = value.kind === 'tuple' ? value.items : sizes.map(() => value);
  return sizes.map((size, d) => {
    const item = items.length === 1 ? items[0] : items[d];
    if (item?.kind === 'none') return size;
    return item?.kind === 'int' ? item.value : call.context.fresh('size');
  });
}

function adaptive(input: Tensor, spatial: Spatial, sizes: Value, how: PoolLayout, call: Call): Result<Layout> {
  return pooled(input.layout, spatial, adaptiveSizes(sizes, input.layout.shape.slice(-spatial), call), how, call);
}

const ONES = '(2, 3, 8)';
const MAX_SAMPLES: readonly (readonly string[])[] = [
  [`${ONES}  2`, '(3, 8)  3  2  1', `${ONES}/(24, 1, 3)  2`],
  [
    '(2, 3, 8, 7)  2',
    '(2, 3, 8, 7)/(168, 1, 21, 3)  3  2  1',
    '(2, 3, 7, 7)  2  ceil_mode=True',
    '(2, 3, 7, 7)  3  stride=2  padding=1  dilation=1  ceil_mode=True',
    '(3, 8, 8)  2',
    '(3, 8)  2  !',
  ],
  ['(2, 3, 4, 5, 6)  2', '(2, 3, 4, 5, 6)/(360, 1, 90, 18, 3)  2'],
];

/** Which layout a max pool of that many dims leaves. */
const MAX_LAYOUT = { 1: 'C', 2: 'S', 3: 'S' } as const;

const maxPools = SPATIAL.map((spatial) =>
  op(
    `F.max_pool${spatial}d(input: Tensor, kernel_size: SymInt[1], stride: SymInt[1]? = None, padding: SymInt[1] = 0, dilation: SymInt[1] = 1, ceil_mode: bool = False, return_indices: bool = False) -> any`,
    {
      also: [`torch.max_pool${spatial}d`],
      ndim: { input: spatial + 2 },
      maybe: (args, call) => {
        const layout = slid(args.input, spatial, args, MAX_LAYOUT[spatial], call);
        if (isFault(layout)) return layout;
        const values = fresh(layout, args.input.dtype);
        return args.return_indices ? { is: 'tuple', items: [values, fresh(layout, 'int64')] } : values;
      },
      samples: MAX_SAMPLES[spatial - 1] ?? [],
    },
  ),
);

const maxPoolsWithIndices = SPATIAL.map((spatial) =>
  op(
    `F.max_pool${spatial}d_with_indices(input: Tensor, kernel_size: SymInt[1], stride: SymInt[1]? = None, padding: SymInt[1] = 0, dilation: SymInt[1] = 1, ceil_mode: bool = False) -> Tensor[]`,
    {
      also: [`torch.max_pool${spatial}d_with_indices`],
      ndim: { input: spatial + 2 },
      shape: (args, call) => {
        const layout = slid(args.input, spatial, args, MAX_LAYOUT[spatial], call);
        return isFault(layout) ? layout : [layout, layout];
      },
      dtype: [({ input }) => input.dtype, 'int64'],
      samples: [],
    },
  ),
);

const AVERAGE_LAYOUT = { 1: 'tall', 2: 'S', 3: 'C' } as const;
const AVERAGE_SAMPLES: readonly (readonly string[])[] = [
  [`${ONES}  2`, `${ONES}/(24, 1, 3)  2`, '(3, 8)  2'],
  ['(2, 3, 8, 7)  2', '(2, 3, 8, 7)/(168, 1, 21, 3)  2', '(3, 8, 7)  (2, 3)  1'],
  ['(2, 3, 4, 5, 6)  2', '(2, 3, 4, 5, 6)/(360, 1, 90, 18, 3)  2'],
];

const averagePools = SPATIAL.map((spatial) =>
  op(
    `F.avg_pool${spatial}d(input: Tensor, kernel_size: SymInt[1], stride: SymInt[1]? = None, padding: SymInt[1] = 0, ceil_mode: bool = False, count_include_pad: any = True, divisor_override: any = None) -> Tensor`,
    {
      also: [`torch.avg_pool${spatial}d`],
      ndim: { input: spatial + 2 },
      shape: (args, call) => slid(args.input, spatial, { ...args, dilation: [] }, AVERAGE_LAYOUT[spatial], call),
      samples: AVERAGE_SAMPLES[spatial - 1] ?? [],
    },
  ),
);

const ADAPTIVE_SAMPLES: readonly (readonly string[])[] = [
  [`${ONES}  2`, `${ONES}/(24, 1, 3)  1`],
  ['(2, 3, 8, 7)  [2, 3]', '(2, 3, 8, 7)/(168, 1, 21, 3)  1', '(2, 3, 8, 7)  [None, 2]', '(3, 8, 7)  2'],
  ['(2, 3, 4, 5, 6)  2'],
];

const adaptiveAverages = SPATIAL.map((spatial) =>
  op(`F.adaptive_avg_pool${spatial}d(input: Tensor, output_size: any) -> Tensor`, {
    also: [`torch.adaptive_avg_pool${spatial}d`],
    ndim: { input: spatial + 2 },
    shape: ({ input, output_size }, call) => adaptive(input, spatial, output_size, AVERAGE_LAYOUT[spatial], call),
    samples: ADAPTIVE_SAMPLES[spatial - 1] ?? [],
  }),
);

const ADAPTIVE_MAX_LAYOUT = { 1: 'tall', 2: 'S', 3: 'C' } as const;

const adaptiveMaxima = SPATIAL.map((spatial) =>
  op(`F.adaptive_max_pool${spatial}d(input: Tensor, output_size: any, return_indices: bool = False) -> any`, {
    also: [`torch.adaptive_max_pool${spatial}d`],
    ndim: { input: spatial + 2 },
    maybe: ({ input, output_size, return_indices }, call) => {
      const layout = adaptive(input, spatial, output_size, ADAPTIVE_MAX_LAYOUT[spatial], call);
      if (isFault(layout)) return layout;
      const values = fresh(layout, input.dtype);
      return return_indices ? { is: 'tuple', items: [values, fresh(layout, 'int64')] } : values;
    },
    samples: ADAPTIVE_SAMPLES[spatial - 1] ?? [],
  }),
);

/** `F.lp_pool` is `(relu(avg_pool(x ** p)) * k) ** (1 / p)`: elementwise around an average pool. */
const powerPools = SPATIAL.map((spatial) =>
  op(
    `F.lp_pool${spatial}d(input: Tensor, norm_type: any, kernel_size: SymInt[1], stride: SymInt[1]? = None, ceil_mode: bool = False) -> Tensor`,
    {
      ndim: { input: spatial + 2 },
      shape: (args, call) => {
        const windows = { ...args, padding: [], dilation: [] };
        return slid(args.input, spatial, windows, AVERAGE_LAYOUT[spatial], call);
      },
      samples: spatial === 3 ? [] : [spatial === 1 ? `${ONES}  2  2` : '(2, 3, 8, 7)  2  2'],
    },
  ),
);

const unpools = SPATIAL.map((spatial) =>
  op(
    `F.max_unpool${spatial}d(input: Tensor, indices: Tensor, kernel_size: SymInt[1], stride: SymInt[1]? = None, padding: SymInt[1] = 0, output_size: any = None) -> Tensor`,
    {
      ndim: { input: spatial + 2 },
      shape: ({ input, kernel_size, stride, padding, output_size }, call) => {
        if (output_size.kind !== 'none') return unsure('`output_size` of max_unpool is not followed');
        const kernel = spread(kernel_size, spatial);
        const step = stride === null ? kernel : spread(stride, spatial);
        return unpooled(input.layout, spatial, kernel, step, spread(padding, spatial), call);
      },
      samples: [],
    },
  ),
);

function unpooled(
  input: Layout,
  spatial: Spatial,
  kernel: readonly SymInt[],
  stride: readonly SymInt[],
  padding: readonly SymInt[],
  call: Call,
): Result<Layout> {
  const sizes = input.shape.slice(-spatial).map((size, d) => {
    const [k, s, p] = [kernel[d] ?? ONE, stride[d] ?? ONE, padding[d] ?? ZERO];
    return sub(add(mul(sub(size, ONE), s), k), mul(int(2), p));
  });
  return pooled(input, spatial, sizes, spatial === 2 ? 'S' : 'C', call);
}

const fractionals = ([2, 3] as const).map((spatial) =>
  op(
    `F.fractional_max_pool${spatial}d(input: Tensor, kernel_size: any, output_size: any = None, output_ratio: any = None, return_indices: bool = False) -> any`,
    {
      ndim: { input: spatial + 2 },
      maybe: ({ input, output_size, return_indices }, call) => {
        const sizes = output_size.kind === 'none' ? ({ kind: 'unknown', reason: 'a ratio' } as const) : output_size;
        const layout = adaptive(input, spatial, sizes, 'C', call);
        if (isFault(layout)) return layout;
        const values = fresh(layout, input.dtype);
        return return_indices ? { is: 'tuple', items: [values, fresh(layout, 'int64')] } : values;
      },
      samples: spatial === 2 ? ['(2, 3, 8, 7)  2  [3, 3]'] : [],
    },
  ),
);

export const pools: readonly Entry[] = [
  ...maxPools,
  ...maxPoolsWithIndices,
  ...averagePools,
  ...adaptiveAverages,
  ...adaptiveMaxima,
  ...powerPools,
  ...unpools,
  ...fractionals,
];
