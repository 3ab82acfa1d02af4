import { isSince, type TorchVersion } from '../versions.ts';

/**
 * What autocast does to an op on one type of device, as measured on 2.13 (`test/ops/autocast.json`): functions that are
 * made of listed ones behave as those do.
 * - `low`: it runs in the dtype of the region
 * - `single`: it runs in float32
 * - `widest`: its tensors are cast to the widest dtype among them
 * - `open`: it depends on more than is looked at
 * - `refused`: it raises
 * Any other runs in the dtype of what it is given. float64, complex numbers and integers are never cast.
 */
export type Policy = 'low' | 'single' | 'widest' | 'open' | 'refused';

type Lists = Readonly<Partial<Record<Policy, readonly string[]>>>;

const F = (...names: readonly string[]): readonly string[] => names.map((name) => `torch.nn.functional.${name}`);
const plain = (...names: readonly string[]): readonly string[] => names.map((name) => `torch.${name}`);
const linalg = (...names: readonly string[]): readonly string[] => names.map((name) => `torch.linalg.${name}`);

const PRODUCTS = [
  ...plain('addbmm', 'addmm', 'baddbmm', 'bmm', 'chain_matmul', 'matmul', 'mm'),
  ...linalg('multi_dot'),
  ...F('conv1d', 'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d'),
  ...F('linear', 'prelu', 'scaled_dot_product_attention'),
  ...plain('conv_tbc'),
];

const LOSSES = [
  ...F('binary_cross_entropy_with_logits', 'cosine_embedding_loss', 'cross_entropy', 'hinge_embedding_loss'),
  ...F('huber_loss', 'kl_div', 'l1_loss', 'margin_ranking_loss', 'mse_loss', 'nll_loss', 'poisson_nll_loss'),
  ...F('smooth_l1_loss', 'soft_margin_loss', 'triplet_margin_loss'),
  ...plain('binary_cross_entropy_with_logits', 'cosine_embedding_loss', 'hinge_embedding_loss', 'kl_div'),
  ...plain('margin_ranking_loss', 'poisson_nll_loss', 'triplet_margin_loss'),
];

/** What runs `pow`, products of low rank or sums on the way, and not always. */
const OPEN = [
  ...plain(
    'pca_lowrank',
    'svd_lowrank',
    'lobpcg',
    'matrix_power',
    'bilinear',
    'masked.prod',
    'fake_quantize_per_tensor_affine',
  ),
  ...plain('lstm', 'gru', 'rnn_relu', 'rnn_tanh', 'lstm_cell', 'gru_cell', 'rnn_relu_cell', 'rnn_tanh_cell'),
  ...plain('cov', 'corrcoef', 'trapezoid', 'cumulative_trapezoid', 'norm_except_dim', 'frobenius_norm'),
  ...plain(
    'grid_sampler',
    'affine_grid_generator',
    'native_layer_norm',
    'Tensor.sum_to_size',
    'nn.utils.get_total_norm',
  ),
  ...plain('nn.utils.clip_grad_norm_'),
  ...F('linear_cross_entropy', 'lp_pool3d', 'multi_head_attention_forward', 'triplet_margin_with_distance_loss'),
  ...F('adaptive_max_pool3d_with_indices', 'fractional_max_pool2d_with_indices'),
];

const CUDA: Lists = {
  low: [...PRODUCTS, ...plain('addmv', 'addr', 'convolution', 'einsum', 'mv'), ...linalg('vecdot')],
  single: [
    ...LOSSES,
    ...plain('acos', 'asin', 'cdist', 'cosh', 'cumprod', 'cumsum', 'erfinv', 'exp', 'expm1', 'log', 'log10', 'log1p'),
    ...plain('log2', 'log_softmax', 'logsumexp', 'norm', 'nuclear_norm', 'pdist', 'pow', 'prod', 'reciprocal'),
    ...plain('renorm', 'rsqrt', 'sinh', 'softmax', 'square', 'sum', 'tan', 'Tensor.__rpow__', 'Tensor.__rtruediv__'),
    ...linalg('matrix_norm', 'norm', 'vector_norm'),
    ...F('cosine_similarity', 'group_norm', 'gumbel_softmax', 'interpolate', 'layer_norm', 'local_response_norm'),
    ...F('log_softmax', 'lp_pool1d', 'lp_pool2d', 'multi_margin_loss', 'multilabel_margin_loss'),
    ...F('multilabel_soft_margin_loss', 'normalize', 'pairwise_distance', 'rms_norm', 'softmax', 'softmin', 'softplus'),
    ...F('upsample_bilinear', 'upsample_nearest'),
  ],
  widest: [
    ...plain('addcdiv', 'addcmul', 'atan2', 'cross', 'dot', 'index_put', 'tensordot', 'scatter_add'),
    ...linalg('cross'),
    ...F('grid_sample', 'bilinear'),
  ],
  open: [...OPEN, ...plain('inner', 'dist'), 'einops.reduce', 'einops.einsum', ...F('gaussian_nll_loss', 'ctc_loss')],
  refused: F('binary_cross_entropy'),
};

