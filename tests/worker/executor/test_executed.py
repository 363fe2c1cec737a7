"""Models run several ways from the bench: in the real sandbox, and as frames are read."""

import time

import pytest

import worker.executor.warm_guest
from analyzers.vocabulary import (
    Contract,
    Died,
    ExecutionRequest,
    ExecutionResult,
    Probe,
    RecipeArgument,
    Violated,
)
from tests.worker.sandbox.protocol.test_executed import DEPARTURE, executed
from tests.worker.sessions import laboratory, target, tree
from worker.executor.model_codec import executed_of, execution_condition
from worker.executor.sandbox_executor import OUT_OF_TIME, SandboxExecutor
from worker.executor.session import MODEL_SECONDS, leading_same_limit
from worker.executor.target_preparation import PreparedTarget

APP = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, beta=1.0):
        super().__init__()
        self.head = torch.nn.Linear(3, 2)
        self.act = torch.nn.Softplus(beta, 1.0)

    def forward(self, x):
        return self.act(self.head(x))


class Deciding(Net):
    def forward(self, x):
        if x.sum() > 0:
            return self.head(x)
        return x[:, :2] - 3.0


def plain(n):
    return n
"""
INPUT = "tensor((4, 3), seed=1, low=-4.0, high=4.0)"
SCRIPT = "onnxruntime-torchscript"


@pytest.fixture
def bench(tmp_path):
    made = []

    def bench(function):
        head = tree(tmp_path / f"head{len(made)}", app=APP)
        found = target(function=function)
        made.append(SandboxExecutor(laboratory(head, head), found, time.monotonic() + 200))
        return made[-1], found

    yield bench
    for each in made:
        each.close()


def probe(function, **recipes):
    return Probe(
        f"app.py::{function}", {name: RecipeArgument(r) for name, r in recipes.items()}, ()
    )


def test_what_a_guest_could_not_do_is_noted_once(bench, monkeypatch):
    class Guest:
        prepared = PreparedTarget((), (), ())
        used = frozenset()
        patience = 1.0

        def __init__(self, *_):
            pass

        def execute(self, executing):
            return ExecutionResult(notes=("the layer was not found: KeyError: 'act'",))

        def release(self):
            pass

    at, where = bench("Net.forward")
    monkeypatch.setattr(worker.executor.warm_guest, "Session", Guest)
    for _ in range(2):
        at.execute(where, ExecutionRequest((probe("Net.forward"),), (SCRIPT,)))
    assert at.notes == ("the layer was not found: KeyError: 'act'",)


@pytest.mark.slow
def test_exported_model_departs_and_the_run_repeats(bench):
    at, where = bench("Net.forward")
    found = at.execute(
        where,
        ExecutionRequest((probe("Net.forward", self="Net()", x=INPUT),), (SCRIPT, "onednn-off")),
    )
    assert found.obstacle is None
    assert set(found.done) == {SCRIPT, "onednn-off"}
    (departure,) = found.departures
    assert (departure.rule, departure.execution) == ("divergence", SCRIPT)
    assert (departure.layer.name, departure.layer.path, departure.layer.line) == (
        "act",
        "app.py",
        11,
    )
    assert departure.probe.ensures == (f"executes('divergence', '{SCRIPT}')",)
    (run,) = at.run([departure.probe])
    assert isinstance(run.ending, Violated)
    assert run.ending.condition == departure.probe.ensures[0]
    (right,) = at.run([probe_asking("Net.forward", "onednn-off", self="Net()", x=INPUT)])
    assert not isinstance(right.ending, Violated)


@pytest.mark.slow
def test_branch_of_an_export_is_found_on_other_inputs_and_the_run_repeats(bench):
    at, where = bench("Deciding.forward")
    given = {"self": "Deciding()", "x": "tensor((4, 3), seed=1)"}
    found = at.execute(where, ExecutionRequest((probe("Deciding.forward", **given),), (SCRIPT,)))
    (departure,) = found.departures
    assert (departure.rule, departure.execution) == ("divergence", SCRIPT)
    assert departure.run.ending.detail.startswith("branch baked in")
    assert (departure.layer.kind, departure.layer.path, departure.layer.line) == (
        "branch",
        "app.py",
        16,
    )
    assert departure.probe.ensures == (f"executes('divergence', '{SCRIPT}', other='negated')",)
    (run,) = at.run([departure.probe])
    assert isinstance(run.ending, Violated)
    assert run.ending.condition == departure.probe.ensures[0]
    assert run.ending.detail == departure.run.ending.detail


def probe_asking(function, execution, **recipes):
    plain = probe(function, **recipes)
    return Probe(plain.target, plain.arguments, (), (f"executes('divergence', '{execution}')",))


@pytest.mark.slow
def test_constructor_is_run_on_inputs_that_its_forward_takes(bench):
    at, where = bench("Net.__init__")
    forward = Contract({"x": 'tensors(dtype="float32", shape=("b", 3), min=-4, max=4)'})
    given = ExecutionRequest((probe("Net.__init__", beta="1.0"),), ("onednn-off",), forward)
    found = at.execute(where, given)
    assert (found.obstacle, found.departures, found.done) == (None, (), ("onednn-off",))
    assert found.model == "torch.nn.Module, 2 layers, 8 parameters"


@pytest.mark.slow
def test_what_is_no_model_is_an_obstacle(bench):
    at, where = bench("plain")
    found = at.execute(where, ExecutionRequest((probe("plain", n="1"),), ("onednn-off",)))
    assert "neither is of a model" in found.obstacle


def test_nothing_is_run_once_the_time_is_over(tmp_path):
    head = tree(tmp_path / "head", app=APP)
    late = SandboxExecutor(laboratory(head, head), target(), time.monotonic() - 1)
    assert late.execute(target(), ExecutionRequest((), ())) == ExecutionResult(obstacle=OUT_OF_TIME)


def read(**changes):
    return executed_of(executed({**DEPARTURE, **changes}), "net.py::Net.forward", "net.py".__eq__)


def test_condition_is_the_hosts_own():
    (departure,) = read(ending={"kind": "violated", "condition": "True", "detail": "d"}).departures
    assert departure.run.ending == Violated("executes('divergence', 'onnxruntime')", "d")


def test_condition_has_inputs_and_mutations():
    (departure,) = read(inputs="(tensor((1,)),)", mutations="GF a: weight @7; LR b").departures
    assert departure.mutations == ("GF a: weight @7", "LR b")
    assert departure.probe.ensures == (
        execution_condition(
            "divergence", "onnxruntime", "(tensor((1,)),)", "GF a: weight @7; LR b"
        ),
    )


def test_condition_has_the_change_of_the_inputs():
    (departure,) = read(other="zeroed").departures
    assert departure.probe.ensures == ("executes('divergence', 'onnxruntime', other='zeroed')",)


def test_other_endings_show_nothing():
    assert read(ending={"kind": "returned", "value": "1"}).departures == ()
    (dead,) = read(ending=None, signal=11).departures
    assert dead.run.ending == Died(11)


def test_places_outside_of_the_tree_are_none():
    layer = {**DEPARTURE["layer"], "path": "../etc/passwd"}
    (departure,) = read(layer=layer).departures
    assert (departure.layer.path, departure.layer.line) == ("", 0)


@pytest.mark.parametrize(
    "single",
    ["torch.load('x')", "__import__('os').system('x')", "torch.nn.ReLU()\nimport os", "a b"],
)
def test_layers_that_do_more_than_compute_are_left_out(single):
    (departure,) = read(single=single).departures
    assert departure.single == ""


def test_probes_about_models_have_more_time():
    heavy = probe_asking("f", "onednn-off")
    light = probe("f")
    assert leading_same_limit([light, light, heavy], 10.0) == ([light, light], 10.0)
    assert leading_same_limit([heavy, light], 10.0) == ([heavy], MODEL_SECONDS)
