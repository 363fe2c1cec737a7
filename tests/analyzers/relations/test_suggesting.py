"""Changes that are suggested of a library call, as text."""

import pytest

from analyzers.relations.call_repairs import bound, guard_of, written
from analyzers.relations.call_sites import preceded, replaced, site_of
from analyzers.vocabulary import LibraryCall

SMALLEST = "torch.lcm(torch.tensor([-9223372036854775808]), torch.tensor([5]))"


def site(text, line, api="torch.lcm"):
    return site_of(LibraryCall(api, "net.py", line, "f"), text)


def in_function(statement, imports="import torch"):
    return f"{imports}\n\n\ndef f(a, b, self=None):\n    {statement}\n"


@pytest.mark.parametrize(
    ("statement", "imports", "api"),
    [
        ("return torch.lcm(a, b)", "import torch", "torch.lcm"),
        ("return t.lcm(a, b)", "import torch as t", "torch.lcm"),
        ("return lcm(a, b)", "from torch import lcm", "torch.lcm"),
        ("return F.relu(a) + b", "import torch.nn.functional as F", "torch.nn.functional.relu"),
        ("return nn.functional.relu(a)", "from torch import nn", "torch.nn.functional.relu"),
        ("return a.sort(b)", "import torch", "torch.Tensor.sort"),
    ],
)
def test_call_is_found_by_whatever_name(statement, imports, api):
    assert site(in_function(statement, imports), 5, api) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "return lcm(a, b)",
        "return torch.gcd(a, b)",
        "return torch.lcm(a, b) + torch.lcm(b, a)",
        "if a: return torch.lcm(a, b)",
        "while torch.lcm(a, b): pass",
        "return torch.lcm(a, b) if (",
    ],
)
def test_call_that_cannot_be_told_is_left_alone(statement):
    assert site(in_function(statement), 5) is None


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        (SMALLEST, "a.dtype == torch.int64 and (a == torch.iinfo(torch.int64).min).any()"),
        (
            "torch.lcm(torch.tensor([3, -32768], dtype=torch.int16), 2)",
            "a.dtype == torch.int16 and (a == torch.iinfo(torch.int16).min).any()",
        ),
        ("torch.lcm(torch.tensor([1]), -9223372036854775808)", "b == -9223372036854775808"),
        ("torch.lcm(torch.zeros((0, 3)), 1)", "a.numel() == 0"),
        ("torch.lcm(torch.tensor([]), 1)", "a.numel() == 0"),
        ("torch.lcm(1, torch.tensor([float('nan')]))", "torch.isnan(b).any()"),
        ("torch.lcm(torch.tensor([1]), -3)", "b < 0"),
    ],
)
def test_condition_tells_the_failing_value(call, condition):
    assert guard_of(site(in_function("return torch.lcm(a, b)"), 5), call).condition == condition


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("return torch.lcm(a, b)", "torch.lcm(torch.tensor([1]), 2)"),
        ("return torch.lcm(a + 1, b)", SMALLEST),
        ("return [torch.lcm(a, b) for a in b]", SMALLEST),
        ("return (lambda a: torch.lcm(a, b))(1)", SMALLEST),
        ("return torch.lcm(a, other=b)", SMALLEST),
        ("return torch.lcm(a, b)", "not a call at all ("),
    ],
)
def test_there_is_no_guard_where_none_is_sound(statement, call):
    assert guard_of(site(in_function(statement), 5), call) is None


def test_method_is_guarded_by_what_it_is_called_on():
    found = site(in_function("return a.lcm(b)"), 5, "torch.Tensor.lcm")
    guard = guard_of(found, SMALLEST.replace("torch.lcm", "torch.Tensor.lcm"))
    assert guard.condition.startswith("a.dtype")


def test_guard_keeps_the_line_and_its_indentation():
    text = "import torch\nclass A:\n\tdef f(self):\n\t\treturn torch.lcm(self.a, 1)\n"
    change = preceded(site(text, 4), "self.a is None", 'say "no"')
    assert change.replacement == (
        "\t\tif self.a is None:\n\t\t\traise ValueError(\"say 'no'\")\n"
        "\t\treturn torch.lcm(self.a, 1)"
    )


def test_template_takes_the_arguments_own_texts():
    found = site(in_function("x = 'é', torch.lcm(a + 1, other=b[0])  # why"), 5)
    given = bound(found, ("input", "other"))
    text = written("torch.special.gcd(other, input, dim=0)", given, found)
    assert text == "torch.special.gcd(b[0], (a + 1), dim=0)"
    assert replaced(found, text).replacement == (
        "    x = 'é', torch.special.gcd(b[0], (a + 1), dim=0)  # why"
    )


@pytest.mark.parametrize(
    "template",
    [
        "torch._refs.lcm(input, other)",
        "torch.Tensor.lcm(input, other)",
        "numpy.lcm(input, other)",
        "torch.abs(input)",
        "torch.add(input, other, alpha=alpha)",
        "input + other",
        "torch.(",
    ],
)
def test_template_that_cannot_be_written_is_none(template):
    found = site(in_function("return torch.lcm(a, b)"), 5)
    assert written(template, bound(found, ("input", "other")), found) is None


@pytest.mark.parametrize("parameters", [(), ("input",), ("other", "input")])
def test_arguments_that_do_not_fit_are_not_bound(parameters):
    assert bound(site(in_function("return torch.lcm(a, other=b)"), 5), parameters) is None
