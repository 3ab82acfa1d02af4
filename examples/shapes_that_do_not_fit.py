"""Shapes that provably do not fit, found without running anything."""

import torch
import torch.nn as nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(784, 128)
        self.decode = nn.Linear(64, 784)

    def forward(self, x):
        # x: [N, 784]
        return self.decode(self.encode(x))  # shape-mismatch: 128 features into a layer of 64


def late_fusion(image_features, text_features):
    # image_features: [N, 512]  text_features: [N, 256]
    both = torch.cat([image_features, text_features], dim=1)
    weight = torch.zeros(512, 10)
    return both @ weight  # shape-mismatch: 768 is not 512
