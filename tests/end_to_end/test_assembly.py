"""A pull request with models that their configuration can break, from check to replay."""

import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import LONGEST, home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_properties import SCHEMA
from tests.worker.report.running import PYTEST

pytestmark = pytest.mark.slow

HEAD = """from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Sizes:
    dim: int = 8
    eps: float = 1e-5


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.{start}(1))

    def forward(self, x):
        return self.head(x) * torch.sqrt(self.scale)
"""
BLOCK = """

class {name}(nn.Module):
    def __init__(self, dim=8, eps=1e-5):
{guard}        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=eps)

    def forward(self, x):
        return self.norm(x)
"""
CONFIGURED = """

class {name}(nn.Module):
    def __init__(self, config: Sizes):
{guard}        super().__init__()
        self.norm = nn.LayerNorm(config.dim, eps=config.eps)

    def forward(self, x):
        return self.norm(x)
"""
LENET = """

class {name}(nn.Module):
    def __init__(self, kernel=5):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, kernel)
        self.out = nn.Linear({size}, 10)

    def forward(self, x):
        return self.out(torch.flatten(torch.relu(self.conv(x)), 1))
"""
GUARD = "        if not {0} >= 0:\n            raise ValueError({0})\n"
FIXED_SIZE, FOLLOWING = "6 * 28 * 28", "6 * (33 - kernel) ** 2"
TRAIN = """import argparse

from nets import Block, CarefulBlock


def model():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dim", type=int, default=8)
    parser.add_argument("--eps", type=float, default=1e-5)
    args = parser.parse_args()
    return Block(args.dim, args.eps), CarefulBlock(args.dim, args.eps)
"""
KINDS = ("Block", "Configured", "LeNet", "Scaled")
CAREFUL = ("CarefulBlock", "CarefulConfigured", "FollowingLeNet")


def written(*, repaired):
    """The file of the change: with defects and, beside them, what has none of them."""
    return "".join(
        (
            HEAD.format(start="ones" if repaired else "zeros"),
            BLOCK.format(name="Block", guard=GUARD.format("eps") if repaired else ""),
            BLOCK.format(name="CarefulBlock", guard=GUARD.format("eps")),
            CONFIGURED.format(name="Configured", guard=GUARD.format("config.eps") * repaired),
            CONFIGURED.format(name="CarefulConfigured", guard=GUARD.format("config.eps")),
            LENET.format(name="LeNet", size=FOLLOWING if repaired else FIXED_SIZE),
            LENET.format(name="FollowingLeNet", size=FOLLOWING),
        )
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("nets")
    before = {"nets.py": HEAD.format(start="ones"), "train.py": TRAIN}
    tree = small_repository(folder / "nets", before)
    for branch in ("added", "repaired"):
        git(tree, "checkout", "--quiet", "-b", branch, "main")
        text = written(repaired=branch == "repaired")
        (tree / "nets.py").write_text(text, encoding="utf-8")
        commit(tree, branch)
    git(tree, "checkout", "--quiet", "main")
    return Desk(tree, home(folder), folder)


@pytest.fixture(scope="module")
def added(project):
    names = (f"nets.py::{name}.__init__" for name in (*KINDS, *CAREFUL))
    targets = [word for name in names for word in ("--target", name)]
    given = ("--base", "main", "--head", "added", "--only", "assembly", *targets)
    return project.check("added", *given)


def line_of(text, after=""):
    lines = written(repaired=False).splitlines()
    start = lines.index(after) if after else 0
    return lines.index(text, start) + 1


def test_defects_alone_are_told_at_their_layers(added):
    told = {(f["rule"], f["line"], f["status"], f["level"]) for f in added.findings}
    unchecked, state = "assembly/unchecked-boundary", "assembly/state"
    assert told == {
        (unchecked, line_of("        self.norm = nn.LayerNorm(dim, eps=eps)"), "new", "warning"),
        (
            unchecked,
            line_of("        self.norm = nn.LayerNorm(config.dim, eps=config.eps)"),
            "new",
            "warning",
        ),
        (state, line_of("        self.out = nn.Linear(6 * 28 * 28, 10)"), "new", "warning"),
        (state, line_of("    def __init__(self):"), "new", "warning"),
    }
    assert (added.report["verdict"], added.report["broken"]) == ("neutral", [])


def test_guards_were_tried(added):
    found = [f for f in added.findings if f["rule"] == "assembly/unchecked-boundary"]
    assert all(f["suggestion"]["verified"] for f in found)
    assert all("raise ValueError" in f["suggestion"]["replacement"] for f in found)
    assert {f["evidence"]["set_at"][0] for f in found} == {"train.py:9: --eps"}
    assert {f["suggestion"]["path"] for f in found} == {"nets.py"}


def test_report_keeps_the_schema(added):
    errors = list(Draft202012Validator(SCHEMA).iter_errors(added.report))
    assert [error.message for error in errors] == []


def test_reproducers_fail_on_the_change_alone(added, project):
    tests = [added.folder / finding["reproducer"] for finding in added.findings]
    assert last_line(tests, project.branch("added")).startswith(f"{len(tests)} failed")
    assert last_line(tests, project.branch("repaired")).startswith(f"{len(tests)} passed")


def last_line(tests, tree):
    """What pytest says of some files at its end, run by one process in a tree."""
    ended = subprocess.run(
        [sys.executable, *PYTEST, "--no-header", *tests],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    return ended.stdout.strip().splitlines()[-1].strip("= ")
