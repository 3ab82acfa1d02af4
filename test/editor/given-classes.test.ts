import { expect, it } from 'vitest';
import { facts } from '../../engine/index.ts';
import { analysisOf } from '../rules/program.ts';

/** Sizes and strides that are told of an expression, for each kind of call. */
async function toldOf(text: string, name: string, expression: string): Promise<readonly string[]> {
  const rows = facts(await analysisOf(text)).filter(
    (row) => row.function === name && row.kind === 'expression' && text.slice(row.start, row.end) === expression,
  );
  const shown = (sizes: readonly (string | null)[] | null | undefined) =>
    sizes ? sizes.map((size) => size ?? '?').join(', ') : '?';
  return rows.map(({ tensors }) => `[${shown(tensors?.[0]?.shape)}] (${shown(tensors?.[0]?.stride)})`);
}

const net = (functions: string): string => `import torch
import torch.nn.functional as F
from torch import nn


class ChannelsLastNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return F.layer_norm(x.permute(0, 2, 3, 1), (self.dim,)).permute(0, 3, 1, 2)


class Net(nn.Module):
    def __init__(self, dim, norm_layer=ChannelsLastNorm):
        super().__init__()
        self.conv = nn.Conv2d(3, dim, 1)
        self.norm = norm_layer(dim) if norm_layer else nn.Identity()

    def forward(self, x):
        B, C, H, W = x.shape
        return self.norm(self.conv(x))


${functions}`;

const NORMED = 'self.norm(self.conv(x))';

it('a class that is the default is what is made, where the functions of the file give no other', async () => {
  const text = net('def small():\n    return Net(dim=8)\n');
  expect(await toldOf(text, 'Net.forward', NORMED)).toEqual([
    '[B, self.norm.dim, H, W] (self.norm.dim*H*W, 1, self.norm.dim*W, self.norm.dim)',
  ]);
});

it('a class that the functions of the file often give may stand in the place of the default', async () => {
  const text = net('def small():\n    return Net(dim=8, norm_layer=nn.BatchNorm2d)\n');
  expect(await toldOf(text, 'Net.forward', NORMED)).toEqual(['[B, dim, H, W] (?)']);
});

it('None, which some function of the file gives, may stand in the place of the default', async () => {
  const text = net('def small():\n    return Net(dim=8, norm_layer=None)\n');
  expect(await toldOf(text, 'Net.forward', NORMED)).toEqual(['[B, dim, H, W] (?)']);
});

it('a layer that is left out by default, and that a class gives as it chooses, is not taken to be left out', async () => {
  const text = `from torch import nn


class Block(nn.Module):
    def __init__(self, dim, stride: int = 1, proj_layer=None):
        super().__init__()
        self.conv = nn.Conv2d(dim, dim, 3, stride, 1)
        self.proj = proj_layer(dim, stride) if proj_layer is not None else None

    def forward(self, x):
        B, C, H, W = x.shape
        shortcut = x if self.proj is None else self.proj(x)
        y = self.conv(x)
        return y + shortcut


class Stage(nn.Module):
    def __init__(self, dim, pools: bool = False):
        super().__init__()
        proj_layer = Pooled if pools else Strided
        self.block = Block(dim, 2, proj_layer=proj_layer)

    def forward(self, x):
        return self.block(x)
`;
  expect(await toldOf(text, 'Block.forward', 'self.conv(x)')).not.toContain('[B, C, H, W] (C*H*W, H*W, W, 1)');
});
