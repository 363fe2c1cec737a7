"""Examples without a base: values that the project documents, and how they fail."""

import pytest

from analyzers.properties import driver_search
from analyzers.properties.driver_findings import driven
from analyzers.vocabulary import Level
from tests.analyzers.properties.revisions import NoBase, target

CODE = '''import torch
from torch import nn


class Net(nn.Module):
    """A network.

    Args:
        dim: its size
        kind: how it scales, one of "plain", "double"
        learn: whether it learns a scale
    """

    def __init__(self, dim: int, kind: str = "plain", learn: bool = True, size: int = 4):
        super().__init__()
        if size < 1:
            raise ValueError("size")
        self.kind, self.size = kind, size
        self.last = None
        if learn:
            self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        self.last = x.sum(-1)
        return x * self.scale

    def total(self, mean: bool = False):
        """Return the total of the last call: ``net.total()``."""
        return self.last.sum()
'''
README = (
    "# Net\n\n```python\nimport torch\nfrom net import Net\n\n"
    "net = Net(8)\ny = net(torch.randn(4, 6, 8))\nz = net.total()\n```\n"
)


@pytest.fixture(autouse=True)
def few_variations(monkeypatch):
    monkeypatch.setattr(driver_search, "MOST_RUNS", 150)
    monkeypatch.setattr(driver_search, "SECONDS", 600.0)


WHOLE = ("if learn:", "if True:")


def told(*changes, readme=("", "")):
    code = CODE
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    bench = NoBase(code, {"README.md": README.replace(*readme)})
    bench.changed = [target(each) for each in ("Net.__init__", "Net.forward", "Net.total")]
    found = [each for subject in bench.changed for each in driven(subject, bench)]
    return [(e.target, e.rule, e.level, e.evidence["variation"]) for e in found]


def a_warning(function, variation):
    return [(f"net.py::{function}", "property/crash", Level.WARNING, variation)]


def test_flag_without_which_an_attribute_is_lacking_is_a_warning():
    assert told() == a_warning("Net.forward", "`learn=False`")


def test_documented_choice_that_raises_by_mistake_is_told():
    table = ("self.last = None", 'self.last = {"plain": None, "twice": None}[kind]')
    assert told(WHOLE, table) == a_warning("Net.__init__", "`kind='double'`")


def test_call_that_hands_nothing_over_is_told_of_the_method_it_names():
    total = ("return self.last.sum()", "return self.last.sum(-3 if mean else -1)")
    assert told(WHOLE, total) == a_warning("Net.total", "`mean=True`")


CROPPED = ("x * self.scale", "(x[:, self.size // 2 : -(self.size // 2)]).mean()")


def test_nan_of_a_number_that_a_guard_lets_through_is_a_warning():
    found = told(WHOLE, CROPPED)
    assert found == [("net.py::Net.forward", "model/non-finite", Level.WARNING, "`size=1`")]


def test_nan_of_which_the_docstring_speaks_is_not_told():
    assert told(WHOLE, CROPPED, ("A network.", "A network, NaN where nothing is left.")) == []


def test_method_is_called_as_its_docstring_does():
    last = ("``net.total()``", ">>> net.total(mean=True)")
    total = ("return self.last.sum()", "return self.last.sum() if not mean else self.last[9]")
    silent = ("z = net.total()", "")
    found = told(WHOLE, last, total, readme=silent)
    assert found == a_warning("Net.total", "with `also = net.total(mean=True)`")


@pytest.mark.parametrize(
    "change",
    [
        WHOLE,
        # a refusal is no mistake
        ("if True:", 'if kind == "double":\n            raise ValueError(kind)\n        if True:'),
        # the data of the example may not fit
        ("x * self.scale", "x.view(*((4, 6, 8) if self.kind == 'plain' else (7,)))"),
        # no description names this value
        ("x * self.scale", "x if self.kind != 'other' else self.missing"),
        # numbers in a documented range need not fit each other
        ("x * self.scale", "x.reshape(self.size, -1)"),
        # nothing was called before
        ("self.last = x.sum(-1)", "self.last = x.sum(-1) if self.kind == 'plain' else None"),
    ],
)
def test_what_valid_inputs_may_explain_is_not_told(change):
    assert told(*dict.fromkeys((WHOLE, change))) == []
