"""Grouped convolutions with a channel shuffle between them."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def conv_block(in_channels: int, out_channels: int, groups: int = 1) -> nn.Sequential:
    if in_channels % groups or out_channels % groups:
        raise ValueError(f"{in_channels} and {out_channels} channels are not divisible by {groups}")
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1, groups=groups, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )


def shuffle_channels(x: Tensor, groups: int) -> Tensor:
    """Interleave the channels of ``groups`` groups; x is (N, C, H, W)."""
    n, c, h, w = x.shape
    if c % groups != 0:
        raise ValueError("channels must be divisible by groups")
    return x.view(n, groups, c // groups, h, w).transpose(1, 2).reshape(n, c, h, w)


class GroupedNet(nn.Module):
    def __init__(self, width: int = 12, classes: int = 5):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 1)
        self.first = conv_block(width, 2 * width, groups=3)
        self.second = conv_block(2 * width, 2 * width, groups=4)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Classify pictures of shape (N, 3, H, W)."""
        x = self.first(self.stem(x))
        x = shuffle_channels(x, 3)
        x = self.second(x)
        x = shuffle_channels(x, 4)
        return self.head(x.mean(dim=(2, 3)))


def build() -> GroupedNet:
    return GroupedNet(width=12)


if __name__ == "__main__":
    print(build()(torch.rand(1, 3, 16, 16)).shape)
