"""Chains of tensor ops as models have them. Both sides of the benchmark read this file: Python runs it on the meta device,
the engine parses it. An annotation gives the sizes of an input; sizes are numbers, or in the symbolic run symbols."""

import torch
import torch.nn.functional as F

B, T, C, H = 8, 196, 768, 12
D = C // H
Y, X, P, M = 56, 56, 7, 3072
W = P * P


def heads(x: "B, T, C", qkv: "3 * C, C", proj: "C, C"):
    q, k, v = F.linear(x, qkv).reshape(B, T, 3, H, D).permute(2, 0, 3, 1, 4).unbind(0)
    scores = (q * 0.125) @ k.transpose(-2, -1)
    y = scores.softmax(dim=-1) @ v
    return x + F.linear(y.transpose(1, 2).reshape(B, T, C), proj)


def mlp(x: "B, T, C", up: "M, C", down: "C, M", bias: "C", gain: "C"):
    h = F.layer_norm(x, (C,), gain, bias)
    h = F.linear(F.gelu(F.linear(h, up)), down)
    return x + gain * h


def gated(x: "B, T, C", gate: "M, C", up: "M, C", down: "C, M", gain: "C"):
    h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * gain
    return x + F.linear(F.silu(F.linear(h, gate)) * F.linear(h, up), down)


def rotary(q: "B, H, T, D", cos: "T, D", sin: "T, D"):
    cos, sin = cos[None, None, :, :], sin[None, None, :, :]
    a, b = q.chunk(2, dim=-1)
    turned = torch.cat((-b, a), dim=-1)
    return q * cos + turned * sin


def windows(x: "B, Y, X, C"):
    w = x.view(B, Y // P, P, X // P, P, C).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, P, P, C)
    w = w.view(-1, W, C)
    w = w.view(B, Y // P, X // P, P, P, C).permute(0, 1, 3, 2, 4, 5)
    return w.reshape(B, Y, X, C) + x


def patches(image: "B, 3, 4 * Y, 4 * X", kernel: "C, 3, 4, 4", token: "1, 1, C", place: "1, Y * X + 1, C"):
    x = F.conv2d(image, kernel, None, 4)
    x = x.flatten(2).transpose(1, 2)
    x = torch.cat((token.expand(B, -1, -1), x), dim=1) + place
    return x[:, 0], x[:, 1:].mean(1)


def residual(x: "B, C, Y, X", a: "C, C, 3, 3", b: "C, C, 3, 3", gain: "C", bias: "C", mean: "C", var: "C"):
    h = F.relu(F.batch_norm(F.conv2d(x, a, None, 1, 1), mean, var, gain, bias))
    h = F.batch_norm(F.conv2d(h, b, None, 1, 1), mean, var, gain, bias)
    return F.relu(h + x)


def squeezed(x: "B, C, Y, X", down: "H, C", up: "C, H", gain: "C", bias: "C"):
    s = x.mean((2, 3))
    s = torch.sigmoid(F.linear(F.relu(F.linear(s, down)), up))
    y = x * s.unsqueeze(-1).unsqueeze(-1)
    return y * gain.view(1, -1, 1, 1) + bias[:, None, None]


def masked(scores: "B, H, T, T", lengths: "B"):
    place = torch.arange(T, device="meta")
    causal = place[:, None] >= place[None, :]
    inside = place[None, :] < lengths[:, None]
    allowed = causal[None, None] & inside[:, None, None, :]
    return scores.masked_fill(~allowed, -1e9).softmax(-1)


def slices(x: "B, T, C"):
    first, rest = x[:, 0], x[:, 1:]
    even, odd = rest[:, ::2], rest[:, 1::2]
    head = x[..., :D].narrow(1, 0, 7).select(1, 3)
    last = x[:, -1, None]
    return first, even, odd, head, last


def views(x: "B, T, C"):
    y = x.view(B, T, H, D).transpose(1, 2)
    y = y.unsqueeze(2).expand(B, H, 4, T, D)
    y = y.permute(0, 2, 1, 3, 4).unsqueeze(0).squeeze(0).select(1, 0)
    y = y.movedim(1, 2).flatten(2, 3).transpose(-2, -1)
    return y, x.view(B, T, -1).unflatten(2, (H, D)).permute(0, 2, 1, 3)
