"""Views that the strides do not allow.

`view` merges two dims only where stride[i] == size[i + 1] * stride[i + 1].
"""

import torch


def topk_accuracy(logits, target):
    # logits: [N, 100]  target: [N] int64
    _, predicted = logits.topk(5, dim=1)
    hits = predicted.t().eq(target.view(1, -1))
    top1 = hits[:1].view(-1).float().sum()  # one row merges with anything
    top5 = hits[:5].view(-1).float().sum()  # incompatible-view: raises
    return top1, top5


def crop_rows(image):
    # image: [3, 64, 64]
    crop = image[:, :, 16:48]
    return crop.view(3, -1)  # incompatible-view: rows of 32 lie 64 apart


def halves(image):
    # image: [3, 64, 64]
    crop = image[:, 16:48]
    return crop.view(3, -1)  # whole rows: legal, although not contiguous
