"""``assayer layers show`` prints what layers take."""

import json

from click.testing import CliRunner

from worker.cli.layers import layers
from worker.errors import UsageError


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
