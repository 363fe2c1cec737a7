"""Inputs that a call changes, and results that depend on a call before, at a bench by hand."""

from dataclasses import dataclass, field

import pytest

from analyzers.properties.call_effects import effect_findings
from analyzers.vocabulary import (
    Level,
    Probe,
    Reason,
    RecipeArgument,
    Returned,
    Run,
    Target,
    Violated,
    Violates,
)
from tests.analyzers.benches import IdleBench

NET = """from torch import nn


class Net(nn.Module):
    def forward(self, x, offset=0):
        return x

    def rotated(self, x):
        return x


def rotated(x):
    return x
"""


@dataclass
class ConditionBench(IdleBench):
    """A bench where a condition that begins as told is broken."""

    broken: str = "none"
    text: str = NET
    asked: list[Probe] = field(default_factory=list)

    def __post_init__(self):
        super().__init__({"net.py": self.text})

    def run(self, probes):
        self.asked += probes
        return [Run(self._ending(each)) for each in probes]

    def _ending(self, probe):
        (condition,) = probe.ensures
        is_broken = condition.startswith(self.broken)
        return Violated(condition, "result[0] is 1, 2") if is_broken else Returned("")


def found(broken, function="Net.forward", **arguments):
    target = Target("net.py", function, 5, 6, Reason.CHANGED, ())
    given = {"x": "tensor((1, 64))"} | arguments
    if "." in function:
        given = {"self": "Net()"} | given
    passing = Probe(target.id, {name: RecipeArgument(text) for name, text in given.items()})
    bench = ConditionBench(broken)
    return list(effect_findings(target, [passing], bench)), bench.asked


@pytest.mark.parametrize(
    ("broken", "title"),
    [
        ("unaffected_by", "`Net.forward` gives another result after another call"),
        ("unchanged(x", "`Net.forward` changes its arguments"),
    ],
)
def test_effect_is_a_warning_that_can_be_asked_again(broken, title):
    (finding,), _ = found(broken, offset="1023")
    assert (finding.title, finding.level) == (title, Level.WARNING)
    assert finding.criterion == Violates(finding.probes[0].ensures[0])


def test_calls_before_have_other_dtypes_and_sizes_and_the_first_call_its_defaults():
    none, asked = found("none", offset="1023")
    before = " ".join(each.ensures[0] for each in asked)
    assert not none
    assert "bfloat16" in before
    assert "tensor((1, 1)" in before
    assert "offset" not in asked[0].arguments


def test_calls_of_the_project_are_asked_first_and_smaller():
    text = NET + "\n\nNet()(torch.randn(2, 64))\n"
    bench = ConditionBench(text=f"import torch\n{text}")
    target = Target("net.py", "Net.forward", 5, 6, Reason.CHANGED, ())
    assert list(effect_findings(target, [], bench)) == []
    assert bench.asked[0].arguments["x"].recipe.startswith("tensor((2, 1)")
    assert bench.asked[0].arguments["self"].recipe == "Net()"


def test_functions_and_what_works_in_place_are_not_asked():
    assert found("un", "rotated") == ([], [])
    assert found("un", self="Net(inplace=True)") == ([], [])
    (finding,), asked = found("un", "Net.rotated")
    assert "unaffected" in finding.criterion.condition
    assert not any("unchanged" in each.ensures[0] for each in asked)
