"""The layer that a wrong kernel is in is named, with the line that uses it."""

import importlib
import linecache
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from analyzers.guest.models.executed_frame import LONGEST_LAYER, MOST_LAYERS, layer_errors
from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.executions.torch_executions import EPS32, run_without_gradients
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_in_process, run_isolated
from analyzers.guest.models.locating.first_departure import first_departing_layer
from analyzers.guest.models.locating.model_units import errors_of_units
from analyzers.guest.models.model_extraction import prepared

HERE = Path(__file__)


class WrongKernel(TorchDispatchMode):
    """A kernel whose results go through ``change``."""

    def __init__(self, operator, change):
        super().__init__()
        self.operator = operator
        self.change = change

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        if not str(func).startswith(f"aten.{self.operator}."):
            return found
        if isinstance(found, tuple):
            return (self.change(found[0]), *found[1:])
        return self.change(found)


class Faulty:
    name, eps, framework, foreign = "onednn-off", EPS32, "torch", False

    def __init__(self, *wrong):
        self.wrong = wrong

    def unavailable(self):
        return None

    def prepared(self, model):
        run = run_without_gradients(model.module)

        def call(*inputs, **keywords):
            with WrongKernel(*self.wrong):
                return run(*inputs, **keywords)

        return call


def _off(found):
    return found * (1.0 + 1e-4)


def _raising(found):
    raise RuntimeError("no such kernel")


def _model(name):
    zoo = importlib.import_module(f"benchmarks.models.zoo.{name}")
    torch.manual_seed(0)
    return prepared(zoo.build(), zoo.inputs())


def _found(monkeypatch, model, operator, change=_off, root=HERE.parents[5]):
    monkeypatch.setitem(EXECUTIONS, "onednn-off", Faulty(operator, change))
    found = run_in_process(model, ["onednn-off"])
    (verdict,) = judge(model, found)
    return verdict, first_departing_layer(model, "onednn-off", found, str(root))


@pytest.mark.parametrize(
    ("name", "operator", "layer", "line"),
    [
        ("lenet", "relu", "relu", "x = F.max_pool2d(F.relu(self.conv1(x)), 2)"),
        ("lenet", "addmm", "fc1", "x = F.relu(self.fc1(x))"),
        ("alexnet", "_adaptive_avg_pool2d", "avgpool", "x = self.avgpool(x)"),
        ("squeezenet", "cat", "features.3.cat", "return torch.cat"),
        ("pointnet", "bmm", "bmm", "x = torch.bmm("),
        ("lstm", "native_layer_norm", "norm", "pooled = self.norm(output.mean(dim=1))"),
        ("lstm", "mkldnn_rnn_layer", "lstm", "output, _ = self.lstm(embedded)"),
        ("transformer", "_softmax", "blocks.0.attention.softmax", "F.softmax(scores"),
        ("transformer", "gelu", "blocks.0.mlp.1", "return x + self.mlp("),
    ],
)
def test_the_first_layer_with_the_wrong_kernel_is_named(monkeypatch, name, operator, layer, line):
    verdict, found = _found(monkeypatch, _model(name), operator)
    assert verdict.rule == "divergence"
    assert found.place.name == layer
    assert found.place.path == f"benchmarks/models/zoo/{name}.py"
    assert line in linecache.getline(str(HERE.parents[5] / found.place.path), found.place.line)
    assert found.confirmed
    assert found.ratio >= 20
    assert found.low < found.high
    names, ratios = zip(*found.errors, strict=True)
    assert names[-1] == layer
    assert ratios[-1] == found.ratio
    assert all(0 <= each < 20 for each in ratios[:-1])


