"""Layers of torch are tried in processes of their own, and told row by row."""

import os

import pytest

from analyzers.guest.layers import survey, trying
from analyzers.guest.layers.nouns import Argument, Example, Outcome, Subject
from analyzers.guest.layers.probed import hard
from analyzers.guest.relations.torch_library import valid_calls

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
    rows = []
    ended = survey({"names": names, "seconds": 60}, lambda frame: rows.extend(frame["rows"]))
    return ended, {row["name"]: row for row in rows}


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
    found = trying.tried(NORM, trying.Trial((changed,)))
    assert found.stage == stage
    signs = hard(found, whole=False)
    assert (sign in signs) if sign else not signs


def test_rows_say_what_is_taken_silently_and_who_says_so():
    ended, rows = surveyed("torch.nn.LayerNorm", "torch.nn.Dropout", "torch.optim.SGD")
    assert ended["type"] == "surveyed"
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
    honest = trying.tried

    def dying(subject, trial):
        if trial.changed == (("p", "-1.0"),):
            os.abort()
        return honest(subject, trial) if trial.text.startswith("p=") else Outcome()

    monkeypatch.setattr(trying, "tried", dying)
    _, rows = surveyed("torch.nn.Dropout")
    edges = parameter(rows["torch.nn.Dropout"], "p")["edges"]
    assert edges[0] == {"value": "-1.0", "refused": "", "consequence": "signal 6"}
    assert edges[1]["refused"] == "construction"
