"""Reproducers of valid inputs: each fails on the defect and passes on its fix, run for real."""

import pytest

from analyzers.criteria import DEATH
from analyzers.vocabulary import (
    Crashes,
    Finding,
    LiteralArgument,
    Probe,
    RecipeArgument,
    Violates,
)
from tests.analyzers import samples
from tests.worker.report.running import run
from worker.report.asserted_conditions import UnsupportedCondition, asserted_condition
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

BUGGY = """\
import os

import torch
from torch import nn

LIMIT = 4


def first(x, n):
    return x.flatten()[n]


def log(x):
    return x.log()


def double(x):
    x *= 2
    return x


def mean(x, dim=0):
    return x.mean(dim, keepdim=True)


def noisy(x):
    return x + len(os.urandom(1)) + os.urandom(8)[0]


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 2)
        self.width = width

    @torch.no_grad()
    def forward(self, x):
        return self.layer(x.reshape(-1, 3))


def small(width):
    return Net(width)


class Ramp(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.randn(1))
        self.ramp = torch.arange(0)

    def forward(self, x):
        if len(self.ramp) < len(x):
            self.ramp = torch.arange(len(x), dtype=x.dtype)
        return self.ramp[: len(x)] * self.slope


class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.randn(3), persistent=False)

    def forward(self, x):
        return x + self.shift


def root(x):
    return (x * x).sum().sqrt()


def last(x):
    return x[-1]


def total(x, mask):
    return x.sum(-1)


def apply(net, x):
    return net(x)


def steps(n):
    for k in range(n):
        yield 1 / (n - k - 1)


def fall(n):
    if n > 3:
        os.kill(os.getpid(), 11)
    return n
"""
FIXES = {
    "x.flatten()[n]": "x.flatten()[min(n, x.numel() - 1)]",
    "x.log()": "x.clamp(min=1e-6).log()",
    "x *= 2": "x = x * 2",
    "keepdim=True": "keepdim=False",
    "os.urandom(8)[0]": "3",
    "x.reshape(-1, 3)": "x.reshape(-1, self.width)",
    "1 / (n - k - 1)": "1 / (n - k)",
    "n > 3": "n > 300",
    "len(x), dtype=x.dtype": "len(x)",
    "torch.randn(3)": "torch.ones(3)",
    "(x * x).sum().sqrt()": "x.norm()",
    "x[-1]": "x.sum()",
    "x.sum(-1)": "x.masked_fill(~mask, 0).sum(-1)",
}
FIXED = BUGGY
for _then, _now in FIXES.items():
    FIXED = FIXED.replace(_then, _now)
REFUSING = BUGGY.replace(
    "    return x.flatten()",
    "    if n >= x.numel():\n        raise ValueError(\n            n)\n    return x.flatten()",
)


def finding(function, criterion, ensures=(), annotations=None, **arguments):
    target = f"app.py::{function}"
    made = {
        name: RecipeArgument(source) if isinstance(source, str) else LiteralArgument(repr(source))
        for name, source in arguments.items()
    }
    return samples.finding(
        analyzer="properties",
        rule="property/crash",
        symbol=target,
        target=target,
        title="a title",
        message="a message",
        evidence={"annotations": annotations or {}},
        probes=(Probe(target, made, (), ensures),),
        criterion=criterion,
        input_kind=str(ensures),
    )


def crash(exception, function, **arguments):
    return finding(function, Crashes(exception, "app.py", function), **arguments)


def broken(condition, function, **arguments):
    return finding(function, Violates(condition), (condition,), **arguments)


SHAPES = """matches(result, 'tensors(dtype="float32", shape=("c",))', x='tensors(shape="b c")')"""
DEFECTS = {
    "IndexError": crash("IndexError", "first", x="tensor((1, 1), fill=nan)", n=3),
    "does not hold: finite": broken("finite(result)", "log", x="tensor((2, 2))"),
    "does not hold: unchanged": broken("unchanged(x)", "double", x="tensor((2,), fill=1.0)"),
    "does not hold: old": broken("(x == old(x)).all()", "double", x="tensor((2,), fill=1.0)"),
    "does not hold: matches": broken(SHAPES, "mean", x="tensor((2, 3))"),
    "does not hold: result": broken(
        "result.ndim == x.ndim - 1 + dim and result.ndim < LIMIT", "mean", x="tensor((2, 3))"
    ),
    "does not hold: repeatable": broken("repeatable()", "noisy", x="array((3,))"),
    "does not hold: unaffected_by": broken(
        "unaffected_by(\"x=tensor((400,), dtype='bfloat16')\")",
        "Ramp.forward",
        self="Ramp()",
        x="tensor((300,))",
    ),
    "does not hold: finite(gradients": broken(
        "finite(gradients()['x'])", "root", x="tensor((2,), fill=0)"
    ),
    "does not hold: reloads": broken(
        "reloads()", "Shifted.forward", self="Shifted()", x="tensor((3,))"
    ),
    "does not hold: permutes": broken("permutes()", "last", x="tensor((3,), seed=1)"),
    "does not hold: ignores_masked": broken(
        "ignores_masked('x', 'mask', True)",
        "total",
        x="tensor((2, 5), seed=1)",
        mask="tensor((2, 5), 'bool', seed=1)",
    ),
    "RuntimeError": crash("RuntimeError", "Net.forward", self="Net(width=2)", x="tensor((1, 2))"),
    "RuntimeError: mat": crash("RuntimeError", "apply", net="small(2)", x="tensor((1, 2))"),
    "ZeroDivisionError": crash("ZeroDivisionError", "steps", n="1"),
    "the process died": crash(DEATH, "fall", n="4"),
}


