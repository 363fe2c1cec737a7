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


class Ramp(torch.nn.Module):
    """Keeps the numbers of positions of a call, in its dtype, for shorter ones."""

    def __init__(self, *, keeps: bool = True, counts: bool = False) -> None:
        super().__init__()
        self.slope = torch.nn.Parameter(torch.randn(1))
        self.register_buffer("seen", torch.zeros(()))
        self.ramp = torch.arange(0)
        self.keeps = keeps
        self.counts = counts

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if len(self.ramp) < len(x) or not self.keeps:
            self.ramp = torch.arange(len(x), dtype=x.dtype)
        if self.counts:
            self.seen += len(x)
        return self.ramp[: len(x)] * self.slope
