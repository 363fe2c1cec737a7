"""A pull request that adds a library call which takes the process down, from check to replay."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_planted import target
from tests.end_to_end.test_properties import SCHEMA, run_test

pytestmark = pytest.mark.slow

BEFORE = """import torch


def doubled(x):
    return torch.add(x, x)
"""
ADDED = f"""{BEFORE}

#@arg(a): tensors(dtype="int64", shape=(1,))
#@arg(b): tensors(dtype="int64", shape=(1,), min=1)
def common(a, b):
    return torch.lcm(a, b)


#@arg(a): tensors(dtype="int64", shape=(1,), min=-1000, max=1000)
#@arg(b): tensors(dtype="int64", shape=(1,), min=1)
def careful(a, b):
    return torch.lcm(a, b)
"""
PATH, TARGET = "steps.py", "steps.py::common"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("steps")
    tree = small_repository(folder / "steps", {PATH: BEFORE})
    git(tree, "checkout", "--quiet", "-b", "added", "main")
    (tree / PATH).write_text(ADDED, encoding="utf-8")
    commit(tree, "added")
    git(tree, "checkout", "--quiet", "main")
    return Desk(tree, home(folder), folder)


@pytest.fixture(scope="module")
def added(project):
    return project.check("out", "--base", "main", "--head", "added", "--inputs", "2")


def test_library_call_that_dies_is_told_once_at_its_line(added):
    (finding,) = [f for f in added.findings if f["target"] == TARGET]
    told = (finding["rule"], finding["level"], finding["status"], finding["line"])
    assert told == (
        "relation/crash",
        "failure",
        "new",
        ADDED.splitlines().index("    return torch.lcm(a, b)") + 1,
    )
    evidence = finding["evidence"]
    assert (evidence["api"], evidence["exception"]) == ("torch.lcm", "process died")
    assert "-9223372036854775808" in evidence["arguments"]["a"]
    assert (added.status, added.report["verdict"]) == (1, "failure")
    assert added.report["broken"] == []


def test_guard_was_tried(added):
    (finding,) = [f for f in added.findings if f["target"] == TARGET]
    assert finding["suggestion"]["verified"]
    assert "torch.iinfo(torch.int64).min" in finding["suggestion"]["replacement"]


def test_report_keeps_the_schema(added):
    errors = list(Draft202012Validator(SCHEMA).iter_errors(added.report))
    assert [error.message for error in errors] == []


def test_reproducer_and_replay_fail_on_the_change_alone(added, project):
    (finding,) = [f for f in added.findings if f["target"] == TARGET]
    place = added.folder / finding["reproducer"]
    assert run_test(place, project.branch("added")).returncode == 1
    report = added.folder / "one.json"
    report.write_text(json.dumps({**added.report, "findings": [finding]}), encoding="utf-8")
    again = project.home.run("replay", report, "--repo", project.branch("added"))
    assert (again.status, again.out) == (1, f"FAILED {finding['fingerprint']}\n")
    gone = project.home.run("replay", report, "--repo", project.branch("main"))
    assert gone.status == 0


def test_arguments_that_cannot_go_wrong_are_quiet(added):
    assert target(added, "steps.py::careful")["executions"] > 0
    assert [f["target"] for f in added.findings if f["rule"] == "relation/crash"] == [TARGET]
