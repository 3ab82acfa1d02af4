import { type DType, isComplex, isIntegral } from '../tensor/index.ts';

/** The dtypes that kernels are written for together; any other is none of these. */
export type KernelClass = 'bool' | 'int' | 'complex';

/**
 * The functions that have no kernel for booleans, for integers or for complex numbers ("not implemented for 'Bool'"), by the
 * names that their signatures have. As measured on the CPU with tensors of that one class.
 */
const WITHOUT: readonly (readonly [classes: readonly KernelClass[], names: readonly string[]])[] = [
  [
    ['complex'],
    [
      'F.cosine_embedding_loss F.lp_pool1d F.lp_pool2d F.lp_pool3d F.mse_loss F.smooth_l1_loss',
      'Tensor.__rfloordiv__ Tensor.abs_ Tensor.atan2_ Tensor.bernoulli_ Tensor.clamp_ Tensor.clamp_max_',
      'Tensor.clamp_min_ Tensor.clip_ Tensor.copysign_ Tensor.deg2rad_ Tensor.fmod_ Tensor.ge_ Tensor.gt_',
      'Tensor.heaviside_ Tensor.hypot_ Tensor.igamma_ Tensor.igammac_ Tensor.le_ Tensor.lt_ Tensor.nextafter_',
      'Tensor.polygamma Tensor.polygamma_ Tensor.random_ Tensor.remainder_ Tensor.round Tensor.xlogy_ amax amin',
      'aminmax argsort atan2 copysign cummax cummin deg2rad fft.ihfft fft.ihfft2 fft.ihfftn fft.rfft fft.rfft2',
      'fft.rfftn floor_divide fmax fmin fmod ge gt heaviside hypot isneginf isposinf le logit logit_ lt max',
      'maximum min minimum mode msort nanmean nansum nextafter remainder signbit sort special.logit',
      'special.xlog1py special.zeta torch.complex torch.polygamma xlogy',
    ],
  ],
  [
    ['bool', 'int', 'complex'],
    [
      'F.adaptive_avg_pool3d F.adaptive_max_pool1d F.adaptive_max_pool2d F.adaptive_max_pool3d F.affine_grid',
      'F.binary_cross_entropy F.binary_cross_entropy_with_logits F.celu F.celu_ F.cosine_similarity F.elu',
      'F.elu_ F.fractional_max_pool2d F.gelu F.glu F.grid_sample F.group_norm F.gumbel_softmax F.hardshrink',
      'F.hardsigmoid F.hardswish F.huber_loss F.kl_div F.leaky_relu F.leaky_relu_ F.logsigmoid F.max_unpool1d',
      'F.max_unpool2d F.max_unpool3d F.mish F.multi_margin_loss F.multilabel_margin_loss',
      'F.multilabel_soft_margin_loss F.nll_loss F.prelu F.rrelu F.rrelu_ F.scaled_dot_product_attention F.selu',
      'F.selu_ F.softplus F.softshrink Tensor.cauchy_ Tensor.exponential_ Tensor.log_normal_ bernoulli histc',
      'igamma igammac logaddexp2 multinomial torch.adaptive_max_pool1d torch.batch_norm',
      'torch.binary_cross_entropy_with_logits torch.celu torch.celu_ torch.grid_sampler torch.histogramdd',
      'torch.instance_norm torch.kl_div torch.pdist torch.rrelu torch.rrelu_ torch.selu torch.selu_',
      'torch.view_as_complex',
    ],
  ],
  [
    ['bool'],
    [
      'F.bilinear F.conv1d F.conv2d F.conv3d F.conv_transpose1d F.conv_transpose2d F.conv_transpose3d F.l1_loss',
      'F.linear F.pairwise_distance F.softsign F.tanhshrink F.triplet_margin_loss',
      'F.triplet_margin_with_distance_loss Tensor.addbmm_ Tensor.addcmul_ Tensor.addmm_ Tensor.addmv_',
      'Tensor.baddbmm_ Tensor.cumprod_ Tensor.cumsum_ Tensor.square_ addbmm addcmul addmm addmv baddbmm bmm',
      'corrcoef cov cross dot inner linalg.cross linalg.multi_dot linalg.vander matmul mm mv',
      'torch.affine_grid_generator torch.bilinear torch.chain_matmul torch.cumulative_trapezoid torch.gradient',
      'torch.poisson_nll_loss torch.tensordot torch.trapezoid torch.triplet_margin_loss trace',
    ],
  ],
  [
    ['bool', 'int'],
    [
      'F.adaptive_avg_pool1d F.adaptive_avg_pool2d F.normalize F.rms_norm F.silu F.soft_margin_loss',
      'Tensor.addcdiv_ Tensor.normal_ Tensor.uniform_ addcdiv cholesky_solve dist lerp',
      'linalg.cond linalg.ldl_solve linalg.lu_solve linalg.matrix_norm linalg.matrix_rank linalg.norm',
      'linalg.svdvals linalg.tensorinv linalg.tensorsolve linalg.vecdot linalg.vector_norm logaddexp',
      'logcumsumexp lu lu_solve ormqr pinverse qr svd torch.frobenius_norm torch.nuclear_norm',
    ],
  ],
  [
    ['bool', 'complex'],
    [
      'F.avg_pool1d F.avg_pool2d F.avg_pool3d F.gaussian_nll_loss F.hardtanh F.hardtanh_ F.hinge_embedding_loss',
      'F.interpolate F.margin_ranking_loss F.max_pool1d F.max_pool2d F.max_pool3d F.relu F.relu6 F.relu_',
      'F.threshold F.threshold_ F.upsample_bilinear F.upsample_nearest Tensor.floor_divide_ Tensor.geometric_',
      'argmax argmin median nanmedian topk torch.bucketize torch.hinge_embedding_loss torch.isin',
      'torch.margin_ranking_loss torch.randint_like torch.searchsorted torch.threshold',
    ],
  ],
  [['int'], ['F.fold F.unfold special.round']],
];

const rejected: ReadonlyMap<string, ReadonlySet<KernelClass>> = new Map(
  WITHOUT.flatMap(([classes, lines]) =>
    lines.flatMap((line) => line.split(' ')).map((name) => [name, new Set(classes)] as const),
  ),
);

/** The classes that a function has no kernel for, by the name that its signature has; null where it has them all. */
export const classesWithoutKernel = (name: string): ReadonlySet<KernelClass> | null => rejected.get(name) ?? null;

export function kernelClassOf(dtype: DType | null): KernelClass | null {
  if (dtype === null) return null;
  if (dtype === 'bool') return 'bool';
  return isComplex(dtype) ? 'complex' : isIntegral(dtype) ? 'int' : null;
}
