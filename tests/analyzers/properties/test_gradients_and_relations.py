"""Gradients and relations between calls that base has and head has not, both run for real."""

from textwrap import dedent

import pytest

from analyzers.properties.base_comparison import changed_findings
from analyzers.properties.base_search import ComparedRun
from analyzers.vocabulary import Level, Probe, RecipeArgument, Violated, Violates
from tests.analyzers.properties.revisions import PATH, TwoRevisions, target

RANDOM = [{"x": f"tensor((3, 4), seed={seed}, low=-2, high=2)"} for seed in range(1, 5)]
ZERO = [*RANDOM, {"x": "tensor((3, 4), fill=0)"}]


def findings(base, head, inputs, function="f"):
    bench = TwoRevisions(
        *(f"import torch\nfrom torch import nn\n{dedent(e)}" for e in (base, head))
    )
    runs = []
    for given in inputs:
        arguments = {name: RecipeArgument(text) for name, text in given.items()}
        probe = Probe(f"{PATH}::{function}", arguments, observed=True)
        runs.append(ComparedRun(probe, *bench.run_on_base([probe]), *bench.run([probe])))
    found = list(changed_findings(target(function), (), runs, bench))
    for each in found:
        assert isinstance(each.criterion, Violates)
        assert isinstance(bench.run(each.probes)[0].ending, Violated)
        assert not isinstance(bench.run_on_base(each.probes)[0].ending, Violated)
    return found


def function(body):
    return f"def f(x, **more):\n    return {body}\n"


def test_gradient_that_is_nan_for_the_first_time_is_a_failure():
    (found,) = findings(function("x.norm(dim=-1)"), function("(x * x).sum(-1).sqrt()"), ZERO)
    assert (found.rule, found.level) == ("model/non-finite", Level.FAILURE)
    assert "gradient by `x`" in found.message
    assert found.evidence["arguments"] == ZERO[-1]


def test_other_gradient_of_the_same_result_is_a_notice():
    head = function("(x - x.mean(-1, keepdim=True).detach()).exp()")
    (found,) = findings(function("(x - x.mean(-1, keepdim=True)).exp()"), head, RANDOM)
    assert (found.rule, found.level) == ("behaviour/changed", Level.NOTICE)
    assert "the gradient by `x[" in found.message


def test_lost_gradient_is_a_warning():
    (found,) = findings(function("x * 2"), function("x.detach() * 2"), RANDOM)
    assert (found.rule, found.level) == ("property/changed", Level.WARNING)
    assert "stops learning" in found.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("torch.relu(x)", "x.clamp(min=0)"),
        ("x.max(-1).values", "x.amax(-1)"),
        ("x.softmax(-1).log()", "x.log_softmax(-1)"),
        ("(x * x).sum(-1).sqrt()", "x.norm(dim=-1)"),
        ("x.argmax(-1)", "x.detach().argmax(-1)"),
    ],
    ids=["bound", "ties", "stable", "mended", "whole numbers"],
)
def test_choice_of_derivative_and_what_cannot_be_compared_tell_nothing(base, head):
    assert not findings(function(base), function(head), ZERO)


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 2)])
        self.register_buffer("steps", torch.arange(4.0), persistent=False)

    def forward(self, x):
        return self.layers[0](x + self.steps)
"""
NETS = [{"self": "Net()", **each} for each in RANDOM]


def test_what_state_dict_misses_makes_another_result_a_warning():
    head = NET.replace(
        "persistent=False)", "persistent=False)\n        self.shift = torch.randn(4)"
    )
    head = head.replace("x + self.steps", "x + self.steps + self.shift")
    found = findings(NET, head, NETS, "Net.forward")
    assert [each.level for each in found] == [Level.WARNING]
    assert "loads the `state_dict`" in found[0].message


def test_new_option_keeps_relations():
    head = NET.replace("def __init__(self)", "def __init__(self, wide=False)")
    assert not findings(NET, head, NETS, "Net.forward")


MASKED = """
def f(x, mask):
    kept = mask[..., None].float()
    return (x * kept).sum(-2) / kept.sum(-2).clamp(min=1)
"""
WITH_MASK = [
    {
        "x": f"tensor((2, 5, 3), seed={n}, low=-1, high=1)",
        "mask": f"tensor((2, 5), 'bool', seed={n})",
    }
    for n in range(1, 5)
]
WHOLE = [{**each, "x": "tensor((2, 5, 3), fill=0)"} for each in WITH_MASK]


def test_masked_places_that_count_are_a_warning():
    (found,) = findings(MASKED, MASKED.replace("(x * kept).sum(-2)", "x.sum(-2)"), WHOLE)
    assert "ignores_masked" in found.title
    assert found.level is Level.WARNING


def test_masked_mean_that_is_written_otherwise_tells_nothing():
    head = MASKED.replace("x * kept", "x.masked_fill(~mask[..., None], 0)")
    assert not findings(MASKED, head, WITH_MASK)


def test_order_of_rows_that_counts_is_a_warning():
    rows = [{"x": f"tensor(({n},), values='sorted', seed={n})"} for n in (3, 4, 5)]
    (found,) = findings(function("x.max()"), function("x[-1]"), rows)
    assert "permutes" in found.title


def test_long_recipes_are_read_whole():
    values = ", ".join(f"{number}.5" for number in range(120))
    long = {"x": f"tensor((120,), values=[{values}])"}
    assert findings(function("x * 2"), function("x + x"), [long]) == []
