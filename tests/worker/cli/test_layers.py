"""``assayer layers`` shows what layers take, and builds the file in the sandbox."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import worker.cli.layers
from worker.cli.layers import layers
from worker.errors import UsageError
from worker.layers import SurveySandbox
from worker.sandbox.guest_launch import GuestProgram

SURVEYOR = GuestProgram(Path(__file__).parents[1] / "layers/guests/surveyor", "_surveyor_guest")


def run(*arguments):
    return CliRunner().invoke(layers, arguments, standalone_mode=False)


def test_one_layer_is_shown_with_what_its_ranges_rest_on():
    shown = run("show", "torch.nn.LayerNorm").output
    assert "eps: float = 1e-05" in shown
    assert "[0, inf), says probing: NaN" in shown
    assert "-1.0 is taken silently: NaN" in shown


def test_the_summary_lists_what_is_taken_silently():
    shown = run("show").output
    assert "torch.nn.BatchNorm2d(momentum): [0, 1]" in shown
    assert "torch.nn.Dropout(p)" not in shown


def test_json_is_one_layer_or_all():
    [row] = json.loads(run("show", "Conv2d", "--format", "json").output)
    assert row["name"] == "torch.nn.Conv2d"
    assert "in_channels % groups == 0" in row["requires"]
    assert len(json.loads(run("show", "--format", "json").output)) > 144


def test_unknown_names_and_versions_are_wrong_usage():
    assert "LayerNorm" in str(run("show", "LayrNorm").exception)
    assert isinstance(run("show", "--version", "1.0").exception, UsageError)


@pytest.fixture
def surveyor(monkeypatch):
    def place(isolation, python):
        return SurveySandbox(isolation, python, program=SURVEYOR)

    monkeypatch.setattr(worker.cli.layers, "SurveySandbox", place)


def test_build_writes_the_file(surveyor, tmp_path):
    result = run("build", "--output", str(tmp_path / "torch.json"), "--quiet")
    assert result.exception is None
    assert json.loads((tmp_path / "torch.json").read_text())["layers"][0]["name"] == "torch.nn.A"