const CPU: Lists = {
  low: [...PRODUCTS, ...F('affine_grid'), ...linalg('vecdot')],
  single: [
    ...LOSSES,
    ...plain('cdist', 'cholesky', 'cholesky_inverse', 'cholesky_solve', 'geqrf', 'inverse', 'lu', 'lu_solve', 'ormqr'),
    ...plain('nanquantile', 'pinverse', 'prod', 'qr', 'quantile', 'svd', 'trace', 'triangular_solve', 'stft'),
    ...linalg('cholesky', 'cholesky_ex', 'cond', 'eigh', 'eigvalsh', 'householder_product', 'inv_ex', 'lstsq'),
    ...linalg('matrix_rank', 'qr', 'solve', 'svd', 'svdvals', 'tensorinv', 'tensorsolve', 'eig'),
    ...['fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft'].map((name) => `torch.fft.${name}`),
    ...['fft2', 'ifft2', 'rfft2', 'irfft2', 'fftn', 'ifftn', 'rfftn', 'irfftn'].map((name) => `torch.fft.${name}`),
    ...F('adaptive_avg_pool3d', 'adaptive_max_pool3d', 'avg_pool3d', 'binary_cross_entropy', 'fractional_max_pool2d'),
    ...F('fractional_max_pool3d', 'grid_sample', 'max_pool3d', 'max_unpool1d', 'max_unpool2d', 'max_unpool3d'),
    ...F('multi_margin_loss', 'multilabel_margin_loss'),
  ],
  widest: plain('stack', 'cat', 'index_copy'),
  open: [
    ...OPEN,
    ...plain('einsum', 'inner', 'tensordot', 'istft'),
    ...['einops.einsum'],
    ...linalg('norm', 'matrix_norm', 'vander', 'pinv', 'ldl_factor', 'lu_factor', 'lu'),
    ...F('pad', 'local_response_norm', 'ctc_loss', 'gaussian_nll_loss', 'multilabel_soft_margin_loss'),
  ],
};

const tabulate = (lists: Lists): ReadonlyMap<string, Policy> =>
  new Map(
    (Object.keys(lists) as Policy[]).flatMap((policy) => (lists[policy] ?? []).map((name) => [name, policy] as const)),
  );

/** By type of device, and by the canonical name of an op. */
export const POLICIES: ReadonlyMap<string, ReadonlyMap<string, Policy>> = new Map([
  ['cuda', tabulate(CUDA)],
  ['cpu', tabulate(CPU)],
]);

/** What the CPU of 1.13 did not cast in the same way. */
const OTHER_ON_OLD_CPU: ReadonlySet<string> = new Set([
  ...F('conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'prelu'),
  ...linalg('vecdot'),
]);

/**
 * The policy for an op by its canonical qualified name; null: it is not cast. On a device that was not measured all is open,
 * on one that is not known what the devices do not agree on.
 */
export function policyOn(device: string | null, name: string, torch: TorchVersion): Policy | null {
  if (device !== 'cpu' && !isSince(torch, [2, 13]) && name === 'torch.nn.functional.rms_norm') return 'open';
  if (device !== 'cuda' && !isSince(torch, [2, 6]) && OTHER_ON_OLD_CPU.has(name)) return 'open';
  if (device !== null) {
    const policies = POLICIES.get(device);
    return policies === undefined ? 'open' : (policies.get(name) ?? null);
  }
  const policies = new Set([...POLICIES.values()].map((table) => table.get(name) ?? null));
  const [only] = policies;
  if (policies.size === 1 && only !== undefined) return only;
  return [...policies].every((policy) => policy === null || policy === 'single') ? 'single' : 'open';
}
