import torch
import torch.nn.functional as F
from torch import nn


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(cout, cout, 3, padding=1),
        nn.ReLU(),
    )


class UNet(nn.Module):
    #@arg(in_channels): ints(min=1, max=3)
    #@arg(classes): ints(min=1, max=4)
    #@arg(width): ints(min=1, max=8)
    #@cc_example([1, 2, 4])
    #@cc_example([3, 1])
    def __init__(self, in_channels, classes, width=8):
        super().__init__()
        self.in_channels = in_channels
        self.down1 = double_conv(in_channels, width)
        self.down2 = double_conv(width, 2 * width)
        self.bottom = double_conv(2 * width, 4 * width)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.merge2 = double_conv(4 * width, 2 * width)
        self.up1 = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.merge1 = double_conv(2 * width, width)
        self.head = nn.Conv2d(width, classes, 1)

    #@arg(x): tensors(dtype="float32", shape=(ints(min=1, max=2), ints(min=1, max=3), ints(min=4, max=24), ints(min=4, max=24)), min=0, max=1)
    #@require(x.shape[1] == self.in_channels)
    def forward(self, x):
        """Logits of every pixel; pictures of any size from 4 x 4."""
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        y = self.bottom(F.max_pool2d(b, 2))
        y = self.merge2(join(self.up2(y), b))
        y = self.merge1(join(self.up1(y), a))
        return self.head(y)


def join(y, skip):
    height, width = skip.shape[-2:]
    y = F.pad(y, (0, width - y.shape[-1], 0, height - y.shape[-2]))
    return torch.cat([y, skip], dim=1)
