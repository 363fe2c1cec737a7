"""The analyzer at a bench that is written by hand: what it tries, and what it tells."""

from dataclasses import dataclass, field, replace

import pytest

from analyzers.assembly.assembly_analyzer import AssemblyAnalyzer
from analyzers.assembly.layer_tables import Edge, LayerApi, LayerParameter
from analyzers.vocabulary import (
    ExplorationResult,
    Level,
    NotRun,
    Probe,
    Raised,
    Reason,
    RecipeArgument,
    RecordedCalls,
    Returned,
    Run,
    Skipped,
    Target,
    Violated,
    Violates,
)
from tests.analyzers.benches import IdleBench

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim=8, eps=1e-5, kernel=5):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, kernel)
        self.norm = nn.LayerNorm(dim, eps=eps)
        self.out = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x: "#@ tensors(dtype='float32', shape=(2, 4))"):
        return self.norm(x)
"""
TRAIN = "net = Net(eps=options.eps)\n"
EPS = LayerParameter(
    "eps", ("float",), low=0.0, checked=False, consequence="NaN", edges=(Edge("-0.5", "", "NaN"),)
)
SIZE = LayerParameter("in_features", ("int",), low=1)
LAYERS = {
    each.name: each
    for each in (
        LayerApi("torch.nn.LayerNorm", (LayerParameter("normalized_shape", ("int",)), EPS)),
        LayerApi("torch.nn.BatchNorm1d", (SIZE, replace(EPS, name="momentum"))),
        LayerApi("torch.nn.Linear", (SIZE, replace(SIZE, name="out_features"))),
        LayerApi(
            "torch.nn.Conv2d",
            tuple(replace(SIZE, name=n) for n in ("in_channels", "out_channels", "kernel_size")),
        ),
    )
}
SHAPES = "it raised RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x144 and 256x10)"


def refuses(probe):
    return Raised("ValueError", "no", "net.py", 6, "Net.__init__", refusal=True)


@dataclass
class AssemblyBench(IdleBench):
    """A bench where ``answer`` says what an illegal eps, and another kernel, come to."""

    net: str = NET
    train: str = TRAIN
    illegal: object = None
    kernel: object = None
    explored: ExplorationResult = field(
        default_factory=lambda: ExplorationResult(obstacle="nothing")
    )
    trained: dict = field(default_factory=dict)
    before: str | None = None

    def __post_init__(self):
        super().__init__({"net.py": self.net, "train.py": self.train})
        self.ran = []

    def record(self, target, probes):
        return RecordedCalls("torch", "2.13.0+cpu")

    def explore(self, target, exploring):
        return self.explored

    def base(self, path):
        return None if self.before is None else (path, self.before)

    def source(self, path):
        return self.texts[path]

    def paths(self):
        return tuple(self.texts)

    def remaining(self):
        return 60.0

    def run(self, probes):
        self.ran += probes
        return [Run(self._ending(probe)) for probe in probes]

    def _ending(self, probe):
        condition = "".join(probe.ensures)
        if condition in self.trained:
            return self.trained[condition]
        if probe.arguments.keys() & {"eps", "momentum"}:
            return (self.illegal or broken)(probe)
        if "kernel" in probe.arguments:
            return (self.kernel or fails)(probe)
        return Returned("None")


def broken(probe):
    return Violated(probe.ensures[0], "eps is -0.5")


def fails(probe):
    return Violated(probe.ensures[0], SHAPES)


def works(probe):
    return Returned("None")


def examined(bench, function="Net.__init__", reason=Reason.CHANGED):
    target = Target("net.py", function, 6, 10, reason, (), (), ("net.py",))
    return list(AssemblyAnalyzer(lambda version: LAYERS).examine(target, bench))


def test_illegal_value_that_a_configuration_sets_is_told_with_a_guard():
    (found,) = examined(AssemblyBench(kernel=works))
    assert (found.rule, found.level, found.line) == (
        "assembly/unchecked-boundary",
        Level.WARNING,
        9,
    )
    assert found.criterion == Violates("eps >= 0")
    assert found.probes == (
        Probe("net.py::Net.__init__", {"eps": RecipeArgument("-0.5")}, (), ("eps >= 0",)),
    )
    said = {name: found.evidence[name] for name in ("api", "parameter", "value", "set_at")}
    assert said == {
        "api": "torch.nn.LayerNorm",
        "parameter": "eps",
        "value": "-0.5",
        "set_at": ["train.py:1: Net(eps=options.eps)"],
    }
    assert "if not (eps >= 0):" in found.suggestion.replacement
    assert found.suggestion.start_line == 7


@pytest.mark.parametrize(
    "bench",
    [
        AssemblyBench(illegal=refuses, kernel=works),
        AssemblyBench(illegal=lambda probe: NotRun("cannot be made"), kernel=works),
        AssemblyBench(train="net = Net(eps=1e-6)\n", kernel=works),
        AssemblyBench(net=NET.replace("eps=eps", "eps=1e-5"), kernel=works),
        AssemblyBench(net=NET.replace("from torch import nn", "import nn"), kernel=works),
    ],
)
def test_what_is_refused_or_not_set_is_not_told(bench):
    assert examined(bench) == []


@pytest.mark.parametrize(
    ("old", "new", "absent"),
    [
        ("eps=eps", "eps=1e-5", True),
        ("dim, eps=eps", "dim", True),
        ("LayerNorm(dim, eps=eps)", "GroupNorm(2, dim, eps)", True),
        ("eps=eps", "eps=eps", False),
        ("eps=eps", "eps=abs(eps)", False),
        ("dim, eps=eps", "*(dim, eps)", False),
        ("eps=", "epsilon=", False),
        ("__init__", "built", False),
    ],
)
def test_value_that_only_head_hands_to_the_layer_is_absent_on_base(old, new, absent):
    (found,) = examined(AssemblyBench(kernel=works, before=NET.replace(old, new)))
    assert found.absent_on_base is absent


@pytest.mark.parametrize(("given", "absent"), [("", True), (", momentum=momentum", False)])
def test_momentum_that_reaches_its_layer_only_on_head_is_new(given, absent):
    built = "BatchNorm1d(dim, momentum=momentum)"
    head = NET.replace("eps=1e-5", "momentum=0.1").replace("LayerNorm(dim, eps=eps)", built)
    base = head.replace(", momentum=momentum)", f"{given})")
    train = "net = Net(momentum=options.momentum)\n"
    (found,) = examined(AssemblyBench(net=head, train=train, kernel=works, before=base))
    assert found.evidence["parameter"] == "momentum"
    assert found.absent_on_base is absent


def test_legal_value_that_another_layer_does_not_follow_is_told():
    (found,) = examined(AssemblyBench(train=""))
    assert (found.rule, found.level, found.line) == ("assembly/state", Level.WARNING, 10)
    assert found.probes[0].arguments == {"kernel": RecipeArgument("6")}
    assert found.criterion == Violates("finite(result(torch.rand((2, 1, 32, 32))))")
    assert found.evidence["values"] == [6, 7, 10]
    assert "mat1 and mat2" in found.message


@pytest.mark.parametrize(
    "kernel",
    [
        refuses,
        lambda probe: works(probe) if probe.arguments["kernel"].recipe == "7" else fails(probe),
        lambda probe: Violated(probe.ensures[0], "it raised ValueError: too wide"),
        lambda probe: Violated(probe.ensures[0], SHAPES.replace("256x", "255x")),
    ],
)
def test_values_of_which_some_work_or_fail_otherwise_are_not_told(kernel):
    assert examined(AssemblyBench(train="", kernel=kernel)) == []


PASSING = Probe(
    "net.py::Net.forward",
    {"self": RecipeArgument("Net()"), "x": RecipeArgument("tensor((2, 4))")},
    (),
)


def test_training_that_goes_astray_is_told_of_ordinary_inputs():
    trained = {"trains(5)": Violated("trains(5)", "the gradient has NaN in step 1")}
    bench = AssemblyBench(explored=ExplorationResult(9, 9, passing=(PASSING,)), trained=trained)
    (found,) = examined(bench, "Net.forward")
    assert (found.rule, found.criterion) == ("assembly/state", Violates("trains(5)"))
    assert found.probes[0].arguments["x"] == RecipeArgument(
        "tensor((2, 4), low=-1.0, high=1.0, seed=1)"
    )
    assert "NaN in step 1" in found.message


def test_model_that_trains_and_settles_is_silent():
    bench = AssemblyBench(explored=ExplorationResult(9, 9, passing=(PASSING,)))
    assert examined(bench, "Net.forward") == []
    asked = {condition for probe in bench.ran for condition in probe.ensures}
    assert asked == {"trains(5)", "settles(50)"}


def test_constructor_that_changed_alone_is_trained_on_an_input_of_its_layers():
    condition = "trains(5, inputs='(tensor((2, 1, 32, 32), seed=1, low=-1.0, high=1.0),)')"
    trained = {condition: Violated(condition, "the gradient has NaN in step 1")}
    (found,) = examined(AssemblyBench(train="", kernel=works, trained=trained))
    assert (found.rule, found.criterion) == ("assembly/state", Violates(condition))
    assert (found.target, found.evidence["value"]) == ("net.py::Net.__init__", "5")


def test_function_that_only_calls_what_changed_is_not_blamed_for_its_layers():
    bench = AssemblyBench()
    assert examined(bench, reason=Reason.CALLS_CHANGED) == []
    assert {e.partition("(")[0] for p in bench.ran for e in p.ensures} == {
        *("finite", "trains", "settles"),
    }


def test_what_builds_no_layers_is_not_looked_at():
    bench = AssemblyBench(net="import torch\n\n\ndef f(x):\n    return torch.relu(x)\n")
    assert examined(bench, "f") == []
    assert bench.ran == []


def test_library_that_is_not_installed_is_said():
    bench = AssemblyBench()
    bench.standins = ("torch",)
    (told,) = examined(bench)
    assert told == Skipped(
        "assembly",
        "net.py::Net.__init__",
        "its layers were not tried: torch is not installed in the project's environment",
    )