def written(folder, findings, source):
    folder.mkdir()
    (folder / "app.py").write_text(source)
    for each in findings:
        text = reproducer(each, {"app.py": BUGGY})
        assert text is not None, each.target
        (folder / f"{name_of(each)}.py").write_text(text)
    return folder


def results(folder, *, hypothesis=True):
    if not hypothesis:
        (folder / "conftest.py").write_text("import sys\n\nsys.modules['hypothesis'] = None\n")
        (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:hypothesispytest\n")
    return run(folder)


@pytest.mark.slow
@pytest.mark.parametrize("hypothesis", [True, False])
def test_reproducers_fail_on_the_defect_and_pass_on_its_fix(tmp_path, hypothesis):
    defects = list(DEFECTS.items())[:: 1 if hypothesis else 5]
    findings = [each for _, each in defects]
    before = results(written(tmp_path / "before", findings, BUGGY), hypothesis=hypothesis)
    after = results(written(tmp_path / "after", findings, FIXED), hypothesis=hypothesis)
    assert len(before) == len(after) == len(defects)
    for said, each in defects:
        words = said.partition(":")[0]
        assert words in (before[name_of(each)] or "passed"), said
    assert set(after.values()) == {None}


OTHER = BUGGY.replace("x.flatten()[n]", "x.flatten()[str(n)]")


@pytest.mark.slow
@pytest.mark.parametrize(("source", "fails"), [(REFUSING, False), (OTHER, True)])
def test_refusal_is_no_crash_and_another_crash_is_one(source, fails, tmp_path):
    folder = written(tmp_path / "project", [DEFECTS["IndexError"]], source)
    (said,) = results(folder).values()
    assert (said is not None) is fails


def test_hypothesis_draws_what_the_annotation_says():
    said = {
        "n": {"constraint": "ints(min=0, max=9)"},
        "eps": {"constraint": "floats(max=1)"},
        "flag": {"constraint": "bools()"},
        "even": {"constraint": "ints(multiple_of=2)"},
        "odd": {"constraint": "no constraint("},
    }
    values = {"n": "3", "eps": "0.5", "flag": "True", "even": "2", "odd": "nan", "x": "[1]"}
    found = finding("first", Crashes("E", "app.py", "first"), annotations=said, **values)
    text = reproducer(found, {"app.py": BUGGY})
    for line in (
        '"n": st.integers(min_value=0, max_value=9),',
        '"eps": st.floats(max_value=1, allow_nan=False, allow_infinity=False),',
        '"flag": st.booleans(),',
        """"even": st.just(SMALLEST[0]['even']),""",
        """"odd": st.just(SMALLEST[0]['odd']),""",
        '"odd": lambda code: nan,',
        '"x": lambda code: [1],',
        "from math import nan",
        "@example(SMALLEST[0])",
        "phases=[Phase.explicit]",
    ):
        assert line in text


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("outer.<locals>.inner", {"x": "tensor((1,))"}),
        ("first", {"x[0]": "tensor((1,))"}),
        ("<module>", {"x": "tensor((1,))"}),
    ],
)
def test_code_that_cannot_be_called_by_itself_has_none(function, arguments):
    assert reproducer(crash("IndexError", function, **arguments), {"app.py": BUGGY}) is None


def test_postcondition_beyond_a_test_has_none():
    condition = """matches(result, 'tensors(min=0)')"""
    assert reproducer(broken(condition, "log", x="tensor((1,))"), {"app.py": BUGGY}) is None


@pytest.mark.slow
def test_script_is_run_with_its_words(tmp_path):
    script = "import sys\n\nif __name__ == '__main__':\n    print(10 / int(sys.argv[1]))\n"
    found = finding("__main__", Crashes("ZeroDivisionError", "app.py", "__main__"))
    probe = Probe(found.target, {"sys.argv": RecipeArgument("['0']")}, ())
    found = Finding(**{n: getattr(found, n) for n in Finding.__slots__} | {"probes": (probe,)})
    folder = tmp_path / "script"
    folder.mkdir()
    (folder / f"{name_of(found)}.py").write_text(reproducer(found, {"app.py": script}))
    (folder / "app.py").write_text(script)
    assert "ZeroDivisionError" in run(folder)[name_of(found)]
    (folder / "app.py").write_text(script.replace("int(sys.argv[1])", "max(1, int(sys.argv[1]))"))
    assert run(folder)[name_of(found)] is None


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("x > 0", "given['x'] > 0"),
        ("old(x.sum()) == result", "before['x'].sum() == result"),
        ("unchanged()", "all((same(given[name], before[name]) for name in given))"),
        ("all(x.shape[k] < LIMIT for k in range(2))",
         "all((given['x'].shape[k] < code.LIMIT for k in range(2)))"),
        ("torch.isfinite(result).all()", "code.torch.isfinite(result).all()"),
        ("sorted(result, key=lambda v: v)", "sorted(result, key=lambda v: v)"),
    ],
)  # fmt: skip
def test_condition_reads_arguments_and_the_file(condition, expected):
    assert asserted_condition(condition, ["x"]).expression == expected


@pytest.mark.parametrize(
    "condition",
    [
        "x >",
        "old(x, y)",
        "unchanged(x + 1)",
        "matches(result, text)",
        "matches(result, 'tensors(')",
        """matches(result, 'tensors(shape="b c")')""",
        """matches(result, 'tensors(shape="*b 3")')""",
        """matches(result, 'tensors(shape=("b", ints(min=1)))')""",
        """matches(result, 'tensors(shape="_ 3")')""",
        """matches(result, 'tensors(dtype=floating)')""",
        "matches(result, 'ints()')",
    ],
)
def test_condition_that_cannot_be_written_is_said(condition):
    with pytest.raises(UnsupportedCondition):
        asserted_condition(condition, ["x"])
