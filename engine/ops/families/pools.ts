import { ONE, type SymInt } from '../../symbols/index.ts';
import {
  chain,
  contiguous,
  contiguousStride,
  elementwise,
  type Fault,
  isFault,
  type Layout,
  type Result,
  raises,
  SCALAR,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Value } from '../../values/value.ts';
import { type Call, since } from '../context.ts';
import { dtypeOfKind } from '../elementwise.ts';
import { commonPacked } from '../layouts/format.ts';
import { leadingDims, type PoolLayout, pooled, pooledSizes } from '../layouts/pooling.ts';
import { type Entry, fresh, op } from '../op.ts';
import { parseSignature } from '../signature.ts';

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
  const wrong = outOfSizes(sizes, spatial);
  if (wrong !== null) return wrong;
  return pooled(input.layout, spatial, adaptiveSizes(sizes, input.layout.shape.slice(-spatial), call), how, call);
}

/** A size of at least 0 for each spatial dim, or one for all. */
function outOfSizes(sizes: Value, spatial: Spatial): Fault | null {
  const items = sizes.kind === 'tuple' ? sizes.items : [sizes];
  const name = 'output_size';
  if (sizes.kind === 'tuple' && !sizes.front && items.length !== spatial)
    return raises({ is: 'argument', name, got: `${items.length} sizes`, expects: `${spatial}` });
  const negative = items.find((item) => item.kind === 'int' && item.value.constant !== null && item.value.constant < 0);
  return negative?.kind === 'int'
    ? raises({ is: 'argument', name, got: `${negative.value.constant}`, expects: 'at least 0' })
    : null;
}

const ONES = '(2, 3, 8)';
const MAX_SAMPLES: readonly (readonly string[])[] = [
  [`${ONES}  2`, '(3, 8)  3  2  1', `${ONES}/(24, 1, 3)  2`, `${ONES}/(24, 1, 3)  2  return_indices=True`],
  [
    '(2, 3, 8, 7)  2',
    '(2, 3, 8, 7)/(168, 1, 21, 3)  3  2  1',
    '(2, 3, 7, 7)  2  ceil_mode=True',
    '(2, 3, 7, 7)  3  stride=2  padding=1  dilation=1  ceil_mode=True',
    '(3, 8, 8)  2',
    '(3, 8)  2  !',
    '(2, 3, 8, 7)  2  padding=2  !',
    '(2, 3, 8, 7)  (2,)',
    '(2, 3, 8, 7)  (2, 2, 2)  !',
    '(2, 3, 8, 7)  0  !',
    '(2, 3, 8, 7)  2  -1  !',
    '(2, 3, 8, 7)  2  padding=-1  !',
    '(2, 3, 8, 7)  2  dilation=0  !',
  ],
  ['(2, 3, 4, 5, 6)  2', '(2, 3, 4, 5, 6)/(360, 1, 90, 18, 3)  2'],
];

/** Which layout a max pool of that many dims leaves: 3-D ones follow their input since 2.x. */
const maxLayout = (spatial: Spatial, call: Call): PoolLayout =>
  spatial === 1 || (spatial === 3 && !since(call, 2, 6)) ? 'C' : 'S';

interface RowMaxima extends Windows {
  readonly input: Tensor;
  readonly return_indices: boolean;
}

/** Row-major to the last stride. */
const isDense = ({ shape, stride }: Layout): boolean =>
  stride?.every((step, d) => step.key === contiguousStride(shape)[d]?.key) === true;

/** `max_pool1d` (aten/src/ATen/native/Pooling.cpp): only without indices and without grad has it a kernel of its own. */
function rowMaxima(args: RowMaxima, call: Call): Result<Layout> {
  const tall = slid(args.input, 1, args, 'tall', call);
  if (args.return_indices || isFault(tall) || isDense(tall)) return tall;
  const { grad } = call.context;
  const { requiresGrad } = args.input;
  if (grad === false || requiresGrad === false) {
    const flat = slid(args.input, 1, args, 'C', call);
    return isFault(flat) || tall.stride !== null ? flat : commonPacked(tall, flat, call.ask);
  }
  return grad === true && requiresGrad === true ? tall : { ...tall, stride: null };
}

