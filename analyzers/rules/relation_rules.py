"""Rules of the analyzer ``relations``."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

VALUE = Rule(
    id="relation/value",
    level=Level.WARNING,
    title="A call of a library returns another value than an equivalent call",
    why="One of the two values is wrong, and the code continues with it.",
    fix="Use the equivalent call if its value is the right one, or refuse the arguments before"
    " the call. The finding has the smallest arguments, both results and the library's version.",
    failing=(
        Example(
            """\
import torch
import torch.nn.functional as F


# @arg(x): tensors(dtype="float32", shape="n")
# @arg(y): tensors(dtype="float64", shape="n")
def loss(x, y):
    return F.huber_loss(x, y, reduction="none")
"""
        ),
    ),
    passing=(
        Example(
            """\
import torch
import torch.nn.functional as F


# @arg(x): tensors(dtype="float32", shape="n")
# @arg(y): tensors(dtype="float32", shape="n")
def loss(x, y):
    return F.huber_loss(x, y, reduction="none")
"""
        ),
    ),
)

STATUS = Rule(
    id="relation/status",
    level=Level.WARNING,
    title="A call of a library hangs, or accepts what its documentation forbids",
    why="The library does not check these arguments, so a mistake goes unnoticed.",
    fix="Check the arguments before the call.",
    failing=(
        Example(
            """\
import torch


# @arg(indices): tensors(dtype="int64", shape=(1,), min=-3, max=3)
def column(indices):
    return torch.unravel_index(indices, (4, 4))[1]
"""
        ),
    ),
    passing=(
        Example(
            """\
import torch


# @arg(indices): tensors(dtype="int64", shape=(1,), min=0, max=3)
def column(indices):
    return torch.unravel_index(indices, (4, 4))[1]
"""
        ),
    ),
)

CRASH = Rule(
    id="relation/crash",
    level=Level.FAILURE,
    lower="warning where the input is not certainly valid",
    title="A call of a library terminates the process",
    why="No exception handler helps: the process ends, with everything that runs in it.",
    fix="Check the arguments before the call, or use the equivalent call.",
    failing=(
        Example(
            """\
import torch


# @arg(a): tensors(dtype="int64", shape=(1,))
# @arg(b): tensors(dtype="int64", shape=(1,), min=1)
def common(a, b):
    return torch.lcm(a, b)
"""
        ),
    ),
    passing=(
        Example(
            """\
import torch


# @arg(a): tensors(dtype="int64", shape=(1,), min=-1000, max=1000)
# @arg(b): tensors(dtype="int64", shape=(1,), min=1)
def common(a, b):
    return torch.lcm(a, b)
"""
        ),
    ),
)

RULES = (VALUE, STATUS, CRASH)
