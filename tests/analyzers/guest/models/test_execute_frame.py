"""One frame that asks for a model to be run several ways, where one of them hangs."""

import time
from dataclasses import replace
from typing import Any

import pytest

from analyzers.guest.models import built_models
from analyzers.guest.models.execute_frame import beside_mutants, execute
from analyzers.guest.models.executions.execution_registry import EXECUTIONS, register
from tests.analyzers.guest.search.targets import target

NET = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layer = torch.nn.Linear(3, width)

        def forward(self, x):
            return self.layer(x)
"""


class EndlessExecution:
    """An execution that never gives anything."""

    name = "endless"
    eps = 2.0**-23
    framework = "torch"
    foreign = True
    seconds = 600.0

    def unavailable(self) -> None:
        return None

    def prepared(self, model: Any) -> Any:
        del model
        return lambda *_: time.sleep(600)


@pytest.fixture
def endless():
    register(EndlessExecution())
    yield "endless"
    del EXECUTIONS["endless"]


def frame(**more):
    made = target(NET, "Net")
    x = {"name": "x", "kind": "positional_or_keyword", "default": False, "annotation": None}
    prepared = replace(
        made,
        name="Net.forward",
        parameters=[x],
        method=made.namespace["Net"].forward.__get__,
    )
    contract = {"arguments": {}, "constructor": {"arguments": {"width": "ints(min=2, max=4)"}}}
    message = {
        "probes": [],
        "contract": contract,
        "generators": {},
        "executions": ["eager"],
        "ratio": 20.0,
        "mutants": 0,
        "guided": True,
        "seconds": 60.0,
        "timeout": 60.0,
        "seed": 0,
        "layer": None,
    }
    return execute(prepared, {**message, **more})


@pytest.mark.slow
def test_execution_that_hangs_leaves_what_the_others_came_to(endless):
    made = {"self": "Net(width=3)", "x": "tensor((2, 3), seed=1)"}
    arguments = {name: {"kind": "made", "recipe": recipe} for name, recipe in made.items()}
    probes = [{"arguments": arguments}]
    found = frame(probes=probes, executions=["eager", endless], seconds=2.0, timeout=5.0)
    assert found["obstacle"] is None
    assert found["done"] == ["eager"]
    (left,) = found["left_out"]
    assert left["execution"] == "endless"


def test_model_without_probes_is_found_by_its_constructor(monkeypatch):
    monkeypatch.setattr(built_models, "BUILD_SECONDS", 200.0)
    monkeypatch.setattr(built_models, "DRAW_SECONDS", 100.0)
    found = frame(seconds=400.0)
    assert found["obstacle"] is None
    assert found["model"].startswith("torch.nn.Module, 1 layers")


def test_mutants_are_run_by_what_takes_milliseconds():
    quick, slow = "onnxruntime-torchscript", "onnxruntime"
    assert beside_mutants(["eager", "onednn-off", slow, quick, "inductor"]) == ["onednn-off", quick]
    assert beside_mutants(["eager", slow]) == [slow]
