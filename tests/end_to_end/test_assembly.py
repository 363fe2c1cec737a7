"""A pull request with models that their configuration can break, from check to replay."""

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_properties import SCHEMA, run_test

BLOCK = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim=8, eps=1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        return self.norm(x)
"""
CAREFUL = BLOCK.replace(
    "        super()",
    "        if not eps >= 0:\n            raise ValueError(eps)\n        super()",
)
LENET = """

class LeNet(nn.Module):
    def __init__(self, kernel=5):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, kernel)
        self.out = nn.Linear({size}, 10)

    def forward(self, x):
        return self.out(torch.flatten(torch.relu(self.conv(x)), 1))
"""
BRITTLE = LENET.format(size="6 * 28 * 28")
FOLLOWING = LENET.format(size="6 * (33 - kernel) ** 2")
TRAIN = """import argparse

from nets import Block


def model():
    parser = argparse.ArgumentParser()
    parser.add_argument("--eps", type=float, default=1e-5)
    return Block(eps=parser.parse_args().eps)
"""
CONSTRUCTORS = ("nets.py::Block.__init__", "nets.py::LeNet.__init__")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("nets")
    tree = small_repository(folder / "nets", {"nets.py": "import torch\n", "train.py": TRAIN})
    for branch, text in (("added", BLOCK + BRITTLE), ("careful", CAREFUL + FOLLOWING)):
        git(tree, "checkout", "--quiet", "-b", branch, "main")
        (tree / "nets.py").write_text(text, encoding="utf-8")
        commit(tree, branch)
    git(tree, "checkout", "--quiet", "main")
    return Desk(tree, home(folder), folder)


def checked(project, name, branch):
    targets = [word for target in CONSTRUCTORS for word in ("--target", target)]
    given = ("--base", "main", "--head", branch, "--only", "assembly", *targets)
    return project.check(name, *given)


@pytest.fixture(scope="module")
def added(project):
    return checked(project, "added", "added")


def test_both_defects_are_told_at_their_layers(added):
    lines = (BLOCK + BRITTLE).splitlines()
    told = {(f["rule"], f["line"], f["status"], f["level"]) for f in added.findings}
    assert told == {
        (
            "assembly/unchecked-boundary",
            lines.index("        self.norm = nn.LayerNorm(dim, eps=eps)") + 1,
            "new",
            "warning",
        ),
        (
            "assembly/state",
            lines.index("        self.out = nn.Linear(6 * 28 * 28, 10)") + 1,
            "new",
            "warning",
        ),
    }
    assert (added.report["verdict"], added.report["broken"]) == ("neutral", [])


def test_guard_was_tried(added):
    (finding,) = [f for f in added.findings if f["rule"] == "assembly/unchecked-boundary"]
    assert finding["suggestion"]["verified"]
    assert "raise ValueError" in finding["suggestion"]["replacement"]
    assert finding["evidence"]["set_at"][0] == "train.py:8: --eps"


def test_report_keeps_the_schema(added):
    errors = list(Draft202012Validator(SCHEMA).iter_errors(added.report))
    assert [error.message for error in errors] == []


def test_reproducers_fail_on_the_change_alone(added, project):
    for finding in added.findings:
        place = added.folder / finding["reproducer"]
        assert run_test(place, project.branch("added")).returncode == 1
        assert run_test(place, project.branch("careful")).returncode == 0


def test_guarded_and_following_code_is_silent(project):
    careful = checked(project, "careful", "careful")
    assert careful.findings == []
    assert careful.report["broken"] == []
