"""What is told of models, by a bench that is written by hand."""

from dataclasses import dataclass, field, replace

import pytest

from analyzers.models.models_analyzer import FUZZ, ModelsAnalyzer
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    Contract,
    Departure,
    ExecutionResult,
    ExplorationResult,
    Finding,
    LayerError,
    Level,
    LibraryBug,
    ModelLayer,
    Probe,
    Reason,
    RecipeArgument,
    Run,
    Skipped,
    Target,
    Violated,
    Violates,
)

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int = 4):
        super().__init__()
        self.pool = nn.AvgPool2d(2, divisor_override=3)

    #@arg(x): tensors(shape=("b", 3, 8, 8))
    def forward(self, x):
        return self.pool(x)


class Made(nn.Module):
    #@arg(width): ints(min=1, max=4)
    def __init__(self, width):
        super().__init__()

    def forward(self, x: torch.Tensor):
        return x


class Unknown(nn.Module):
    def __init__(self, thing):
        super().__init__()

    def forward(self, x: torch.Tensor):
        return x


class Silent(nn.Module):
    #@arg(width): ints(min=1, max=4)
    def __init__(self, width):
        super().__init__()

    def forward(self, thing):
        return thing.it()
"""
EXPORTING = "import torch\n\ntorch.onnx.export(model, inputs, 'net.onnx')\n"
TARGET = Target("net.py", "Net.forward", 11, 12, Reason.CHANGED, ())
CONDITION = "executes('divergence', 'onnxruntime')"
PROBE = Probe(
    "net.py::Net.forward", {"x": RecipeArgument("tensor((1, 3, 8, 8), seed=1)")}, (), (CONDITION,)
)
LAYER = ModelLayer("pool", "AvgPool2d", "net.py", 12)
DEPARTURE = Departure(
    "divergence",
    "onnxruntime",
    PROBE,
    Run(Violated(CONDITION, "onnxruntime is off float64 by 0.5")),
    "1.5 at [0, 0]",
    "1",
    error_ratio=1e5,
    d_mad=0.3,
    layer=LAYER,
    single="torch.nn.AvgPool2d(2, divisor_override=3)",
    low=-1.0,
    high=2.0,
    layers=(LayerError("conv", 1.23456), LayerError("pool", None)),
)


EXPLORED = ExplorationResult(passing=(replace(PROBE, ensures=("finite(result)",)),))
EXECUTED = ExecutionResult(
    done=("onnxruntime",), model="torch.nn.Module, 1 layer", versions=(("torch", "2.13.0"),)
)


@dataclass
class ModelBench:
    departures: tuple = (DEPARTURE,)
    texts: dict = field(default_factory=lambda: {"net.py": NET, "export.py": EXPORTING})
    explored: ExplorationResult = EXPLORED
    executed: ExecutionResult = EXECUTED
    plan = ExaminationPlan()
    asked: list = field(default_factory=list)
    standins: tuple = ()

    def once(self, name, make):
        return make()

    def paths(self):
        return tuple(self.texts)

    def source(self, path):
        return self.texts[path]

    def remaining(self):
        return 100.0

    def observe(self, target, *, runs_tests=True):
        return ()

    def kept(self, target):
        return ()

    def explore(self, target, exploring):
        return self.explored

    def execute(self, target, executing):
        self.asked.append(executing)
        return replace(self.executed, departures=self.departures)


def examined(bench, function="Net.forward"):
    return list(ModelsAnalyzer().examine(replace(TARGET, function=function), bench))


def test_execution_that_the_project_uses_gates():
    (told,) = examined(ModelBench())
    assert isinstance(told, Finding)
    assert (told.rule, told.level, told.path, told.line) == (
        "model/divergence",
        Level.FAILURE,
        "net.py",
        12,
    )
    assert (told.probes, told.criterion) == ((PROBE,), Violates(CONDITION))
    assert told.symbol == "net.py::Net"


def test_branch_that_an_export_decided_is_told_at_its_line():
    condition = "executes('divergence', 'onnxruntime', other='negated')"
    branch = replace(
        DEPARTURE,
        probe=replace(PROBE, ensures=(condition,)),
        run=Run(Violated(condition, "branch baked in: as exported for one input it departs")),
        error_ratio=None,
        layer=ModelLayer("", "branch", "net.py", 11),
        single="",
    )
    (told,) = examined(ModelBench(departures=(branch,)))
    assert (told.rule, told.level, told.line) == ("model/divergence", Level.FAILURE, 11)
    assert told.criterion == Violates(condition)
    assert "branch baked in" in told.message
    assert "The branch is at net.py:11." in told.message
    assert "first layer" not in told.message


def test_evidence_and_words():
    (told,) = examined(ModelBench())
    assert (
        told.evidence.items()
        >= {
            "executions": ["onnxruntime"],
            "error_ratio": 1e5,
            "first_layer": "pool",
            "layers": [
                {"layer": "conv", "error_ratio": 1.235},
                {"layer": "pool", "error_ratio": None},
            ],
            "mutations": [],
            "input_range": [-1.0, 2.0],
            "used_at": "export.py:3",
        }.items()
    )
    assert told.title == "`Net` gives different output with ONNX Runtime, from `pool` on"
    for words in (
        "gives `1.5 at [0, 0]`, where float64 gives `1`",
        "`pool` (AvgPool2d) at net.py:12, which is fed values from -1 to 2",
        "`torch.nn.AvgPool2d(2, divisor_override=3)` shows the same",
        "`torch.onnx.export` (export.py:3)",
        "torch 2.13.0",
    ):
        assert words in told.message


def test_what_is_only_declared_warns():
    bench = ModelBench(texts={"net.py": NET, "requirements.txt": "torch\nonnxruntime\n"})
    (told,) = examined(bench)
    assert told.level is Level.WARNING


def test_unused_execution_is_the_librarys_affair():
    (told,) = examined(ModelBench(texts={"net.py": NET}))
    assert isinstance(told, LibraryBug)
    assert (told.divergence.api, told.line) == ("torch.nn.AvgPool2d", 12)


def test_unused_execution_that_no_layer_shows_is_not_told():
    bench = ModelBench((replace(DEPARTURE, single=""),), {"net.py": NET})
    assert examined(bench) == []


def test_one_cause_is_one_finding():
    other = replace(DEPARTURE, execution="onednn-off", error_ratio=1e7)
    (told,) = examined(ModelBench((other, DEPARTURE)))
    assert told.evidence["executions"] == ["onnxruntime", "onednn-off"]


def test_mutant_is_advice_and_one_is_enough():
    changed = replace(DEPARTURE, mutations=("AFRp act: Softplus(1, 2)",))
    another = replace(changed, layer=replace(LAYER, name="other"))
    (told,) = examined(ModelBench((changed, another)))
    assert told.level is Level.WARNING
    assert "slightly modified" in told.title
    assert "after `AFRp act: Softplus(1, 2)` it would" in told.message


def test_what_is_not_compiled_is_a_notice():
    left = replace(DEPARTURE, rule="not-compiled", execution="inductor", error_ratio=None)
    texts = {"net.py": NET, "run.py": "import torch\nfast = torch.compile(model)\n"}
    (told,) = examined(ModelBench((left,), texts))
    assert (told.rule, told.level) == ("model/not-compiled", Level.NOTICE)
    assert examined(ModelBench((left,), {"net.py": NET})) == []


def test_eager_itself_never_gates():
    own = replace(DEPARTURE, rule="non-finite", execution="eager")
    (told,) = examined(ModelBench((own,)))
    assert told.level is Level.WARNING


@pytest.mark.parametrize("execution", ["onnxruntime", "cuda", "decompositions"])
def test_absent_execution_is_told_where_it_is_used(execution):
    absent = ExecutionResult(left_out=((execution, "onnxruntime is not installed"),))
    told = examined(ModelBench((), executed=absent))
    wanted = ["`Net` was not run with ONNX Runtime: onnxruntime is not installed"]
    assert [each.reason for each in told] == (wanted if execution == "onnxruntime" else [])


def test_model_that_cannot_be_built_is_skipped():
    bench = ModelBench((), explored=ExplorationResult(obstacle="weights.pt is missing"))
    (told,) = examined(bench)
    assert told == Skipped("models", TARGET.id, "the model cannot be built: weights.pt is missing")
    (told,) = examined(ModelBench(), "Unknown.forward")
    assert "the model cannot be built: nothing says what `thing`" in told.reason


@pytest.mark.parametrize("function", ["Silent.forward", "Made.forward"])
def test_inputs_that_nobody_knows_are_found_by_trying(function):
    bench = ModelBench(explored=ExplorationResult(obstacle="self cannot be made"))
    examined(bench, function)
    (asked,) = bench.asked
    assert asked.probes == ()
    assert asked.forward == Contract(constructor=Contract({"width": "ints(min=1, max=4)"}))


def test_model_that_is_not_run_is_skipped():
    (told,) = examined(ModelBench((), executed=ExecutionResult(obstacle="it has no weights")))
    assert told.reason == "the model was not run: it has no weights"


def test_probes_are_asked_without_other_conditions_and_odd_numbers():
    odd = Probe(PROBE.target, {"x": RecipeArgument("tensor((1, 3, 8, 8), fill=inf)")})
    bench = ModelBench(
        explored=ExplorationResult(passing=(odd, replace(PROBE, ensures=("finite(result)",))))
    )
    examined(bench)
    (asked,) = bench.asked
    assert asked.probes == (replace(PROBE, ensures=()),)
    assert asked.executions == ("eager", "onednn-off", "onnxruntime", "decompositions")
    assert asked.forward is None


def test_constructor_is_examined_with_what_its_forward_takes():
    bench = ModelBench()
    examined(bench, "Made.__init__")
    assert bench.asked[0].mutants == 0


def test_what_is_no_model_is_left_alone():
    bench = ModelBench(texts={"net.py": "import torch\n\n\ndef f(x):\n    return torch.relu(x)\n"})
    assert examined(bench, "f") == []
    assert bench.asked == []


def test_framework_that_is_not_installed_is_said():
    (told,) = examined(ModelBench(standins=("torch", "onnx")))
    assert told == Skipped(
        "models",
        TARGET.id,
        "the model cannot be built: torch is not installed in the project's environment",
    )


def test_campaign_searches_in_turns_and_tells_what_nobody_uses():
    bench = ModelBench(texts={"net.py": NET}, executed=replace(EXECUTED, mutants=7))
    effort = replace(FUZZ, turns=3)
    (told,) = ModelsAnalyzer(effort).examine(TARGET, bench)
    assert (told.rule, told.level) == ("model/divergence", Level.WARNING)
    assert [each.seed for each in bench.asked] == [0, 1, 2]
    assert {each.mutants for each in bench.asked} == {effort.mutants}


def test_campaign_ends_where_no_mutant_can_be_made():
    bench = ModelBench(texts={"net.py": NET})
    list(ModelsAnalyzer(FUZZ).examine(TARGET, bench))
    assert len(bench.asked) == 1
