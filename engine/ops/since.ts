import { ABSENT as before26 } from './absent/torch-1.13.ts';
import { ABSENT as before213 } from './absent/torch-2.6.ts';
import { isSince, NEWEST_PROFILE, PROFILES, type TorchVersion } from './versions.ts';

/** What was there, and did something else that is not modelled. */
const CHANGED: readonly { readonly after: TorchVersion; readonly names: readonly string[] }[] = [
  {
    after: [1, 13],
    names: [
      ...['alias', 'detach', 'diagonal', 'expand', 'permute', 'select', 'slice', 'squeeze', 't', 'transpose'].map(
        (name) => `torch.${name}_copy`,
      ),
      ...['unfold', 'unsqueeze', 'view', 'view_as_complex', 'view_as_real'].map((name) => `torch.${name}_copy`),
      ...['torch', 'torch.Tensor'].flatMap((owner) =>
        ['select_scatter', 'slice_scatter', 'diagonal_scatter', 'as_strided_scatter', 'diff', 'stft', 'symeig'].map(
          (name) => `${owner}.${name}`,
        ),
      ),
      ...['torch.channel_shuffle', 'torch.nn.functional.channel_shuffle', 'torch.nn.functional.gaussian_nll_loss'],
      ...['torch._foreach_maximum', 'torch._foreach_minimum', 'torch.pca_lowrank', 'torch.svd_lowrank'],
      ...['torch.Tensor.dense_dim', 'torch.Tensor.sparse_dim'],
    ],
  },
  { after: [2, 6], names: ['torch.conj_physical', 'torch.Tensor.conj_physical'] },
];

const lastOther: ReadonlyMap<string, TorchVersion> = new Map(
  CHANGED.flatMap(({ after, names }) => names.map((name) => [name, after] as const)),
);

/** The last of the measured versions that has not got a name. */
const lastWithout: ReadonlyMap<string, TorchVersion> = new Map<string, TorchVersion>([
  ...before26.map((name) => [name, [1, 13]] as const),
  ...before213.map((name) => [name, [2, 6]] as const),
]);

/** The measured version that is the first to have a name: `null` where the oldest has it. */
export function since(name: string): TorchVersion | null {
  const without = lastWithout.get(name);
  return without === undefined ? null : (PROFILES.find((version) => !isSince(without, version)) ?? null);
}

/**
 * Why nothing is told of a qualified name on this torch: "torch 1.13 has no `rms_norm`", or has another one that does not
 * do the same; null where it is there. The newest measured version has them all.
 */
export function missing(name: string, torch: TorchVersion): string | null {
  if (isSince(torch, NEWEST_PROFILE)) return null;
  const last = name.slice(name.lastIndexOf('.') + 1);
  const isBefore = (after: TorchVersion | undefined) => after !== undefined && isSince(after, torch);
  if (isBefore(lastWithout.get(name))) return `torch ${torch.join('.')} has no \`${last}\``;
  return isBefore(lastOther.get(name)) ? `torch ${torch.join('.')} has another \`${last}\`` : null;
}
