"""Rules of the analyzer ``assembly``."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

UNCHECKED_BOUNDARY = Rule(
    id="assembly/unchecked-boundary",
    level=Level.WARNING,
    title="A layer accepts an illegal value",
    why="Neither the library nor the code refuses the value; results are wrong without an error.",
    fix="Refuse the value before the layer is built. The suggested guard was tried.",
    failing=(
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim=8, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        return self.norm(x)


net = Net(eps=options.eps)
""",
        ),
    ),
    passing=(
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim=8, eps=1e-5):
        if eps < 0:
            raise ValueError(f"eps must not be negative: {eps}")
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        return self.norm(x)


net = Net(eps=options.eps)
""",
        ),
    ),
)

STATE = Rule(
    id="assembly/state",
    level=Level.WARNING,
    title="Assembled code fails where its parts work",
    why="A legal configuration value breaks the model, or training diverges.",
    fix="Compute the sizes of layers from the parameters that may be set, or remove those"
    " parameters. Where training diverges: look for square roots, logarithms and divisions whose"
    " derivative at zero is infinite.",
    failing=(
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, kernel=5):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, kernel)
        self.out = nn.Linear(6 * 28 * 28, 10)

    def forward(self, x):
        return self.out(self.conv(x).flatten(1))
""",
        ),
    ),
    passing=(
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, kernel=5):
        super().__init__()
        side = 32 - kernel + 1
        self.conv = nn.Conv2d(1, 6, kernel)
        self.out = nn.Linear(6 * side * side, 10)

    def forward(self, x):
        return self.out(self.conv(x).flatten(1))
""",
        ),
    ),
)

RULES = (UNCHECKED_BOUNDARY, STATE)
