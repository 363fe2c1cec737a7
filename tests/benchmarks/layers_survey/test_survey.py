"""Layers of torch are tried in processes of their own, and told row by row."""

import os

import pytest
import torch

from analyzers.assembly import layer_tables
from analyzers.guest.relations.torch_library import valid_calls
from benchmarks.layers_survey import layer_trials
from benchmarks.layers_survey.probed_ranges import hard
from benchmarks.layers_survey.survey import survey
from benchmarks.layers_survey.survey_models import Argument, Example, Outcome, Subject

NORM = Subject(
    "torch.nn.BatchNorm1d",
    False,
    "",
    (Argument("momentum", ("float", "none"), "0.1"), Argument("eps", ("float",), "1e-05")),
    {},
    (),
    Example({"num_features": "4"}, ("torch.randn((6, 4))",), True),
)


@pytest.fixture(autouse=True)
def _without_test_data(monkeypatch):
    """These layers have examples of our own: torch's test data takes seconds to import."""
    monkeypatch.setattr(valid_calls, "moduleinfo_database", list)


def surveyed(*names):
    return {row["name"]: row for row, _ in survey(names)}


def parameter(row, name):
    return next(each for each in row["parameters"] if each["name"] == name)


@pytest.mark.parametrize(
    ("changed", "stage", "sign"),
    [
        (("momentum", "2.0"), "", "negative running_var"),
        (("momentum", "1.0"), "", None),
        (("eps", "-1.0"), "forward", None),
        (("num_features", "-1"), "construction", None),
        (("num_features", "3"), "forward", None),
    ],
)
def test_what_comes_of_a_changed_argument(changed, stage, sign):
    found = layer_trials.tried(NORM, layer_trials.Trial((changed,)))
    assert found.stage == stage
    signs = hard(found, whole=False)
    assert (sign in signs) if sign else not signs


@pytest.mark.slow
def test_rows_say_what_is_taken_silently_and_who_says_so():
    rows = surveyed("torch.nn.LayerNorm", "torch.nn.Dropout", "torch.optim.SGD")
    eps = parameter(rows["torch.nn.LayerNorm"], "eps")
    assert (eps["low"], eps["checked"], eps["consequence"]) == (0, False, "NaN")
    assert (eps["said_by"], eps["quote"]) == ("probing", "NaN")
    assert eps["edges"] == [{"value": "-1.0", "refused": "", "consequence": "NaN"}]
    p = parameter(rows["torch.nn.Dropout"], "p")
    assert (p["low"], p["high"], p["said_by"]) == (0, 1, "code")
    assert "checked" not in p
    assert {each["refused"] for each in p["edges"]} == {"construction"}
    lr = parameter(rows["torch.optim.SGD"], "lr")
    assert (lr["low"], lr["said_by"], lr["default"]) == (0, "code", "0.001")


def test_a_process_that_dies_is_told_and_the_rest_goes_on(monkeypatch):
    honest = layer_trials.tried

    def dying(subject, trial):
        if trial.changed == (("p", "-1.0"),):
            os.abort()
        return honest(subject, trial) if trial.text.startswith("p=") else Outcome()

    monkeypatch.setattr(layer_trials, "tried", dying)
    rows = surveyed("torch.nn.Dropout")
    edges = parameter(rows["torch.nn.Dropout"], "p")["edges"]
    assert edges[0] == {"value": "-1.0", "refused": "", "consequence": "signal 6"}
    assert edges[1]["refused"] == "construction"


@pytest.mark.slow
def test_a_layer_surveyed_again_is_as_it_is_shipped():
    row = surveyed("torch.nn.RMSNorm")["torch.nn.RMSNorm"]
    assert torch.__version__.startswith(layer_tables.loaded(torch.__version__))
    assert layer_tables.layer(row) == layer_tables.load(torch.__version__)["torch.nn.RMSNorm"]