const maxPools = SPATIAL.map((spatial) =>
  op(
    `F.max_pool${spatial}d(input: Tensor, kernel_size: SymInt[1], stride: SymInt[1]? = None, padding: SymInt[1] = 0, dilation: SymInt[1] = 1, ceil_mode: bool = False, return_indices: bool = False) -> any`,
    {
      also: [`torch.max_pool${spatial}d`],
      ndim: { input: spatial + 2 },
      maybe: (args, call) => {
        const layout =
          spatial === 1 ? rowMaxima(args, call) : slid(args.input, spatial, args, maxLayout(spatial, call), call);
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
      also: spatial === 1 ? ['torch.max_pool1d_with_indices'] : [],
      ndim: { input: spatial + 2 },
      shape: (args, call) => {
        const how = spatial === 1 ? 'tall' : maxLayout(spatial, call);
        const layout = slid(args.input, spatial, args, how, call);
        return isFault(layout) ? layout : [layout, layout];
      },
      dtype: [({ input }) => input.dtype, 'int64'],
      samples: (MAX_SAMPLES[spatial - 1] ?? []).filter((sample) => !sample.includes('return_indices')),
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
      also: spatial === 1 ? ['torch.avg_pool1d'] : [],
      ndim: { input: spatial + 2 },
      shape: (args, call) => slid(args.input, spatial, { ...args, dilation: [] }, AVERAGE_LAYOUT[spatial], call),
      samples: AVERAGE_SAMPLES[spatial - 1] ?? [],
    },
  ),
);

const ADAPTIVE_SAMPLES: readonly (readonly string[])[] = [
  [`${ONES}  2`, `${ONES}/(24, 1, 3)  1`],
  [
    '(2, 3, 8, 7)  [2, 3]',
    '(2, 3, 8, 7)/(168, 1, 21, 3)  1',
    '(2, 3, 8, 7)  [None, 2]',
    '(3, 8, 7)  2',
    '(2, 3, 8, 7)  [2]  !',
    '(2, 3, 8, 7)  -1  !',
    '(2, 3)  2  !',
    '(3,)  1  !',
  ],
  ['(2, 3, 4, 5, 6)  2'],
];

/** Down to one number each, an adaptive average of more than one dim is a mean, which asks for no batch and channels. */
function averaged(input: Layout, spatial: Spatial, sizes: Value, { ask }: Call): Result<Layout> | null {
  const items = sizes.kind === 'tuple' ? sizes.items : [sizes];
  const count = input.shape.length;
  if (spatial === 1 || input.front || count < spatial || count === spatial + 1 || count === spatial + 2) return null;
  const ones = items.map((item) =>
    item.kind === 'int' ? ask.isOne(item.value) : item.kind === 'none' ? false : undefined,
  );
  if (ones.includes(false)) return null;
  if (ones.includes(undefined)) return unsure('the output size is not known');
  return contiguous([...input.shape.slice(0, count - spatial), ...Array.from({ length: spatial }, () => ONE)]);
}

const adaptiveAverages = SPATIAL.map((spatial) =>
  op(`F.adaptive_avg_pool${spatial}d(input: Tensor, output_size: any) -> Tensor`, {
    also: spatial === 1 ? ['torch.adaptive_avg_pool1d'] : [],
    ndim: { input: spatial + 2 },
    shape: ({ input, output_size }, call) =>
      averaged(input.layout, spatial, output_size, call) ??
      adaptive(input, spatial, output_size, AVERAGE_LAYOUT[spatial], call),
    samples: [
      ...(ADAPTIVE_SAMPLES[spatial - 1] ?? []),
      ...(spatial === 2 ? ['(2, 3)  1', '(2, 3, 4, 5, 6)  [1, 1]'] : []),
    ],
  }),
);

const ADAPTIVE_MAX_LAYOUT = { 1: 'tall', 2: 'S', 3: 'C' } as const;

const adaptiveMaxima = SPATIAL.map((spatial) =>
  op(`F.adaptive_max_pool${spatial}d(input: Tensor, output_size: any, return_indices: bool = False) -> any`, {
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

/** Of the functions under this name in `torch` only the one over rows is to be had, and it always gives the indices. */
const rowMaximaAndIndices = op('torch.adaptive_max_pool1d(input: Tensor, output_size: any) -> Tensor[]', {
  shape: ({ input, output_size }, call) =>
    chain(adaptive(input, 1, output_size, ADAPTIVE_MAX_LAYOUT[1], call), (layout) => [layout, layout]),
  dtype: [({ input }) => input.dtype, 'int64'],
  samples: [`${ONES}  2`],
});

/** `F.lp_pool` is `(relu(avg_pool(x ** p)) * k) ** (1 / p)`: elementwise around an average pool. */
const powerPools = SPATIAL.map((spatial) =>
  op(
    `F.lp_pool${spatial}d(input: Tensor, norm_type: any, kernel_size: SymInt[1], stride: SymInt[1]? = None, ceil_mode: bool = False) -> Tensor`,
    {
      ndim: { input: spatial + 2 },
      shape: (args, call) => {
        const windows = { ...args, padding: [], dilation: [] };
        return chain(elementwise([args.input.layout], call.ask), (powers) =>
          chain(slid({ ...args.input, layout: powers }, spatial, windows, AVERAGE_LAYOUT[spatial], call), (mean) =>
            chain(elementwise([mean, SCALAR], call.ask), (scaled) => elementwise([scaled], call.ask)),
          ),
        );
      },
      dtype: ({ input }) => dtypeOfKind('float', input.dtype),
      samples:
        [
          [`${ONES}  2  2`],
          ['(2, 3, 8, 7)  2  2', '(1, 2, 2, 2)/(8, 1, 4, 2)  1  2', '(1, 2, 1, 2)/(2, 2, 4, 1)  1  1'],
          ['(2, 3, 4, 5, 6)  2  2'],
        ][spatial - 1] ?? [],
    },
  ),
);

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

/** A pool under the name that always returns indices. */
const withIndices = (pool: Entry): Entry => {
  const [name = ''] = pool.names;
  const qualified = `${name}_with_indices`;
  return {
    ...pool,
    signature: parseSignature(pool.signature.text.replace(/^[\w.]+/, qualified)),
    names: [qualified],
    run: (args, call) => pool.run({ ...args, return_indices: true }, call),
    samples: pool.samples.filter((sample) => !sample.includes('return_indices')),
  };
};

export const pools: readonly Entry[] = [
  ...maxPools,
  ...maxPoolsWithIndices,
  ...averagePools,
  ...adaptiveAverages,
  ...adaptiveMaxima,
  rowMaximaAndIndices,
  ...powerPools,
  ...fractionals,
  ...[...adaptiveMaxima, ...fractionals].map(withIndices),
];
