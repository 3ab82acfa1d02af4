"""A dataset that normalises its samples, and its own storage with them.

`self.images[index]` is a view. The in-place lines below write the dataset, so the second epoch trains on other numbers
than the first, without an error.
"""

import torch
from torch.utils.data import Dataset


class Digits(Dataset):
    def __init__(self, count: int):
        self.images = torch.rand(count, 1, 28, 28)
        self.labels = torch.randint(0, 10, (count,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index: int):
        image = self.images[index]
        image -= image.mean()  # write-through-view: self.images changes
        return image, self.labels[index]


class DigitsLeftAlone(Digits):
    def __getitem__(self, index: int):
        image = self.images[index]
        image = image - image.mean()  # a tensor of its own
        return image, self.labels[index]
