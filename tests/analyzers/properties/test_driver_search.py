"""The project's own programs on base and head, both run for real."""

import ast
from dataclasses import replace

import pytest

from analyzers.pipeline import study
from analyzers.properties import driver_search
from analyzers.properties.driver_findings import count_driver_runs, driven
from analyzers.properties.driver_search import driver_study
from analyzers.vocabulary import Crashes, Level, Reason, Run, TimedOut, Violates
from tests.analyzers.properties.revisions import PATH, TwoRevisions, target

CODE = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim, learn=False, bias=None):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim)) if learn else None
        self.bias = bias

    def forward(self, x):
        y = x / x.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        y = y if self.scale is None else y * self.scale
        return y if self.bias is None else y + self.bias
"""
README = "# Net\n\n```python\nfrom net import Net\n\ny = Net(8)(torch.randn(4, 6, 8))\n```\n"


@pytest.fixture(autouse=True)
def few_variations(monkeypatch):
    monkeypatch.setattr(driver_search, "MOST_RUNS", 100)
    monkeypatch.setattr(driver_search, "SECONDS", 600.0)


def found(old="", new="", readme=README, function="Net.forward", base=CODE):
    assert old in base
    bench = TwoRevisions(base, base.replace(old, new), {"README.md": readme})
    bench.changed = [target(function)]
    count_driver_runs(target(function), bench)
    return list(driven(target(function), bench)), bench


def test_flag_that_no_example_uses_is_told_with_the_example():
    (finding,), _ = found("y * self.scale", "y * self.scale[:, None]")
    assert (finding.rule, finding.level, finding.path) == ("property/crash", Level.FAILURE, PATH)
    assert isinstance(finding.criterion, Crashes)
    assert finding.evidence["driver"] == "README.md:4"
    assert "learn=True" in finding.evidence["variation"]
    assert finding.evidence["code"].split("\n") == [
        "import torch",
        "from net import Net",
        "y = Net(8, learn=True)(torch.randn(4, 6, 8))",
    ]


def test_refactoring_changes_nothing_and_is_counted():
    findings, bench = found("y * self.scale", "self.scale * y")
    assert findings == []
    counts = bench.driven
    assert (counts.places, counts.different) == (("README.md:4",), 0)
    assert (counts.changed, counts.covered) == (1, 1)
    assert counts.same > 20


def test_other_values_are_one_notice_on_the_changed_line():
    (finding,), bench = found("dim=-1", "dim=-2")
    assert (finding.rule, finding.level) == ("behaviour/changed", Level.NOTICE)
    assert isinstance(finding.criterion, Violates)
    assert CODE.splitlines()[finding.line - 1].strip().startswith("y = x / x.norm")
    assert finding.probes[0].program.edits == 0
    assert bench.driven.different > 0


def test_rows_that_depend_on_each_other_are_told_instead_of_other_values():
    (finding,), _ = found("dim=-1", "dim=0")
    assert (finding.rule, finding.level) == ("property/changed", Level.WARNING)
    assert finding.evidence["property"] == "batch independence"
    assert finding.criterion == Violates("near(alone, result[:1])")
    assert finding.evidence["code"].split("\n") == [
        "import torch",
        "from net import Net",
        "model = Net(8)",
        "given = torch.randn(4, 6, 8)",
        "result = model(given)",
        "alone = model(given[:1])",
    ]


TEST = """import numpy as np
import torch
from net import Net


def test_length():
    x = torch.randn(4, 6, 8)
    np.testing.assert_allclose(Net(8)(x).norm(dim=-1), 1, rtol=1e-3)
