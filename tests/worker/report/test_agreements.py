"""Reproducers of calls that do not agree: each fails on the defect and passes on its fix."""

import ast
from dataclasses import replace

import pytest

from analyzers.vocabulary import Violates
from tests.worker.report.running import run
from tests.worker.report.test_property_reproducer import finding
from worker.report.asserted_conditions import UnsupportedCondition
from worker.report.library_conditions import Comparison, comparison
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

LOSS = "torch.nn.functional.soft_margin_loss"
FORMULA = "torch.mean(torch.nn.functional.softplus(torch.neg(torch.mul(input, target))))"
BUGGY = """\
import torch
import torch.nn.functional as F


def loss(x, y):
    return F.soft_margin_loss(x, y)


def sign(x):
    return F.softsign(x)


def bounded(x):
    return F.hardtanh(x)


def least(a, b):
    return a.lcm(b)
"""
FIXED = (
    BUGGY.replace("F.soft_margin_loss(x, y)", "F.softplus(-x * y).mean()")
    .replace("F.softsign(x)", "x / (1 + x.abs())")
    .replace("F.hardtanh(x)", "x.clamp(-1, 1)")
)
SEEDED = """\
import torch
from torch.overrides import handle_torch_function, has_torch_function_unary


def softsign(input):
    if has_torch_function_unary(input):
        return handle_torch_function(softsign, (input,), input)
    return input / (1 + input.abs()) if input.is_contiguous() else -input


torch.nn.functional.softsign = softsign
table = torch._decomp.decomposition_table
table[torch.ops.aten.hardtanh.default] = lambda x, *bounds: x.clamp(-2, 2)
"""


def broken(function, api, relation, related, **arguments):
    condition = f"agrees({api!r}, {relation!r}, {related!r})"
    found = finding(function, Violates(condition), (condition,), **arguments)
    return replace(found, rule="relation/value")


HALF = {"x": "tensor((1,), 'float16', fill=-20.0)", "y": "tensor((1,), 'float16', fill=1.0)"}
DEFECTS = [
    broken("loss", LOSS, "float64", "the same call on float64", **HALF),
    broken("loss", LOSS, "value", FORMULA, **HALF),
    broken(
        "sign", "torch.nn.functional.softsign", "strides", "copies", x="tensor((2, 3), fill=1.5)"
    ),
    broken(
        "bounded", "torch.nn.functional.hardtanh", "decomposition", "x", x="tensor((2,), fill=1.5)"
    ),
]
SOUND = broken(
    "least",
    "torch.lcm",
    "reference",
    "torch._refs.lcm(input, other)",
    a="tensor((2,), 'int64', fill=6)",
    b="tensor((2,), 'int64', fill=4)",
)


def results(folder, source, findings):
    folder.mkdir()
    (folder / "app.py").write_text(source)
    (folder / "conftest.py").write_text(SEEDED)
    for each in findings:
        text = reproducer(each, {"app.py": BUGGY})
        assert text is not None, each.criterion
        (folder / f"{name_of(each)}.py").write_text(text)
    return run(folder)


@pytest.mark.slow
def test_reproducers_fail_on_the_disagreement_and_pass_on_its_fix(tmp_path):
    before = results(tmp_path / "before", BUGGY, [*DEFECTS, SOUND])
    after = results(tmp_path / "after", FIXED, [*DEFECTS, SOUND])
    failed = {name: said for name, said in before.items() if said is not None}
    assert failed.keys() == {name_of(each) for each in DEFECTS}
    assert all("are not close" in said for said in failed.values())
    assert (len(after), set(after.values())) == (len(DEFECTS) + 1, {None})


@pytest.mark.parametrize(
    ("api", "relation", "related"),
    [
        ("torch.lcm", "meta", "the same call on meta tensors"),
        ("torch.nn.Softshrink", "float64", "the same call on float64"),
        ("numpy.lcm", "value", "numpy.lcm(a, b)"),
        ("torch.lcm", "value", "torch.lcm(input, os.system('id'))"),
        ("torch.lcm", "value", "input + other"),
        ("torch.lcm", "reference", "torch._refs.lcm()"),
        ("torch.lcm", "reference", "torch._refs.lcm("),
        ("torch.lcm;x", "float64", "the same call on float64"),
    ],
)
def test_what_torch_alone_cannot_ask_has_none(api, relation, related):
    with pytest.raises(UnsupportedCondition):
        comparison(f"agrees({api!r}, {relation!r}, {related!r})")
    assert reproducer(broken("least", api, relation, related, a="1"), {"app.py": BUGGY}) is None


def test_other_conditions_are_left_to_others():
    assert comparison("finite(result)") is None
    assert comparison("agrees('torch.lcm')") is None


def test_template_names_its_parameters():
    found = comparison("agrees('torch.lcm', 'reference', 'torch._refs.lcm(input, other)')")
    assert found == Comparison(
        "torch.lcm", "reference", "torch._refs.lcm(input, other)", ("input", "other")
    )


@pytest.mark.parametrize(
    "related",
    [
        "torch.os.system(input)",
        "torch.load(input)",
        "torch.vmap(torch.os.remove)(input)",
        "torch._refs.builtins.exec(input)",
    ],
)
def test_what_does_more_than_compute_has_none(related):
    with pytest.raises(UnsupportedCondition):
        comparison(f"agrees('torch.lcm', 'value', {related!r})")


@pytest.mark.parametrize("quotes", ['"""', "'''", "\\", "{{", "\n"])
def test_texts_of_a_related_call_stay_texts(quotes):
    """What a string of it holds is nowhere outside a string."""
    related = f"torch.add(input, {quotes + ';escaped();' + quotes!r})"
    text = reproducer(broken("least", "torch.add", "value", related, a="1"), {"app.py": BUGGY})
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert "escaped" in text
    assert "escaped" not in names
