import torch
from torch import nn


class DenseBlock(nn.Module):
    """Every layer sees what all layers before it made."""

    def __init__(self, channels, growth, layers):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv2d(channels + i * growth, growth, 3, padding=1) for i in range(layers)
        )
        self.out_channels = channels + growth * layers

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, torch.relu(layer(x))], dim=1)
        return x


#@arg(in_channels): ints(min=1, max=4)
#@arg(blocks): ints(min=1, max=3)
#@arg(layers): anys(-1, ints(min=1, max=4), int_lists(min_len=1, max_len=3, min=1, max=4))
#@arg(growth): ints(min=1, max=8)
#@arg(depth): ints(min=7, max=40)
#@require(type(layers) is not list or len(layers) == blocks)
def dense_net(in_channels, blocks=3, layers=-1, growth=12, depth=40):
    """A densely connected network.

    layers is the number for every block, a list with one for each, or -1: then
    it follows from the depth.
    """
    if blocks < 1:
        raise ValueError("at least one block is needed")
    if isinstance(layers, list):
        if len(layers) != blocks:
            raise ValueError("one number of layers is needed for each block")
        counts = layers
    else:
        if layers == -1:
            layers = (depth - 4) / 3
        counts = [layers] * blocks
    channels = 2 * growth
    parts = [nn.Conv2d(in_channels, channels, 3, padding=1)]
    for count in counts:
        block = DenseBlock(channels, growth, count)
        channels = block.out_channels
        parts.append(block)
    return nn.Sequential(*parts)