"""


def test_assertion_of_a_test_is_a_promise():
    bench = TwoRevisions(CODE, CODE.replace("dim=-1", "dim=1"), {"tests/test_net.py": TEST})
    bench.changed = [target("Net.forward")]
    (finding,) = driven(target("Net.forward"), bench)
    assert (finding.rule, finding.evidence["property"]) == ("property/changed", "assertion")
    assert finding.evidence["code"].split("\n")[-1] == "x = torch.randn(4, 6, 8)"
    assert finding.criterion.condition.startswith("np.testing.assert_allclose(Net(8)(x)")


def test_nan_for_the_first_time_is_a_failure():
    findings, _ = found(".clamp(min=1e-6)", "")
    assert [(each.rule, each.level) for each in findings] == [("model/non-finite", Level.FAILURE)]


def test_overflow_in_half_precision_alone_is_a_warning():
    linear = CODE.replace(
        "self.bias = bias", "self.bias = bias\n        self.last = nn.Linear(dim, 4)"
    )
    linear = linear.replace("return y if", "y = self.last(y) * 1e-7 * 1e7\n        return y if")
    (finding,), _ = found("self.last(y) * 1e-7 * 1e7", "self.last(y) * 1e7 * 1e-7", base=linear)
    assert (finding.rule, finding.level) == ("model/non-finite", Level.WARNING)
    assert "float16" in finding.evidence["variation"]


def test_new_refusal_is_a_notice():
    (finding,), _ = found(
        "        y = x / x",
        '        if x.size(0) == 1:\n            raise ValueError("one")\n        y = x / x',
    )
    assert (finding.rule, finding.level) == ("behaviour/changed", Level.NOTICE)
    assert finding.criterion.refused


TABLE = """import torch


def plain(x, eps=1e-5):
    return x + eps


METHODS = {"plain": plain}


def smooth(x, name="plain", **kwargs):
    return METHODS[name](x, **kwargs)