class Branching(nn.Module):
    """What no tracer follows, with a layer that is used twice."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ELU()

    def forward(self, x):
        while float(x.abs().max()) < 0.1:
            x = x * 3
        if x.sum() > 0:
            x = self.fc(x)
        return self.act(self.fc(x))


def test_models_that_nobody_can_trace_are_taped(monkeypatch):
    torch.manual_seed(0)
    model = prepared(Branching(), (torch.rand(2, 4) * 0.01,))
    _, found = _found(monkeypatch, model, "elu")
    assert (found.place.name, found.place.source) == ("act", "torch.nn.ELU()")
    assert found.place.path == HERE.relative_to(HERE.parents[5]).as_posix()


def test_a_program_of_the_layer_alone_is_short_and_self_contained(monkeypatch):
    _, found = _found(monkeypatch, _model("transformer"), "gelu")
    assert "layer = torch.nn.GELU().eval()" in found.source
    names = {}
    exec(found.source, names)
    assert names["expected"].shape == names["found"].shape


def test_where_numbers_stop_being_finite_is_named(monkeypatch):
    verdict, found = _found(monkeypatch, _model("lenet"), "relu", lambda x: x / 0.0)
    assert (verdict.rule, found.place.name) == ("non-finite", "relu")
    assert [name for name, _ in found.errors] == ["conv1", "relu"]
    assert layer_errors(found.errors)[-1] == {"layer": "relu", "error_ratio": None}


def test_where_an_execution_crashes_is_named(monkeypatch):
    verdict, found = _found(monkeypatch, _model("lenet"), "addmm", _raising)
    assert (verdict.rule, found.place.name, found.errors) == ("crash", "fc1", ())


def test_errors_of_layers_are_bounded_and_have_plain_names():
    many = [(f"layers.{number}", 1.5) for number in range(99)]
    told = layer_errors([*many, ("a`b\n<c>" * 40, float("nan"))])
    assert len(told) == MOST_LAYERS
    assert told[0] == {"layer": f"layers.{100 - MOST_LAYERS}", "error_ratio": 1.5}
    assert told[-1] == {"layer": ("a_b__c_" * 40)[:LONGEST_LAYER], "error_ratio": None}


def test_errors_are_told_where_no_layer_departs_alone(monkeypatch):
    monkeypatch.setitem(EXECUTIONS, "onednn-off", Faulty("mm", lambda x: x * (1.0 + 2e-6)))
    torch.manual_seed(0)
    deep = nn.Sequential(*(nn.Linear(16, 16, bias=False) for _ in range(64)))
    model = prepared(deep, (torch.rand(2, 16),))
    whole = errors_of_units(model, "onednn-off")
    assert list(whole) == list(range(len(whole)))
    assert all(ratio < 20 for ratio in list(whole.values())[:-1])
    assert whole[len(whole) - 1] >= 20
    found = first_departing_layer(
        model, "onednn-off", run_in_process(model, ["onednn-off"]), str(HERE.parents[5])
    )
    assert found.errors[-1][0] == found.place.name
    assert max(ratio for _, ratio in found.errors) == found.errors[-1][1] < 20


def test_nothing_is_named_where_nothing_departs():
    model = _model("lenet")
    assert first_departing_layer(model, "onednn-off", run_in_process(model, ["onednn-off"])) is None


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.pool = nn.AvgPool2d(2, divisor_override=1)

    def forward(self, x):
        return self.pool(self.conv(x)).flatten(1).sigmoid()


def test_what_an_exporter_forgets_is_named_and_repeats_alone(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    model = prepared(Pooled(), (torch.rand(1, 1, 8, 8),))
    name = "onnxruntime-torchscript"
    found = first_departing_layer(model, name, run_isolated(model, [name]))
    assert (found.place.name, found.confirmed) == ("pool", True)
    assert [name for name, _ in found.errors] == ["conv", "pool"]
    assert found.errors[0][1] < 20 <= found.errors[1][1]
    assert found.place.source == "torch.nn.AvgPool2d(2, divisor_override=1)"
    names = {}
    exec(found.source, names)
    assert float((names["found"] - names["expected"]).abs().max()) > 0.01
    assert "largest difference" in capsys.readouterr().out


class MaskMakingNet(nn.Module):
    """Makes a tensor of the sizes of its input, which an exporter follows."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return torch.softmax(self.fc(x).masked_fill(~mask, -1e4), dim=-1).tanh()


def test_units_that_only_an_exporter_sees_are_left_out(monkeypatch):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    right = EXECUTIONS["onnxruntime-torchscript"]

    class Wrong(type(right)):
        def exported(self, flattened):
            program = onnx.load_model_from_string(super().exported(flattened))
            for node in program.graph.node:
                if node.op_type == "Softmax":
                    node.attribute[0].i = -2
            return program.SerializeToString()

    monkeypatch.setitem(EXECUTIONS, right.name, Wrong())
    torch.manual_seed(0)
    model = prepared(MaskMakingNet(), (torch.rand(2, 4, 4),))
    found = first_departing_layer(
        model, right.name, run_isolated(model, [right.name]), str(HERE.parent)
    )
    assert found.place.name == "softmax"
    assert found.confirmed
