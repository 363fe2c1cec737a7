"""Functions with known failures, to be explored."""

import ctypes
import time

import torch
from torch import nn

LIMIT = 7


def fails_from_ten(x, n):
    if n > 10:
        return x.reshape(3, n)[n]
    return x


def two_failures(n, m):
    if n % 3 == 2:
        return [1, 2][n + 5]
    if m > 50:
        return {}["missing"]
    return n + m


def refuses_odd(n):
    if n % 2:
        raise ValueError("odd")
    return n


def segfault(n, m):
    if n > 5:
        ctypes.string_at(0)
    return m


def hangs(n):
    while n == 3:
        time.sleep(0.01)
    return n


def deaf(n):
    while n > 3:
        try:
            while True:
                time.sleep(0.01)
        except BaseException:
            pass
    return n


def doubles(n):
    return 2 * n if n != 12 else 25


def clips(x):
    x.clamp_(0, 1)
    return x


def lazily(n):
    for at in range(n):
        yield 1 / (at - 4)


async def later(n):
    return [0][n]


def helper(n):
    return [1, 2, 3][n]


def nested(n):
    return helper(n)


def noisy(n):
    if torch.rand(()) > 2 or n > 90:
        raise KeyError(float(torch.rand(())))
    return n


def pooled(x):
    return x.mean()


class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.width = width
        if width == 5:
            self.odd = 1 / 0

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x / (3 - len(self.layers)) if isinstance(x, int) else x

    def named(self, index):
        return self.layers[index]

    @classmethod
    def preset(cls, name):
        return cls(*{"small": (2, 1), "big": (8, 3)}[name])

    @staticmethod
    def halved(n):
        return 10 // (n - 4)