"""
USE = "```python\nimport torch\nfrom net import smooth\n\ny = smooth(torch.ones(2, 3))\n```\n"


def test_keyword_that_only_base_takes_is_a_notice():
    (finding,), _ = found("**kwargs", "*kwargs", USE, "smooth", TABLE)
    assert (finding.rule, finding.level) == ("behaviour/changed", Level.NOTICE)
    assert finding.criterion.refused
    assert "unexpected keyword argument 'eps'" in finding.message


def test_parameter_that_a_change_takes_out_is_told_of_examples_alone():
    base = "import torch\n\n\ndef smooth(x, more=1):\n    return x + 1\n"
    assert found(", more=1", "", USE, "smooth", base)[0] == []
    using = USE.replace("2, 3)", "2, 3), more=2")
    (finding,), _ = found(", more=1", "", using, "smooth", base)
    assert "unexpected keyword argument 'more'" in finding.message


def test_keyword_that_only_head_takes_is_none():
    assert found("bias=None):", "bias=None, more=1):", base=CODE)[0] == []


def test_helper_with_one_option_less_is_called_once_more():
    base = "def smooth(x, eps=0.1, dim=-1):\n    return x + x.sum(dim=dim, keepdim=True) * eps\n"
    base += "\n\ndef use():\n    return smooth(torch.ones(1, 4))\n"
    base = f"import torch\n\n\n{base}"
    readme = "```python\nfrom net import use\n\ny = use()\n```\n"
    head = base.replace(", dim=-1", "").replace("dim=dim, keepdim=True", "")
    bench = TwoRevisions(base, head, {"README.md": readme})
    bench.changed = [target("smooth")]
    (finding,) = driven(target("smooth"), bench)
    assert finding.rule in ("behaviour/changed", "property/changed")
    assert "smooth(x=" in finding.evidence["code"]


def test_statements_before_one_that_base_fails_at_count():
    readme = README.replace("6, 8))", "6, 8))\nz = y.missing")
    (finding,), _ = found("dim=-1", "dim=-2", readme)
    assert finding.rule == "behaviour/changed"
    assert "missing" not in finding.evidence["code"]


def test_value_of_a_kind_that_nothing_names_blocks_nothing():
    (finding,), _ = found("y + self.bias", "y + self.bias.missing")
    assert finding.level in (Level.WARNING, Level.NOTICE)


@pytest.mark.parametrize("readme", ["# Net\n", "```python\nprint('Net')\n```\n"])
def test_without_an_example_that_reaches_it_nothing_is_said(readme):
    findings, bench = found("dim=-1", "dim=-2", readme)
    assert findings == []
    assert bench.driven.places == ()


def test_helper_is_reached_through_what_uses_it():
    base = (
        CODE.replace("x.norm(dim=-1, keepdim=True).clamp(min=1e-6)", "_length(x, None)")
        + "\n\ndef _length(x, unused):\n    return x.norm(dim=-1, keepdim=True).clamp(min=1e-6)\n"
    )
    (finding,), _ = found("dim=-1", "dim=-2", function="_length", base=base)
    assert finding.rule == "behaviour/changed"


TWO = (
    CODE.replace("y * self.scale", "_scaled(y, self.scale)")
    + "\n\ndef _scaled(y, scale):\n    return y * scale\n"
)


def test_difference_is_told_of_the_function_that_explains_it():
    head = TWO.replace("y * scale", "y * (scale + 1)").replace("return y if", "return (y) if")
    bench = TwoRevisions(TWO, head, {"README.md": README})
    bench.changed = [target("Net.forward"), target("_scaled")]
    study = driver_study(bench)
    told = {each.function: list(driven(each, bench)) for each in bench.changed}
    assert told["Net.forward"] == []
    assert [each.rule for each in told["_scaled"]] == ["behaviour/changed"]
    assert driver_study(bench) is study
    assert study.different == {"net.py::_scaled"}


def test_callee_explains_what_its_caller_ran_as_often():
    base = TWO.replace("y = x / x.norm", "x = _scaled(x, 1)\n        y = x / x.norm")
    head = base.replace("    return y * scale", "    return y * scale + 1")
    head = head.replace("return y if self.bias", "return (y) if self.bias")
    bench = TwoRevisions(base, head, {"README.md": README})
    bench.changed = [target("Net.forward"), target("_scaled")]
    assert driver_study(bench).different == {"net.py::_scaled"}


def test_what_changed_comes_before_what_calls_it_though_its_lines_ran():
    bench = TwoRevisions(TWO, TWO.replace("y * scale", "scale * y"), {"README.md": README})
    bench.changed = [target("_scaled")]
    caller = replace(target("Net.forward"), reason=Reason.CALLS_CHANGED)
    assert study([caller, target("_scaled")], bench) == [target("_scaled"), caller]
    assert driver_study(bench).covers(target("_scaled"))
    assert not driver_study(bench).different


def test_new_function_is_reached_and_varied_by_head_alone():
    body = "    if way == 'back':\n        return -x / 2\n    return x / 2\n"
    head = f"{CODE}\n\ndef halved(x, way=None):\n{body}"
    readme = README + "\n```python\nfrom net import halved\n\nz = halved(torch.ones(2))\n```\n"
    bench = TwoRevisions(CODE, head, {"README.md": readme})
    bench.changed = [target("halved")]
    study = driver_study(bench)
    assert not list(driven(target("halved"), bench))
    count_driver_runs(target("halved"), bench)
    assert (bench.driven.places, bench.driven.same) == (("README.md:10",), 0)
    assert (bench.driven.changed, bench.driven.covered) == (3, 3)
    assert {20 in run.lines[PATH] for _, run in bench.counted} == {False, True}
    assert not study.covers(target("halved"))


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        ("    return x.missing\n", [("property/crash", Level.WARNING)]),
        ("    raise ValueError('not yet')\n", []),
        ("    return open('weights.pt')\n", []),
    ],
)
def test_documented_example_of_a_new_function_that_raises_is_told(body, rules):
    readme = README + "\n```python\nfrom net import fresh\n\nz = fresh(torch.ones(2))\n```\n"
    bench = TwoRevisions(CODE, f"{CODE}\n\ndef fresh(x):\n{body}", {"README.md": readme})
    bench.changed = [target("fresh")]
    found = list(driven(target("fresh"), bench))
    assert [(each.rule, each.level) for each in found] == rules
    assert [each.evidence["driver"] for each in found] == ["README.md:10"] * len(rules)


class SlowRevisions(TwoRevisions):
    """Two revisions on which numbers of 4096 and more take too long."""

    slow_word = "4096"

    def run_programs(self, probes, seconds):
        pairs = super().run_programs(probes, seconds)
        late = Run(TimedOut(seconds))
        slow = [self.slow_word in each.program.source for each in probes]
        return [
            (late, late) if is_slow else pair for is_slow, pair in zip(slow, pairs, strict=True)
        ]


def test_slow_example_is_made_small():
    readme = README.replace("6, 8))", "4096, 8))")
    bench = SlowRevisions(CODE, CODE.replace("dim=-1", "dim=-2"), {"README.md": readme})
    bench.changed = [target("Net.forward")]
    (finding,) = driven(target("Net.forward"), bench)
    assert finding.evidence["driver"] == "README.md:4"
    assert "4096" not in finding.evidence["code"]


def test_slow_loop_runs_once_where_smaller_numbers_fail():
    readme = README.replace(
        "y = Net(8)(torch.randn(4, 6, 8))",
        "sizes = [4, 4096]\nfirst = sizes[4096 // 63 - 65]\nfor rows in sizes:\n"
        "    y = Net(8)(torch.randn(rows, 6, 8))",
    )
    bench = SlowLoops(CODE, CODE.replace("dim=-1", "dim=-2"), {"README.md": readme})
    bench.changed = [target("Net.forward")]
    (finding,) = driven(target("Net.forward"), bench)
    assert "rows = next(iter(sizes))" in finding.evidence["code"]


class Patient(TwoRevisions):
    """Two revisions that take as long as four seconds for each program with a layer."""

    def run_programs(self, probes, seconds):
        pairs = super().run_programs(probes, seconds)
        slow = Run(TimedOut(seconds))
        return [
            (slow, slow) if seconds < 4 and "Net(" in probe.program.source else pair
            for probe, pair in zip(probes, pairs, strict=True)
        ]


def test_program_that_alone_names_a_change_gets_more_time(monkeypatch):
    monkeypatch.setattr(driver_search, "MOST_RUNS", 8)
    bench = Patient(CODE, CODE.replace("dim=-1", "dim=-2"), {"README.md": README})
    bench.changed = [target("Net.forward")]
    (finding,) = driven(target("Net.forward"), bench)
    assert finding.evidence["driver"] == "README.md:4"


class Costly(TwoRevisions):
    """Two revisions whose programs take three seconds each."""

    def run_programs(self, probes, seconds):
        late = [
            [replace(run, seconds=3.0) for run in p] for p in super().run_programs(probes, seconds)
        ]
        return [(base, head) for base, head in late]


def test_costly_program_that_differs_is_not_varied():
    bench = Costly(CODE, CODE.replace("dim=-1", "dim=-2"), {"README.md": README})
    bench.changed = [target("Net.forward")]
    assert [each.probe.program.edits for each in driver_study(bench).compared] == [0]


class Noted(TwoRevisions):
    """Two revisions that note the places of the programs that run."""

    def run_programs(self, probes, seconds):
        self.__dict__.setdefault("places", []).extend(each.program.place for each in probes)
        return super().run_programs(probes, seconds)


def test_programs_that_name_nothing_near_are_left_once_others_reach_a_change(monkeypatch):
    monkeypatch.setattr(driver_search, "MOST_RUNS", 40)
    block = "\n```python\nnet = 3\nforward = net + 1\n```\n"
    bench = Noted(CODE, CODE.replace("dim=-1", "dim=-2"), {"README.md": README + 30 * block})
    bench.changed = [target("Net.forward")]
    assert driver_study(bench).different
    assert len({*bench.places}) <= driver_search.FIRST_BATCH


def test_programs_that_use_what_changed_lines_name_come_first(monkeypatch):
    monkeypatch.setattr(driver_search, "MOST_RUNS", 2)
    blocks = "".join(
        f"\n```python\nfrom net import Net\n\nnet = Net({n}{more})\n```\n"
        for n, more in [*((n, "") for n in range(1, 9)), (9, ", learn=True")]
    )
    bench = Noted(CODE, CODE.replace("if learn else", "if not learn else"), {"README.md": blocks})
    bench.changed = [target("Net.__init__")]
    driver_study(bench)
    assert bench.places[0] == "README.md:51"


def test_edits_are_made_to_a_batch_of_two():
    (finding,), _ = found(
        "y * self.scale", "(y * self.scale)[:1].expand_as(y)", README.replace("(4,", "(1,")
    )
    assert "Net(8, learn=True)" in finding.evidence["code"]
    assert "torch.randn(2, 6, 8)" in finding.evidence["code"]


class SlowLoops(SlowRevisions):
    """Two revisions on which loops take too long."""

    slow_word = "in sizes"


class SlowEnds(TwoRevisions):
    """Two revisions on which the statement that trains takes too long."""

    def run_programs(self, probes, seconds):
        pairs = super().run_programs(probes, seconds)
        found = []
        for probe, pair in zip(probes, pairs, strict=True):
            texts = [ast.unparse(each) for each in ast.parse(probe.program.source).body]
            late = next((n for n, each in enumerate(texts) if "= train(" in each), None)
            slow = Run(TimedOut(seconds), completed=late or 0)
            found.append(pair if late is None else (slow, slow))
        return found


@pytest.mark.parametrize("sides", ["4, 6, 8", "4096, 6, 8"])
def test_program_whose_end_is_too_slow_is_compared_up_to_it(sides):
    readme = README.replace("(4, 6, 8))", f"({sides}))\ntrain(y)")
    bench = SlowEnds(CODE, CODE.replace("dim=-1", "dim=-2"), {"README.md": readme})
    bench.changed = [target("Net.forward")]
    (finding,) = driven(target("Net.forward"), bench)
    assert "train" not in finding.evidence["code"]


HELPER = (
    CODE.replace("x.norm(dim=-1, keepdim=True)", "length(x, None)")
    + "\n\ndef length(x, order, squared=False):\n"
    + "    found = x.norm(dim=-1, keepdim=True)\n"
    + "    return found * found if squared else found\n"
)


def test_call_that_the_example_leads_to_is_varied_too():
    (finding,), _ = found(
        "found * found if", "found[:, :, :, 0] if", function="length", base=HELPER
    )
    assert (finding.rule, finding.level) == ("property/crash", Level.FAILURE)
    assert finding.evidence["variation"] == "`length` called once more, `squared=True`"
    assert "again = length(x=x, order=order, squared=True)" in finding.evidence["code"]


def test_inner_call_that_returns_more_with_its_caller_is_a_notice():
    """An autograd.Function that came to return two results, as its callers expect, was told."""
    head = HELPER.replace("length(x, None)", "length(x, None)[0]").replace(
        "return found * found if squared else found", "return found, squared"
    )
    bench = TwoRevisions(HELPER, head, {"README.md": README})
    bench.changed = [target("length")]
    (finding,) = driven(target("length"), bench)
    assert (finding.rule, finding.level) == ("behaviour/changed", Level.NOTICE)


def test_call_of_what_is_private_blocks_nothing():
    base = HELPER.replace("length(x, None)", "_length(x, None)").replace(
        "length(x, o", "_length(x, o"
    )
    (finding,), _ = found("found * found if", "found[:, :, :, 0] if", function="_length", base=base)
    assert finding.level is Level.WARNING


def test_call_with_other_parameters_than_on_base_is_not_repeated():
    findings, _ = found(
        "squared=False", "squared=False, *, far=False", function="length", base=HELPER
    )
    assert findings == []
