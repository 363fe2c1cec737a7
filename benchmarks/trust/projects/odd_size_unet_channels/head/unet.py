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


class Up(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(inputs, inputs // 2, 2, stride=2)
        self.conv = double_conv(inputs // 2, outputs)

    def forward(self, below: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        below = self.up(below)
        height = skip.size(2) - below.size(2)
        width = skip.size(3) - below.size(3)
        below = F.pad(below, [width // 2, width - width // 2, height // 2, height - height // 2])
        return self.conv(torch.cat([skip, below], dim=1))


class UNet(nn.Module):
    """Segments pictures.

    Args:
        channels: channels of the picture.
        classes: channels of the answer.
        width: channels of the first level.
    """

    def __init__(self, channels: int = 3, classes: int = 1, width: int = 8) -> None:
        super().__init__()
        self.entry = double_conv(channels, width)
        self.down1 = double_conv(width, 2 * width)
        self.down2 = double_conv(2 * width, 4 * width)
        self.up1 = Up(4 * width, 2 * width)
        self.up2 = Up(2 * width, width)
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of the size of the picture.

        Args:
            x: pictures of shape (N, 3, H, W), at least 4 pixels in each direction.
        """
        if min(x.shape[-2:]) < 4:
            raise ValueError("pictures must have at least 4 x 4 pixels")
        first = self.entry(x)
        second = self.down1(F.max_pool2d(first, 2))
        third = self.down2(F.max_pool2d(second, 2))
        return self.out(self.up2(self.up1(third, second), first))


def mask(model: UNet, picture: torch.Tensor, threshold: float = 0.5) -> torch.Tensor:
    with torch.no_grad():
        return model(picture).sigmoid() > threshold
