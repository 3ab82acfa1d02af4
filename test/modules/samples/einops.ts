export const einops: readonly string[] = [
  "train  einops.layers.torch.Rearrange('b c h w -> b (h w) c')  (2, 3, 4, 5)",
  "train  einops.layers.torch.Rearrange('b c h w -> b h w c')  (2, 3, 4, 5)",
  "train  einops.layers.torch.Rearrange('b c (h p) (w q) -> b (h w) (p q c)', p=2, q=5)  (2, 3, 4, 5)",
  "train  einops.layers.torch.Rearrange('b c (h p) -> b h (p c)', p=3)  (2, 3, 4)",
  "train  einops.layers.torch.Reduce('b c (h p) w -> b c h', 'max', p=2)  (2, 3, 4, 5)",
  "train  einops.layers.torch.Reduce('b c -> b', 'mean')  (2, 3)",
  "train  einops.layers.torch.EinMix('b t c -> b t d', weight_shape='c d', bias_shape='d', c=4, d=6)  (2, 3, 4)",
  "train  einops.layers.torch.EinMix('b t (h c) -> b h t d', weight_shape='h c d', c=4, d=6, h=2)  (2, 3, 8)",
  "train  einops.layers.torch.EinMix('b c h w -> b (h w) d', weight_shape='c d', bias_shape='d', c=3, d=7)  (2, 3, 4, 5)",
  "train  einops.layers.torch.EinMix('b t c -> b t d', weight_shape='c d', c=5, d=6)  (2, 3, 4)",
];
