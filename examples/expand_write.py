"""Writing a tensor that was expanded.

`expand` gives the batch dim stride 0: all rows are one row. Most writes raise; a single element does not, and changes
every row.
"""

import torch


def identity_poses(batch: int):
    poses = torch.eye(4).unsqueeze(0).expand(batch, 4, 4)
    poses[:, 0, 3] = torch.arange(batch, dtype=torch.float32)  # stride-zero-write: raises
    return poses


def one_offset():
    table = torch.zeros(1, 16).expand(8, 16)
    table[0, 3] = 1.0  # stride-zero-write: all eight rows change
    return table


def identity_poses_own_cells(batch: int):
    poses = torch.eye(4).unsqueeze(0).expand(batch, 4, 4).clone()
    poses[:, 0, 3] = torch.arange(batch, dtype=torch.float32)
    return poses
