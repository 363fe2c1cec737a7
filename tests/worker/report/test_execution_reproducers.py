"""Reproducers of other executions of a model: each fails on the defect and passes on its repair."""

import pytest

from analyzers.vocabulary import Probe, RecipeArgument, Violates
from tests.analyzers.samples import finding
from tests.worker.report.running import run
from worker.report.asserted_conditions import UnsupportedCondition
from worker.report.library_conditions import execution
from worker.report.reproducer import reproducer

DECIDING = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1
"""
SCRIPTED = DECIDING.replace("x.sum() > 0", "torch.jit.is_scripting()")
NARROW = DECIDING.replace("x.sum() > 0", "x.dtype in (torch.float16, torch.bfloat16)")
STRIDED = DECIDING.replace("x.sum() > 0", "x.stride()[1] == 1")
OVERFLOWING = DECIDING.replace("x.sum() > 0", "x.dtype == torch.float32").replace(
    "x * 2", "(x * 1e30) * 1e30 / 1e30 / 1e30"
)
DERIVED = """\
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(context, x, scale):
        context.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(context, slope):
        x, scale = context.saved_tensors
        factor = 2.0 if x.stride()[1] == 1 else 1.0
        return slope * scale, (slope * x).sum() * factor


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return Scale.apply(x, self.scale)
"""
RIGHT = DECIDING.replace("if x.sum() > 0:\n            return x * 2\n        ", "")
SMALL, IMAGE = "tensor((2, 3), low=-1.0, high=1.0, seed=1)", "tensor((2, 3, 4, 4), seed=1)"
CASES = [
    ("divergence", "jit-trace", "raised", DECIDING, "tensor((2, 3), low=-2.0, high=-1.0, seed=1)"),
    ("divergence", "jit-script", "", SCRIPTED, SMALL),
    ("divergence", "float16", "", NARROW, SMALL),
    ("divergence", "bfloat16", "", NARROW, SMALL),
    ("divergence", "channels-last", "", STRIDED, IMAGE),
    ("crash", "export", "", DECIDING, SMALL),
    ("gradient", "channels-last", "", DERIVED, IMAGE),
    ("non-finite", "eager", "", OVERFLOWING, "tensor((2, 3), low=1.0, high=2.0, seed=1)"),
]


def condition(rule, name, other=""):
    return f"executes({rule!r}, {name!r}" + (f", other={other!r})" if other else ")")


def written(asked, recipe):
    target = "net.py::Net.forward"
    arguments = {"self": RecipeArgument("Net()"), "x": RecipeArgument(recipe)}
    return finding(
        rule="model/divergence",
        path="net.py",
        target=target,
        symbol=target,
        criterion=Violates(asked),
        probes=(Probe(target, arguments, (), (asked,)),),
    )


@pytest.mark.slow
def test_each_execution_fails_on_the_defect_and_passes_on_its_repair(tmp_path):
    for side in ("defect", "repair"):
        folder = tmp_path / side
        folder.mkdir()
        for number, (rule, name, other, text, recipe) in enumerate(CASES):
            module = f"net_{number}.py"
            repaired = text.replace("2.0 if", "1.0 if") if text is DERIVED else RIGHT
            (folder / module).write_text(text if side == "defect" else repaired)
            test = reproducer(written(condition(rule, name, other), recipe), {"net.py": text})
            test = test.replace("net.py", module).replace("def test_", f"def test_{number}_")
            (folder / f"test_{number}.py").write_text(test)
        ended = run(folder)
        assert len(ended) == len(CASES)
        told = {name for name, message in ended.items() if message is not None}
        assert told == (set(ended) if side == "defect" else set()), ended


@pytest.mark.parametrize(
    "asked",
    [
        condition("divergence", "jit-trace", "elsewhere"),
        condition("divergence", "keras-jax"),
        condition("gradient", "jit-trace"),
    ],
)
def test_what_no_plain_test_can_ask_of_an_execution_is_unspoken(asked):
    with pytest.raises(UnsupportedCondition):
        execution(asked, "Net.forward", Probe("net.py::Net.forward", {}, ()))
