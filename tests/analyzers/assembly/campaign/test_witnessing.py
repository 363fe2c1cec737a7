"""What comes of values, told by the real torch."""

import pytest

from analyzers.assembly import layer_tables
from analyzers.assembly.campaign.library_findings import MARK, parse_consequence, question_program
from analyzers.assembly.campaign.suspicions import legal, of_layer
from analyzers.vocabulary import AssembledRun
from tests.analyzers.assembly.derivation.running import Here

LAYERS = layer_tables.load("2.13.0")


def witnessed(name, parameter, value):
    layer = LAYERS[f"torch.nn.{name}"]
    call = of_layer(layer)
    values = {each: call.with_value(parameter, each) for each in legal(layer.parameter(parameter))}
    (outcome,) = Here()([question_program(call.with_value(parameter, value), values)])
    return parse_consequence(outcome, values)


@pytest.mark.parametrize(
    ("name", "parameter", "value", "comes"),
    [
        ("LayerNorm", "eps", "-1.0", "NaN"),
        ("BatchNorm2d", "momentum", "2.0", "negative running_var"),
        ("AvgPool2d", "divisor_override", "-1", "negative output of a positive input"),
        ("CrossEntropyLoss", "label_smoothing", "-1.0", "taken as 0.0"),
        ("MultiheadAttention", "dropout", "-1.0", "taken as 0.0"),
    ],
)
def test_consequence_is_seen(name, parameter, value, comes):
    witness = witnessed(name, parameter, value)
    assert (witness.state, witness.consequence) == ("taken", comes)


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [("LayerNorm", "eps", "0.5"), ("LeakyReLU", "negative_slope", "-0.5"), ("ELU", "alpha", "2.0")],
)
def test_nothing_is_seen_of_what_is_right(name, parameter, value):
    witness = witnessed(name, parameter, value)
    assert (witness.state, witness.consequence) == ("taken", "")


def test_refusals_are_told():
    assert witnessed("Dropout", "p", "2.0").state == "refused"


@pytest.mark.parametrize(
    "outcome",
    [
        AssembledRun("ran"),
        AssembledRun("raised", detail="something else"),
        AssembledRun("raised", detail=MARK + "[1"),
        AssembledRun("raised", detail=MARK + '["taken", "NaN", 9, ""]'),
        AssembledRun("raised", detail=MARK + '["taken", ["NaN"], 0, ""]'),
        AssembledRun("raised", detail=MARK + '{"taken": []}'),
        AssembledRun("raised", detail=MARK + '["taken", "NaN\\nimport os", 0, ""]'),
        AssembledRun("raised", detail=MARK + '["taken", "", 0, "1.0"]'),
        AssembledRun("timed-out"),
    ],
)
def test_other_words_count_for_nothing(outcome):
    assert parse_consequence(outcome, ["0.0"]).state == "unknown"


@pytest.mark.parametrize(("said", "wanted"), [("SIGFPE", "SIGFPE"), ("it\nleft", "")])
def test_death_is_told_with_its_signal(said, wanted):
    witness = parse_consequence(AssembledRun("died", detail=said), [])
    assert (witness.state, witness.detail) == ("died", wanted)
