"""A pull request that changes a model which the project exports, from check to replay."""

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_planted import target
from tests.end_to_end.test_properties import SCHEMA, run_test

pytestmark = pytest.mark.slow

PATH, TARGET, RIGHT = "net.py", "net.py::Net.forward", "wide.py::Net.forward"
BEFORE = """import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self, width: int = 4):
        super().__init__()
        self.head = torch.nn.Linear(3, width)

    #@arg(x): tensors(dtype="float32", shape=(2, 3, 4, 4), min=-1, max=1)
    def forward(self, x):
        x = F.avg_pool2d(x, 2)
        return self.head(x.mean((2, 3)))
"""
DIVIDED = BEFORE.replace("(x, 2)", "(x, 2, divisor_override=3)")
WIDE = BEFORE.replace("(x, 2)", "(x, 4)")
EXPORT = """import torch

import wide
from net import Net


def export(path):
    torch.onnx.export(Net().eval(), (torch.rand(2, 3, 4, 4),), path, dynamo=False)
    torch.onnx.export(wide.Net().eval(), (torch.rand(2, 3, 4, 4),), path, dynamo=False)
"""
MEMORY = """import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self, width: int = 4):
        super().__init__()
        self.memory = torch.nn.LSTM(4, width, batch_first=True)

    #@arg(x): tensors(dtype="float32", shape=(2, 3, 4, 4), min=-1, max=1)
    def forward(self, x):
        x = F.avg_pool2d(x, 2, divisor_override=3)
        return self.memory(x.flatten(2))[0]


def fast():
    return torch.compile(Net())
"""
BRANCHES = {
    "divided": {PATH: DIVIDED, "wide.py": WIDE},
    "compiled": {PATH: MEMORY, "export.py": "# nothing is exported any more\n"},
}
CHECK = ("--base", "main", "--only", "models", "--target", TARGET, "--inputs", "1")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("nets")
    tree = small_repository(folder / "nets", {PATH: BEFORE, "wide.py": BEFORE, "export.py": EXPORT})
    for branch, files in BRANCHES.items():
        git(tree, "checkout", "--quiet", "-b", branch, "main")
        for path, text in files.items():
            (tree / path).write_text(text, encoding="utf-8")
        commit(tree, branch)
    git(tree, "checkout", "--quiet", "main")
    return Desk(tree, home(folder), folder)


@pytest.fixture(scope="module")
def divided(project):
    return project.check("out", *CHECK, "--target", RIGHT, "--head", "divided")


def test_exported_model_alone_is_told_at_the_layer_that_departs(divided):
    (finding,) = divided.findings
    told = (finding["rule"], finding["level"], finding["status"], finding["line"])
    line = next(n for n, text in enumerate(DIVIDED.splitlines(), 1) if "avg_pool2d" in text)
    assert told == ("model/divergence", "failure", "new", line)
    evidence = finding["evidence"]
    assert evidence["executions"] == ["onnxruntime-torchscript"]
    assert evidence["first_layer"] == "avg_pool2d"
    assert evidence["error_ratio"] > 1000
    assert evidence["layers"][-1]["layer"] == "avg_pool2d"
    assert evidence["layers"][-1]["error_ratio"] > 1000
    assert evidence["mutations"] == []
    assert "avg_pool2d(x0, 2, divisor_override=3)" in evidence["layer"]
    assert (divided.status, divided.report["verdict"]) == (1, "failure")
    assert divided.report["broken"] == divided.report["skipped"] == []
    assert target(divided, RIGHT)["executions"] > 0
    errors = list(Draft202012Validator(SCHEMA).iter_errors(divided.report))
    assert [error.message for error in errors] == []


def test_reproducer_and_replay_fail_on_the_change_alone(divided, project):
    (finding,) = divided.findings
    place = divided.folder / finding["reproducer"]
    assert run_test(place, project.branch("divided")).returncode == 1
    assert run_test(place, project.branch("main")).returncode == 0
    again = project.home.run("replay", divided.path, "--repo", project.branch("divided"))
    assert (again.status, again.out) == (1, f"FAILED {finding['fingerprint']}\n")


@pytest.fixture(scope="module")
def compiled(project):
    return project.check("compiled", *CHECK, "--head", "compiled")


def test_what_is_not_compiled_is_a_notice(compiled):
    (finding,) = compiled.findings
    told = (finding["rule"], finding["level"], finding["status"])
    assert told == ("model/not-compiled", "notice", "new")
    assert "LSTM" in finding["message"]
    assert compiled.status == 0


def test_execution_that_the_project_does_not_use_is_left_to_the_library(compiled):
    (bug,) = compiled.report["appendix"]
    assert "divisor_override=3" in bug["call"]
