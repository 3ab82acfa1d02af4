import { int, ONE, type SymInt } from '../../symbols/index.ts';
import {
  chain,
  elementwise,
  isContiguous,
  isFault,
  type Layout,
  ndim,
  type Result,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { convolution } from '../layouts/convolution.ts';
import { fresh, suggested, unstrided } from '../layouts/format.ts';
import { recurrent } from '../layouts/recurrent.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, fresh as made, op } from '../op.ts';
import type { OpResult } from '../outcome.ts';
import { nativeBatchNorm } from './norms.ts';

/** Sizes that a normalisation takes a mean over become 1. */
const means = (layout: Layout, normalized: number): Layout =>
  fresh(
    layout.shape.map((size, d) => (d >= layout.shape.length - normalized ? ONE : size)),
    layout.front,
  );

const OPEN = unsure('the rank of the input is not known');

const ofInput = ({ input }: { input: Tensor }) => input.dtype;

const NETWORKS = ['lstm', 'gru', 'rnn_tanh', 'rnn_relu'] as const;

const NETWORK_SAMPLES = {
  lstm: ['(5, 2, 3)  {(1, 2, 4) (1, 2, 4)}  {(16, 3) (16, 4) (16,) (16,)}  True  1  0.0  False  False  False'],
  gru: ['(5, 2, 3)  (1, 5, 4)  {(12, 3) (12, 4) (12,) (12,)}  True  1  0.0  False  False  True'],
  rnn_tanh: ['(5, 2, 3)  (1, 2, 4)  {(4, 3) (4, 4) (4,) (4,)}  True  1  0.0  False  False  False'],
  rnn_relu: ['(2, 3)  (1, 4)  {(4, 3) (4, 4) (4,) (4,)}  True  1  0.0  False  False  False'],
} as const;

interface Network {
  readonly input: Tensor;
  readonly params: readonly Tensor[];
  readonly hx: readonly Tensor[];
  readonly num_layers: SymInt;
  readonly bidirectional: boolean;
  readonly batch_first: boolean;
}

/** The sizes stand in the states: (layers, batch, hidden size). */
function network(name: string, args: Network, call: Call): Result<OpResult> {
  const { input, hx, num_layers, bidirectional, batch_first } = args;
  const [state, cell] = hx.map(({ layout }) => layout);
  const outputSize = state?.shape.at(-1);
  // The only size behind an unknown rank is that of all dims together.
  const packed = hx.some(({ layout }) => layout.front && layout.shape.length === 1);
  if (outputSize === undefined || packed) return unsure('the states are not known');
  const hiddenSize = cell?.shape.at(-1) ?? outputSize;
  const inputSize = input.layout.shape.at(-1) ?? ONE;
  const directions = bidirectional ? 2 : 1;
  const sizes = { inputSize, hiddenSize, outputSize, layers: num_layers, directions, batchFirst: batch_first } as const;
  const states = hx.map(({ layout }) => layout);
  const found = recurrent(input.layout, states, sizes, call);
  if (isFault(found)) return unsure('the functions of `torch` do not look whether the sizes agree');
  const items = [found.output, found.hidden, ...(name === 'lstm' ? [found.cell] : [])];
  return { is: 'tuple', items: items.map((layout) => made(layout, input.dtype)) };
}

function stepped({ input, hidden }: { input: Tensor; hidden: Tensor }): Result<Layout> {
  const [inside, before] = [input.layout, hidden.layout].map(({ shape, front }) => (front ? shape.slice(1) : shape));
  const size = before?.at(-1);
  return size === undefined || inside?.length === 0
    ? OPEN
    : fresh([...input.layout.shape.slice(0, -1), size], input.layout.front);
}

/** `(hidden - new) * gate + new`: the strides of the state that went in come first. */
const gatedStep = (args: { input: Tensor; hidden: Tensor }, { ask, demand }: Call): Result<Layout> =>
  chain(stepped(args), (made) =>
    made.front
      ? { ...made, stride: isContiguous(args.hidden.layout, ask) === true ? made.stride : null }
      : elementwise([args.hidden.layout, made], ask, { demand }),
  );

const CELL = 'w_ih: any, w_hh: any, b_ih: any = None, b_hh: any = None';

/** Functions of `torch` that take the arguments of the kernel instead of those of `nn.functional`. */
export const natives: readonly Entry[] = [
  op(
    'torch.native_layer_norm(input: Tensor, normalized_shape: SymInt[], weight: any, bias: any, eps: any) -> Tensor[]',
    {
      shape: ({ input, normalized_shape }) => {
        if (input.layout.front && normalized_shape.length >= input.layout.shape.length) return OPEN;
        const mean = means(input.layout, normalized_shape.length);
        return [denseLike(input.layout), mean, mean];
      },
      dtype: [ofInput, ofInput, ofInput],
      samples: ['(2, 3, 4)/(12, 1, 3)  (4,)  None  None  1e-5', '(2, 3, 4)  (3, 4)  None  None  1e-5'],
    },
  ),
  op(
    'torch.native_group_norm(input: Tensor, weight: any, bias: any, N: SymInt, C: SymInt, HxW: any, group: SymInt, eps: any) -> Tensor[]',
    {
      shape: ({ input, N, group }, { ask }) => [
        input.layout.front ? unstrided(input.layout.shape, true) : suggested(input.layout, input.layout.shape, ask),
        fresh([N, group]),
        fresh([N, group]),
      ],
      dtype: [ofInput, ofInput, ofInput],
      samples: ['(2, 4, 5, 6)  None  None  2  4  30  2  1e-5'],
    },
  ),
  op(
    'torch.native_batch_norm(input: Tensor, weight: any, bias: any, running_mean: any, running_var: any, training: bool, momentum: any, eps: any) -> Tensor[]',
    {
      shape: ({ input, training }, call) => {
        if (input.layout.front) return OPEN;
        const channels = fresh(training ? input.layout.shape.slice(1, 2) : [int(0)]);
        return chain(nativeBatchNorm(input.layout, call), (layout) => [layout, channels, channels]);
      },
      dtype: [ofInput, ofInput, ofInput],
      samples: ['(2, 4, 5)  None  None  None  None  True  0.1  1e-5'],
    },
  ),
  op(
    'torch.instance_norm(input: Tensor, weight: any, bias: any, running_mean: any, running_var: any, use_input_stats: any, momentum: any, eps: any, cudnn_enabled: any) -> Tensor',
    {
      shape: ({ input }) => denseLike(input.layout),
      samples: ['(2, 3, 4, 5)/(60, 1, 15, 3)  None  None  None  None  True  0.1  1e-5  False'],
    },
  ),
  op(
    'torch.convolution(input: Tensor, weight: Tensor, bias: any, stride: SymInt[], padding: SymInt[], dilation: SymInt[], transposed: bool, output_padding: SymInt[], groups: SymInt) -> Tensor',
    {
      shape: ({ input, weight, transposed, output_padding, ...conv }, call) =>
        convolution(
          input.layout,
          weight.layout,
          {
            ...conv,
            spatial: ndim(weight.layout) - 2,
            outputPadding: transposed ? output_padding : null,
            dtype: input.dtype,
          },
          call,
        ),
      samples: [
        '(2, 3, 8, 8)  (4, 3, 3, 3)  None  (1, 1)  (0, 0)  (1, 1)  False  (0, 0)  1',
        '(2, 3, 8)  (3, 4, 3)  None  (2,)  (1,)  (1,)  True  (1,)  1',
      ],
    },
  ),
  op('torch.conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor', {
    also: ['F.conv_tbc'],
    shape: ({ input, weight, pad }, { context }) => {
      const [time, batch = ONE] = input.layout.shape;
      const [kernel, , channels = ONE] = weight.layout.shape;
      if (input.layout.front || weight.layout.front || time === undefined || kernel === undefined)
        return unsure('the rank of an operand is not known');
      const length =
        time.constant === null || kernel.constant === null
          ? context.fresh('time')
          : int(time.constant + 2 * pad - kernel.constant + 1);
      return [length, batch, channels];
    },
    samples: ['(5, 2, 3)  (3, 3, 4)  (4,)  1'],
  }),
  op('torch.bilinear(input: Tensor, input2: Tensor, weight: Tensor, bias: any = None) -> Tensor', {
    ndim: { weight: 3 },
    shape: ({ input, weight }) =>
      input.layout.front && input.layout.shape.length < 2
        ? OPEN
        : fresh([...input.layout.shape.slice(0, -1), weight.layout.shape[0] ?? ONE], input.layout.front),
    samples: ['(5, 3)  (5, 4)  (2, 3, 4)'],
  }),
  op(
    'torch.grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: any, padding_mode: any, align_corners: any) -> Tensor',
    {
      also: ['torch.grid_sampler_2d', 'torch.grid_sampler_3d'],
      shape: ({ input, grid }) =>
        input.layout.front || grid.layout.front
          ? unsure('the rank of an operand is not known')
          : fresh([...input.layout.shape.slice(0, 2), ...grid.layout.shape.slice(1, -1)]),
      samples: ['(2, 3, 4, 5)  (2, 6, 7, 2)  0  0  False', '(2, 3, 4, 5, 6)  (2, 6, 7, 8, 3)  0  0  False'],
    },
  ),
  op('torch.affine_grid_generator(theta: Tensor, size: SymInt[], align_corners: any) -> Tensor', {
    ndim: { theta: 3 },
    shape: ({ size }) => {
      const [batch = ONE, , ...spatial] = size;
      return [batch, ...spatial, int(spatial.length)];
    },
    samples: ['(2, 2, 3)  (2, 3, 4, 5)  False', '(2, 3, 4)  (2, 3, 4, 5, 6)  False'],
  }),
  op(
    'torch.embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: any = False, mode: any = 0, sparse: any = False, per_sample_weights: any = None, include_last_offset: any = False, padding_idx: any = None) -> Tensor[]',
    {
      ndim: { weight: 2 },
      shape: ({ weight }, { context }) => {
        const bags = context.fresh('bags');
        return [
          fresh([bags, weight.layout.shape.at(-1) ?? ONE]),
          ...['offset2bag', 'bag_size', 'max_indices'].map((name) => fresh([context.fresh(name)])),
        ];
      },
      dtype: [
        ({ weight }) => weight.dtype,
        ({ indices }) => indices.dtype,
        ({ indices }) => indices.dtype,
        ({ indices }) => indices.dtype,
      ],
      samples: ['(10, 3)  [1, 2, 4, 5]:int64  [0, 2]:int64'],
    },
  ),
  ...NETWORKS.map((name) =>
    op(
      `torch.${name}(input: Tensor, hx: ${name === 'lstm' ? 'Tensor[]' : 'Tensor'}, params: Tensor[], has_biases: any, num_layers: SymInt, dropout: any, train: any, bidirectional: bool, batch_first: bool) -> any` as 'f(input: Tensor, hx: Tensor | Tensor[], params: Tensor[], num_layers: SymInt, bidirectional: bool, batch_first: bool) -> any',
      {
        maybe: ({ hx, ...args }, call) => network(name, { ...args, hx: 'kind' in hx ? [hx] : hx }, call),
        samples: NETWORK_SAMPLES[name],
      },
    ),
  ),
  op(`torch.lstm_cell(input: Tensor, hx: Tensor[], ${CELL}) -> Tensor[]`, {
    shape: ({ input, hx }) => {
      const [hidden] = hx;
      if (hidden === undefined) return unsure('the states are not known');
      return chain(stepped({ input, hidden }), (layout) => [layout, layout]);
    },
    dtype: [ofInput, ofInput],
    samples: ['(2, 3)  {(2, 4) (2, 4)}  (16, 3)  (16, 4)'],
  }),
  ...(['gru_cell', 'rnn_tanh_cell', 'rnn_relu_cell'] as const).map((name) =>
    op(`torch.${name}(input: Tensor, hidden: Tensor, ${CELL}) -> Tensor`, {
      shape: name === 'gru_cell' ? gatedStep : stepped,
      samples:
        name === 'gru_cell'
          ? ['(2, 3)  (2, 4)  (12, 3)  (12, 4)', '(2, 3)  (2, 4)/(1, 2)  (12, 3)  (12, 4)']
          : ['(2, 3)  (2, 4)  (4, 3)  (4, 4)'],
    }),
  ),
];
