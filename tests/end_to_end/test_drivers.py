"""The project's own examples: what a change breaks in one of them, or leaves as it is."""

import ast
import json

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import home
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_properties import SCHEMA, run_test

pytestmark = pytest.mark.slow

CODE = '''import torch
from torch import nn


class Normalise(nn.Module):
    """Divide x (..., dim) by its norm; with learn, times a learned scale."""

    def __init__(self, dim, learn=False):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim)) if learn else None

    def forward(self, x):
        x = nn.functional.normalize(x, dim=-1)
        return x if self.scale is None else x * self.scale
'''
README = """# Normalise

```python
from normal import Normalise
import torch

y = Normalise(512)(torch.randn(4, 10, 512))
```
"""
BROKEN = CODE.replace("torch.ones(dim)", "torch.ones(dim, 1)")
REFACTORED = CODE.replace(
    "x = nn.functional.normalize(x, dim=-1)", "x = nn.functional.normalize(x, p=2.0, dim=-1)"
)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drivers")
    tree = small_repository(folder / "tree", {"normal.py": CODE, "README.md": README})
    for branch, text in (("broken", BROKEN), ("refactored", REFACTORED)):
        git(tree, "checkout", "--quiet", "-b", branch, "main")
        (tree / "normal.py").write_text(text, encoding="utf-8")
        commit(tree, branch)
    git(tree, "checkout", "--quiet", "broken")
    user = home(folder)
    options = ("--base", "main", "--only", "properties")
    return tree, {
        branch: user.check(tree, folder / branch, *options, "--head", branch)
        for branch in ("broken", "refactored")
    }


def test_flag_that_no_example_uses_is_told_with_the_example(checked):
    _, runs = checked
    finding = next(each for each in runs["broken"].findings if each["line"] == CODE.count("\n"))
    told = (finding["rule"], finding["level"], finding["status"])
    assert told == ("property/crash", "failure", "new")
    evidence = finding["evidence"]
    assert evidence["driver"] == "README.md:4"
    assert evidence["variation"] == "`learn=True`"
    assert "Normalise(512, learn=True)(torch.randn(4, 10, 512))" in evidence["code"]
    ast.parse(evidence["code"])
    assert runs["broken"].status == 1


def test_example_is_the_reproducer(checked):
    tree, runs = checked
    finding = next(each for each in runs["broken"].findings if each["reproducer"])
    git(tree, "checkout", "--quiet", "broken")
    test = runs["broken"].folder / finding["reproducer"]
    failed = run_test(test, tree)
    assert failed.returncode == 1, failed.stdout
    assert "RuntimeError: The size of tensor a" in failed.stdout
    git(tree, "checkout", "--quiet", "main")
    passed = run_test(test, tree)
    assert passed.returncode == 0, passed.stdout


def test_replay_shows_it_again(checked):
    tree, runs = checked
    git(tree, "checkout", "--quiet", "broken")
    finding = next(each for each in runs["broken"].findings if each["reproducer"])
    report = runs["broken"].folder / "one.json"
    report.write_text(json.dumps({**runs["broken"].report, "findings": [finding]}))
    user = home(runs["broken"].folder / "again")
    again = user.run("replay", report, "--repo", tree)
    assert (again.status, again.out) == (1, f"FAILED {finding['fingerprint']}\n")


def test_refactoring_is_said_to_change_nothing(checked):
    _, runs = checked
    report = runs["refactored"].report
    assert (report["findings"], report["verdict"]) == ([], "success")
    (target,) = [each for each in report["targets"] if each["function"] == "Normalise.forward"]
    assert target["drivers"] == ["README.md:4"]
    assert target["same"] > 20
    assert target["different"] == 0
    assert report["cost"]["drivers"] == 1
    assert report["cost"]["variations"] >= target["same"]
    assert "same results in" in runs["refactored"].ended.said
    errors = list(Draft202012Validator(SCHEMA).iter_errors(report))
    assert [error.message for error in errors] == []
