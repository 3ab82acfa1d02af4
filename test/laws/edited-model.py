"""A small vision transformer as people write them: helpers, a table of configurations, entry points."""
import math
from functools import partial
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F

HEADS = 8
EPS = 1e-6


def register(fn):
    return fn


def _cfg(url='', **kwargs):
    return {'url': url, 'num_classes': 1000, 'input_size': (3, 224, 224), **kwargs}


default_cfgs = {
    'tiny': _cfg(url='https://example.org/tiny.pth'),
    'small': _cfg(url='https://example.org/small.pth', num_classes=10),
}


# x: [B, N, C]
def split_heads(x, heads):
    B, N, C = x.shape
    return x.reshape(B, N, heads, C // heads).transpose(1, 2)


class Mlp(nn.Module):
    def __init__(self, dim, hidden=None, act=nn.GELU, drop=0.0):
        super().__init__()
        hidden = hidden or dim * 4
        self.fc1 = nn.Linear(dim, hidden)
        self.act = act()
        self.fc2 = nn.Linear(hidden, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        return self.drop(self.fc2(self.act(self.fc1(x))))


class Attention(nn.Module):
    def __init__(self, dim, num_heads=HEADS, qkv_bias=True):
        super().__init__()
        assert dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = self.head_dim**-0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask: Optional[torch.Tensor] = None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        att = (q * self.scale) @ k.transpose(-2, -1)
        if mask is not None:
            att = att.masked_fill(mask == 0, float('-inf'))
        att = att.softmax(dim=-1)
        x = (att @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class Block(nn.Module):
    def __init__(self, dim, num_heads, norm_layer=partial(nn.LayerNorm, eps=EPS)):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = Attention(dim, num_heads)
        self.norm2 = norm_layer(dim)
        self.mlp = Mlp(dim)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Vit(nn.Module):
    def __init__(self, image=224, patch=16, dim=384, depth=4, num_heads=6, num_classes=10):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, (image // patch) ** 2 + 1, dim))
        self.blocks = nn.Sequential(*[Block(dim, num_heads) for _ in range(depth)])
        self.head = nn.Linear(dim, num_classes)

    def embed(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        return x + self.pos_embed

    def forward(self, x):
        x = self.blocks(self.embed(x))
        return self.head(x[:, 0])


def resize(pos, size):
    # pos: [1, N, C]
    n = int(math.sqrt(pos.shape[1]))
    grid = pos.reshape(1, n, n, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(size, size), mode='bicubic')
    return grid.permute(0, 2, 3, 1).reshape(1, size * size, -1)


@register
def tiny(**kwargs):
    model = Vit(**dict(dim=192, num_heads=3, **kwargs))
    return model


@register
def small(**kwargs):
    return Vit(**dict(dim=384, num_heads=6, **kwargs))


def block(x, dim=64):
    # x: [B, N, 64]
    y = Block(dim, HEADS)(x)
    return split_heads(y, HEADS).transpose(1, 2).view(y.shape[0], -1)
