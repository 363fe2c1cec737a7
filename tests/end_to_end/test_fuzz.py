"""A campaign on a file of somebody's, from the command line to its reproducers."""

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import Checked, home
from tests.end_to_end.test_properties import SCHEMA, run_test

pytestmark = pytest.mark.slow

NET = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8, eps=1e-5), nn.Linear(8, 2))
loss = model(torch.randn(4, 8)).sum()
loss.backward()
"""
FILES = ("--files", "12", "--seed", "0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("fuzz")
    (made / "net.py").write_text(NET, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def campaign(folder):
    where = folder / "report"
    given = ("--format", "json", "--output", where / "report.json", "--artifacts", where)
    ended = home(folder / "home").run("fuzz", folder / "net.py", "--budget", "1200", *FILES, *given)
    return Checked(ended, where)


def test_value_that_a_layer_takes_silently_is_found(campaign):
    assert campaign.status == 0, campaign.ended.said
    found = {(f["evidence"]["api"], f["evidence"]["parameter"]) for f in campaign.findings}
    assert ("torch.nn.LayerNorm", "eps") in found
    assert {(f["rule"], f["level"], f["line"]) for f in campaign.findings} == {
        ("assembly/unchecked-boundary", "warning", 4)
    }
    assert campaign.report["broken"] == []


def test_report_lists_the_apis_that_were_reached(campaign):
    (target,) = campaign.report["targets"]
    assert target["id"] == "net.py::<module>"
    assert {"torch.nn.LayerNorm", "torch.nn.Linear", "torch.nn.Sequential"} < set(target["apis"])
    assert "files assembled" in campaign.report["environment"][0]
    assert "files assembled" in campaign.ended.err


def test_report_keeps_the_schema(campaign):
    errors = list(Draft202012Validator(SCHEMA).iter_errors(campaign.report))
    assert [error.message for error in errors] == []


def test_reproducer_fails_by_itself(campaign, tmp_path):
    reproducer = campaign.folder / campaign.findings[0]["reproducer"]
    assert run_test(reproducer, tmp_path).returncode == 1


def test_file_with_a_mistake_is_named_with_its_line(folder):
    (folder / "broken.py").write_text("import torch\n\nclass Net(:\n    pass\n", encoding="utf-8")
    ended = home(folder / "again").run("fuzz", folder / "broken.py")
    assert ended.status == 2
    assert ended.err.startswith(f"assayer: {folder / 'broken.py'}:3: invalid syntax")
    assert ended.out == ""
