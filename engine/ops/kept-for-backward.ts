/**
 * What autograd keeps of a call until `backward()`, by places among its tensors. Measured with
 * `torch.autograd.graph.saved_tensors_hooks` on PyTorch 2.13, CPU (`test/oracle/saved_samples.py`); statistics of norms, a
 * number or two a row, are left out.
 */
export interface Kept {
  /** Places among the tensors that went in, weights of a layer not counted. */
  readonly inputs: readonly number[];
  /** Places among the tensors that came out. */
  readonly outputs: readonly number[];
  /** A tensor that nobody sees: as large as the first input or output, of the same dtype or of int64. */
  readonly beside: Beside | null;
}

export type Beside = 'like input' | 'like output' | 'indices like output';

const named = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** The derivative is told by the result. */
const RESULT = named(
  'sigmoid exp exp2 expm1 tanh tan sqrt rsqrt reciprocal relu softmax log_softmax softmin ReLU Sigmoid Tanh Softmax LogSoftmax',
);

/** The derivative is told by the operand. */
const OPERAND = named(
  'log log2 log10 log1p sin cos sinh cosh asin acos atan erf abs square var clamp gelu silu softplus leaky_relu elu hardtanh relu6 hardsigmoid hardswish mish selu celu logsigmoid normalize avg_pool2d adaptive_avg_pool2d GELU SiLU Softplus LeakyReLU ELU Hardtanh ReLU6 Hardsigmoid Hardswish Mish SELU CELU LogSigmoid AvgPool2d AdaptiveAvgPool2d',
);

/** Both are needed: where the extreme or the zero lies, or the quotient of the two. */
const BOTH = named('std amax amin prod cumprod logsumexp norm');

/** Products: each factor is kept where another one needs a gradient. */
const FACTORS = named('mul matmul mm bmm einsum linear conv1d conv2d conv3d');

/** Layers of a weight that needs a gradient. */
const LAYERS = named(
  'Linear Conv1d Conv2d Conv3d LayerNorm GroupNorm RMSNorm BatchNorm1d BatchNorm2d BatchNorm3d Embedding',
);

/** Norms by functions: the input and the weight. */
const NORMS = named('layer_norm group_norm batch_norm rms_norm');

const PAIR_LOSSES = named(
  'mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits MSELoss SmoothL1Loss BCELoss BCEWithLogitsLoss',
);

/** Ops that keep the tensor of places that they were given, by its place. */
const PLACES: ReadonlyMap<string, number> = new Map([
  ['masked_fill', 1],
  ['index_select', 1],
  ['where', 0],
  ['embedding', 0],
]);

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['*', 'mul'],
  ['/', 'div'],
  ['@', 'matmul'],
  ['**', 'pow'],
]);

const NOTHING: Kept = { inputs: [], outputs: [], beside: null };
const inputs = (...places: readonly number[]): Kept => ({ ...NOTHING, inputs: places });

/**
 * What a call keeps that was given that many tensors; `flows` says of which of them a gradient is asked, `isFirst` whether
 * the first argument is one of them. `op` is its last name: `matmul`, `LayerNorm`, `relu_`.
 */
export function keptForBackward(op: string, count: number, flows: (place: number) => boolean, isFirst = true): Kept {
  if (op.endsWith('_')) return keptInPlace(op.slice(0, -1), count, flows);
  const name = OPERATORS.get(op) ?? op;
  const places = [...Array(count).keys()];
  if (LAYERS.has(name)) return count === 0 ? NOTHING : inputs(0);
  if (!places.some(flows)) return NOTHING;
  if (RESULT.has(name)) return { ...NOTHING, outputs: [0] };
  if (OPERAND.has(name)) return inputs(0);
  if (BOTH.has(name)) return { ...inputs(0), outputs: [0] };
  if (FACTORS.has(name))
    return inputs(...places.slice(0, factorsOf(name)).filter((place) => others(place, count).some(flows)));
  if (NORMS.has(name)) return inputs(...places);
  if (PAIR_LOSSES.has(name)) return inputs(0, 1);
  const place = PLACES.get(name);
  if (place !== undefined) return inputs(...places.filter((each) => each === place));
  switch (name) {
    case 'div':
      // A number over a tensor is the number times the reciprocal, which is kept.
      if (count < 2) return isFirst ? NOTHING : { ...NOTHING, beside: 'like output' };
      return inputs(...(flows(1) ? [0, 1] : [1]));
    case 'pow':
      if (count > 1) return { inputs: [0, 1], outputs: flows(1) ? [0] : [], beside: null };
      return isFirst ? inputs(0) : { ...inputs(0), outputs: [0] };
    case 'addmm':
    case 'baddbmm':
      return inputs(...[1, 2].filter((each) => flows(3 - each)));
    case 'gather':
      return inputs(0, 1);
    case 'getitem':
      return inputs(...places.slice(1));
    case 'max':
    case 'min':
    case 'sort':
    case 'topk':
      return { ...NOTHING, outputs: [1] };
    case 'dropout':
    case 'Dropout':
      return { ...NOTHING, beside: 'like output' };
    case 'max_pool2d':
    case 'MaxPool2d':
      return { ...inputs(0), beside: 'indices like output' };
    case 'cross_entropy':
    case 'CrossEntropyLoss':
      return { ...inputs(1), beside: 'like input' };
    case 'nll_loss':
    case 'NLLLoss':
      return inputs(0, 1);
    case 'l1_loss':
    case 'L1Loss':
      return { ...NOTHING, beside: 'like input' };
    case 'scaled_dot_product_attention':
      return { ...inputs(...places.slice(0, 3)), outputs: [0] };
    default:
      return NOTHING;
  }
}

/** In place, too, what comes out is what is kept; of a product the other factor. */
function keptInPlace(name: string, count: number, flows: (place: number) => boolean): Kept {
  if (RESULT.has(name) && flows(0)) return { ...NOTHING, outputs: [0] };
  return (name === 'mul' || name === 'div') && count > 1 && flows(0) ? inputs(1) : NOTHING;
}

/** A bias is no factor. */
const factorsOf = (name: string): number => (name === 'einsum' ? Number.POSITIVE_INFINITY : 2);

const others = (place: number, count: number): readonly number[] =>
  [...Array(count).keys()].filter((each) => each !== place && each < 2 + (count > 3 ? count : 0));
