"""Base as the oracle: what a change does to the results of a small library."""

import re

import pytest

from tests.end_to_end.commandline import home
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_properties import run_test

pytestmark = pytest.mark.slow

BASE = '''import torch


def weighted(x: torch.Tensor, weight: float = 2.0) -> torch.Tensor:
    return x.sum() * weight


def logits(x: torch.Tensor) -> torch.Tensor:
    return torch.log_softmax(x.flatten(), dim=0)


def clipped(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(-1, 1)


def pooled(x: torch.Tensor) -> torch.Tensor:
    return x.flatten()[:4].mean()


def noisy(x: torch.Tensor) -> torch.Tensor:
    return x + torch.rand_like(x)


def scaled(x: torch.Tensor) -> torch.Tensor:
    """Return the tensor divided by ten."""
    return x / 10
'''
CHANGES = {
    "x.sum() * weight": "x.sum() * weight + 1",
    "torch.log_softmax(x.flatten(), dim=0)": "torch.softmax(x.flatten() * 1000, dim=0).log()",
    "x.clamp(-1, 1)": "x.clamp_(-1, 1)",
    "x.flatten()[:4].mean()": "x.flatten()[3] * 0 + x.flatten()[:4].mean()",
    "x + torch.rand_like(x)": "torch.rand_like(x) + x",
    "x / 10": "x * 0.1",
}


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    tree = small_repository(folder / "tree", {"steps.py": BASE})
    git(tree, "checkout", "--quiet", "-b", "change")
    text = BASE
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    (tree / "steps.py").write_text(text, encoding="utf-8")
    commit(tree, "Change the steps")
    return home(folder).check(tree, folder / "out", "--base", "main", "--only", "properties"), tree


@pytest.mark.parametrize(
    ("function", "rule", "level"),
    [
        ("weighted", "behaviour/changed", "notice"),
        ("logits", "model/non-finite", "failure"),
        ("clipped", "behaviour/changed", "notice"),
        ("pooled", "property/crash", "failure"),
    ],
)
def test_change_of_results_is_reported(checked, function, rule, level):
    run, _ = checked
    told = [f for f in run.findings if f["target"] == f"steps.py::{function}"]
    assert (rule, level, "new") in [(f["rule"], f["level"], f["status"]) for f in told]


def test_crash_of_an_input_that_base_takes_says_so(checked):
    run, _ = checked
    crashes = [f for f in run.findings if f["rule"] == "property/crash"]
    assert {f["target"] for f in crashes} >= {"steps.py::pooled"}
    for crash in crashes:
        assert "On base, the function returns for this input." in crash["message"]


def test_rounding_and_random_numbers_are_no_change(checked):
    run, _ = checked
    named = {f["target"].partition("::")[2] for f in run.findings}
    assert named.isdisjoint({"noisy", "scaled"})


def test_reproducer_fails_on_head_and_passes_on_base(checked):
    run, tree = checked
    told = [f for f in run.findings if f["target"].endswith("::clipped")]
    finding = next(f for f in told if f["rule"] == "behaviour/changed")
    reproducer = run.folder / finding["reproducer"]
    ran = run_test(reproducer, tree)
    assert ran.returncode == 1, ran.stdout
    assert re.search(r"^E ", ran.stdout, re.MULTILINE)
    git(tree, "checkout", "--quiet", "main")
    try:
        assert run_test(reproducer, tree).returncode == 0
    finally:
        git(tree, "checkout", "--quiet", "change")
