"""Functions of tensors with known failures, to be explored."""

import torch
from torch import nn

def fails_from_ten(x, n):
    if n > 10:
        return x.reshape(3, n)[n]
    return x


def clips(x):
    x.clamp_(0, 1)
    return x


def noisy(n):
    if torch.rand(()) > 2 or n > 90:
        return {}[float(torch.rand(()))]
    return n


def pooled(x):
    return x.mean()


class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
