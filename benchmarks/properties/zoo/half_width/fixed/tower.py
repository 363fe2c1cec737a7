import torch
from torch import nn


class ConvTower(nn.Module):
    """Two convolutions with a bottleneck of half the channels between them."""

    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__()
        middle = channels // 2
        self.first = nn.Conv2d(in_channels, middle, 3, padding=1)
        self.second = nn.Conv2d(middle, channels, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(x)))
