"""U-Net that takes pictures of any size."""

import torch
import torch.nn.functional as F
from torch import nn


def double_conv(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    """Segments pictures."""

    def __init__(self, channels: int = 3, classes: int = 1, width: int = 8) -> None:
        super().__init__()
        self.entry = double_conv(channels, width)
        self.down = double_conv(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.conv = double_conv(2 * width, width)
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of the size of the picture.

        Args:
            x: pictures of shape (N, 3, H, W), of any size.
        """
        first = self.entry(x)
        below = self.up(self.down(F.max_pool2d(first, 2)))
        return self.out(self.conv(torch.cat([first, below], dim=1)))
