import { isSince, type TorchVersion } from './versions.ts';

/** What came to torch between two of the measured versions, by the last of them that has not got it. */
const CAME: readonly { readonly after: TorchVersion; readonly names: readonly string[] }[] = [
  {
    after: [1, 13],
    names: [
      ...['CircularPad1d', 'CircularPad2d', 'CircularPad3d', 'ZeroPad1d', 'ZeroPad3d'].map(
        (name) => `torch.nn.${name}`,
      ),
      ...['Buffer', 'LPPool3d', 'RMSNorm'].map((name) => `torch.nn.${name}`),
      ...['lp_pool3d', 'rms_norm', 'scaled_dot_product_attention'].map((name) => `torch.nn.functional.${name}`),
      ...['dim_order', 'nonzero_static', 'slice_inverse', 'untyped_storage'].map((name) => `torch.Tensor.${name}`),
      ...['clamp_max', 'clamp_min', 'lerp', 'pow', 'rsqrt', 'sign'].map((name) => `torch._foreach_${name}`),
      ...['clamp_max_', 'clamp_min_', 'lerp_', 'pow_', 'rsqrt_', 'sign_'].map((name) => `torch._foreach_${name}`),
      ...['_foreach_copy_', '_foreach_max', 'compile', 'cond', 'empty_permuted'].map((name) => `torch.${name}`),
      ...['get_default_device', 'nonzero_static', 'rms_norm', 'set_default_device'].map((name) => `torch.${name}`),
      ...['slice_inverse', 'sym_max', 'sym_min', 'unravel_index', 'vmap', 'while_loop'].map((name) => `torch.${name}`),
    ],
  },
  {
    after: [2, 6],
    names: [
      ...['grouped_mm', 'linear_cross_entropy', 'scaled_mm', 'scaled_grouped_mm'].map(
        (name) => `torch.nn.functional.${name}`,
      ),
      ...['torch.Tensor.hash_tensor', 'torch.hash_tensor', 'torch.Tensor.index', 'torch.nn.LinearCrossEntropyLoss'],
    ],
  },
];

const lastWithout: ReadonlyMap<string, TorchVersion> = new Map(
  CAME.flatMap(({ after, names }) => names.map((name) => [name, after] as const)),
);

/** Why a qualified name stands for nothing on this torch: "torch 1.13 has no `rms_norm`"; null where it may be there. */
export function missing(name: string, torch: TorchVersion): string | null {
  const without = lastWithout.get(name);
  if (without === undefined || !isSince(without, torch)) return null;
  return `torch ${torch.join('.')} has no \`${name.slice(name.lastIndexOf('.') + 1)}\``;
}
