"""Self-attention with a copy that nobody asked for.

Merging the heads after the transpose cannot be a view: two neighbouring heads lie T * d apart, not d. `reshape` copies
the whole activation, silently, in every layer of every step.
"""

import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        y = scores.softmax(dim=-1) @ v
        y = y.transpose(1, 2).reshape(B, T, C)  # hidden-copy: B*T*C elements
        return self.out(y)


class SelfAttentionSpelledOut(SelfAttention):
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        y = scores.softmax(dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)  # the same copy, asked for: nothing to report
        return self.out(y)
