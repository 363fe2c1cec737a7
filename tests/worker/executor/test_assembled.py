"""Variants of a file from the bench, run in the real sandbox."""

import time

import pytest

import worker.executor.warm_guest
from analyzers.vocabulary import AssemblyRequest, Probe, RecipeArgument
from tests.worker.sessions import laboratory, target, tree
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import OUT_OF_TIME, SandboxExecutor

APP = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.layer = nn.Linear(width, 2)

    def forward(self, x):
        return self.layer(x)
"""
PROBE = Probe(
    "app.py::Net.forward",
    {"self": RecipeArgument("Net(4)"), "x": RecipeArgument("tensor((2, 4))")},
    (),
)
DEATH = APP.replace("return self", "import ctypes; ctypes.string_at(0); return self")
FILES = (APP, APP.replace("width, 2", "3, 2"), DEATH, APP)


@pytest.fixture
def bench(tmp_path):
    made = []

    def bench(seconds=200):
        head = tree(tmp_path / f"head{len(made)}", app=APP)
        found = target(function="Net.forward")
        made.append(SandboxExecutor(laboratory(head, head), found, time.monotonic() + seconds))
        return made[-1], found

    yield bench
    for each in made:
        each.close()


@pytest.mark.slow
def test_each_variant_has_its_state(bench):
    at, where = bench()
    states = at.assemble(where, AssemblyRequest("app.py", FILES, PROBE, seconds=30.0))
    told = [(each.state, each.stage, each.line) for each in states]
    assert told == [
        ("ran", "", 0),
        ("raised", "forward", 11),
        ("died", "forward", 0),
        ("ran", "", 0),
    ]
    assert states[1].exception == "RuntimeError"
    assert "torch.nn.Linear" in states[0].apis
    assert at.tally().executions == 4


@pytest.mark.parametrize("error", [GuestFailure("it broke"), TargetNotLoaded("no module")])
def test_broken_guest_has_run_none(bench, error, monkeypatch):
    at, where = bench()

    def opened(*_):
        raise error

    monkeypatch.setattr(worker.executor.warm_guest, "Session", opened)
    states = at.assemble(where, AssemblyRequest("app.py", FILES, PROBE))
    assert {(each.state, each.detail) for each in states} == {("not-run", str(error))}
    assert len(states) == len(FILES)


def test_without_time_nothing_is_run(bench):
    at, where = bench(seconds=-1)
    (state,) = at.assemble(where, AssemblyRequest("app.py", (APP,), PROBE))
    assert (state.state, state.detail) == ("not-run", OUT_OF_TIME)
