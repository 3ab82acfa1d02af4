"""A small convolutional network, and the layout of its activations.

A memory format is a matter of strides. One conversion at the input carries through the convolutions; the flatten at the
end has to undo it.
"""

import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, classes: int = 10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1),
            nn.ReLU(),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(64 * 16 * 16, classes)
        self.small_head = nn.Linear(64, classes)

    def forward(self, images):
        # images: [N, 3, 32, 32]
        x = images.to(memory_format=torch.channels_last)  # the one conversion
        x = self.features(x)
        return self.head(x.flatten(1))  # hidden-copy: back to NCHW order

    def forward_pooled(self, images):
        # images: [N, 3, 32, 32]
        x = images.to(memory_format=torch.channels_last)
        x = self.pool(self.features(x))
        return self.small_head(x.flatten(1))  # one pixel: a view
