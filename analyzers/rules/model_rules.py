"""Rules of the analyzer ``models``."""

from __future__ import annotations

from analyzers.rules.rule import Example, Rule
from analyzers.vocabulary import Level

_LOWER = "warning for executions that the project does not use"

DIVERGENCE = Rule(
    id="model/divergence",
    level=Level.FAILURE,
    lower=_LOWER,
    title="The model returns another result on another execution of the same mathematics",
    why="The exported, compiled or moved model is not the one that was trained and evaluated.",
    fix="Start at the first layer that differs, at the line that is named: write the same with"
    " other operators, or compare with the exported model in the project's own tests.",
    failing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)

    def forward(self, x):
        if x.sum() > 0:
            return self.linear(x)
        return x[:, :2] - 3.0
""",
            kind="onnxruntime-torchscript",
            about="The export keeps the branch that its example input takes.",
        ),
    ),
    passing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)

    def forward(self, x):
        return torch.where(x.sum() > 0, self.linear(x), x[:, :2] - 3.0)
""",
            kind="onnxruntime-torchscript",
        ),
    ),
)

NON_FINITE = Rule(
    id="model/non-finite",
    level=Level.FAILURE,
    lower=_LOWER,
    title="The model returns infinite or undefined values on some executions only",
    why="Infinity and NaN spread through every later computation.",
    fix="Start at the first layer with such values and the range of its inputs: bound the inputs"
    " before the layer, or compute it in a form that does not overflow.",
    failing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.log(1 + torch.exp(x))
""",
            kind="eager",
            about="An intermediate result overflows float32 for inputs of 89 and more.",
            base="""\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.softplus(x)""",
        ),
    ),
    passing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.softplus(x)
""",
            kind="eager",
        ),
    ),
)

CRASH = Rule(
    id="model/crash",
    level=Level.FAILURE,
    lower=_LOWER,
    title="The model runs eagerly and fails on another execution",
    why="The model cannot be used where the project exports, compiles or moves it.",
    fix="At the line that is named, use operators that the other execution supports, or do not"
    " run the model there.",
    failing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        y = self.conv(x)
        return y.view(y.shape[0], -1)
""",
            kind="channels-last",
            about="A view needs a memory layout that only one memory format has.",
        ),
    ),
    passing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.conv(x).flatten(1)
""",
            kind="channels-last",
        ),
    ),
)

NOT_COMPILED = Rule(
    id="model/not-compiled",
    level=Level.NOTICE,
    title="A compiled model runs eagerly, in whole or in part",
    why="The results are right, but the compiler makes nothing faster.",
    fix="The finding says which part the compiler leaves out, and why.",
    failing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2.0
        return x - 3.0
""",
            kind="inductor",
            about="A branch on the data ends the compiled part.",
        ),
    ),
    passing=(
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.where(x.sum() > 0, x * 2.0, x - 3.0)
""",
            kind="inductor",
        ),
    ),
)

RULES = (DIVERGENCE, NON_FINITE, CRASH, NOT_COMPILED)
