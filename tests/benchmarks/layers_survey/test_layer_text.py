"""The table of layers, as a person reads it."""

import json

import pytest

from benchmarks.layers_survey.layer_text import text_of_layers
from worker.errors import UsageError


def test_one_layer_is_shown_with_what_its_ranges_rest_on():
    shown = text_of_layers("torch.nn.LayerNorm", None, "text")
    assert "eps: float = 1e-05" in shown
    assert "[0, inf), says probing: NaN" in shown
    assert "-1.0 is taken silently: NaN" in shown


def test_the_summary_lists_what_is_taken_silently():
    shown = text_of_layers(None, None, "text")
    assert "torch.nn.BatchNorm2d(momentum): [0, 1]" in shown
    assert "torch.nn.Dropout(p)" not in shown


def test_json_is_one_layer_or_all():
    [row] = json.loads(text_of_layers("Conv2d", None, "json"))
    assert row["name"] == "torch.nn.Conv2d"
    assert "in_channels % groups == 0" in row["requires"]
    assert len(json.loads(text_of_layers(None, None, "json"))) > 144


def test_unknown_names_and_versions_are_wrong_usage():
    with pytest.raises(UsageError, match="LayerNorm"):
        text_of_layers("LayrNorm", None, "text")
    with pytest.raises(UsageError):
        text_of_layers(None, "1.0", "text")
