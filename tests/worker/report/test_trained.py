"""Reproducers of training that goes astray: each fails on the defect and passes on its repair."""

import pytest

from analyzers.vocabulary import Probe, RecipeArgument, Violates
from tests.analyzers.samples import finding
from tests.worker.report.running import run
from worker.report.asserted_conditions import UnsupportedCondition
from worker.report.library_conditions import inputs_of_training, training
from worker.report.reproducer import reproducer

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, start=0.0):
        super().__init__()
        self.head = nn.Linear(3, 2)
        self.scale = nn.Parameter(torch.tensor([start]))

    def forward(self, x):
        return self.head(x) * torch.sqrt(self.scale)
"""
FIXED = NET.replace("sqrt(self.scale)", "exp(self.scale)")
SMALL = "tensor((4, 3), low=-1.0, high=1.0, seed=1)"
CALLED = {"self": RecipeArgument("Net()"), "x": RecipeArgument(SMALL)}
OF_CALL = ("Net.forward", "trains(3)", CALLED)
OF_MADE = ("Net.__init__", f"trains(3, inputs='({SMALL},)')", {"start": RecipeArgument("0.0")})


def written(function, condition, arguments):
    target = f"net.py::{function}"
    return finding(
        rule="assembly/state",
        path="net.py",
        target=target,
        symbol=target,
        criterion=Violates(condition),
        probes=(Probe(target, arguments, (), (condition,)),),
    )


@pytest.mark.slow
def test_each_fails_on_the_defect_and_passes_on_its_repair(tmp_path):
    for name, text in (("defect", NET), ("repair", FIXED)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "net.py").write_text(text)
        for number, asked in enumerate((OF_CALL, OF_MADE)):
            test = reproducer(written(*asked), {"net.py": NET})
            (folder / f"test_{number}.py").write_text(test)
        ended = run(folder)
        assert len(ended) == 2
        assert all((message is not None) is (name == "defect") for message in ended.values())


@pytest.mark.parametrize(
    ("function", "condition"),
    [
        ("Net.forward", "trains('3')"),
        ("Net.forward", "trains(3, 4)"),
        ("Net.forward", "trains(3, inputs='(x,)')"),
        ("Net.__init__", "trains(3)"),
        ("build", "trains(3)"),
    ],
)
def test_what_a_test_cannot_ask_is_unspoken(function, condition):
    with pytest.raises(UnsupportedCondition):
        training(condition, function, Probe("net.py::f", {}, ()))


def test_other_conditions_are_of_no_training():
    probe = Probe("net.py::f", {}, ())
    assert [training(each, "f", probe) for each in ("finite(result)", "trains", "1 +")] == [
        None
    ] * 3
    assert inputs_of_training("trains(3)") is None
    with pytest.raises(UnsupportedCondition):
        inputs_of_training("trains(3, inputs='[x for x in y]')")
