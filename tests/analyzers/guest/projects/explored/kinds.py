"""Code with other kinds of arguments, and guards, to be explored."""

import functools
import inspect

import torch
from jaxtyping import Float, jaxtyped
from torch import Tensor, nn


class Blend(nn.Module):
    def __init__(self, width=4, parts=2):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.parts = parts

    def forward(self, x):
        if len(x) > 2:
            return self.layer(x).T
        return self.layer(x)


def small_nets(width, depth):
    return nn.Sequential(*[nn.Linear(width, width) for _ in range(depth)])


def depth_of(net):
    return [10, 20][len(net) - 1]


def mean_loss(loader):
    total = 0.0
    for rows, _ in loader:
        total += float(rows.sum()) / (len(rows) - 3)
    return total


def batches(rows, size):
    place = 0
    while True:
        if place >= len(rows):
            raise StopIteration
        yield rows[place : place + size]
        place += size


def checker(function):
    """What beartype and typeguard do for jaxtyping."""

    @functools.wraps(function)
    def checked(*args, **kwargs):
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        hints = function.__annotations__
        if not all(isinstance(given[name], hints[name]) for name in given if name in hints):
            raise TypeError("an argument is not as hinted")
        return function(*args, **kwargs)

    return checked


@jaxtyped(typechecker=checker)
def paired(x: Float[Tensor, "n 2"]):
    return x.reshape(-1, 2, 3)


@torch.no_grad()
def clipped(weights):
    return weights.clamp_(0, 1)
