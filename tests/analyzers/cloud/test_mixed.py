"""Branches of which both feelings have a good part, though few texts of either reach them."""

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.criteria import is_shown
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import Finding, Level
from tests.analyzers.cloud.bench import Case, FakeBench

HIGH, LOW, AROUND = [0.9, 1.0], [-0.9, 1.0], [0.0, 0.1]
SOURCE = """
def check(path):
    score, magnitude = sentiment()
    if CONDITION:
        return "shout"
    return "whisper"
"""


def examined(condition, positive, negative, inputs=20, source=SOURCE):
    """The findings where so many positive and negative texts have a high score, of 40 each."""
    case = Case(
        source=source.replace("CONDITION", condition),
        api="google.language.analyze_sentiment",
        form="text",
        searched=(HIGH, LOW, AROUND),
        inputs={
            "positive": [HIGH] * positive + [AROUND] * (40 - positive),
            "negative": [HIGH] * negative + [LOW] * (40 - negative),
        },
    )
    bench = FakeBench(case)
    bench.plan = ExaminationPlan(inputs=inputs)
    verdicts = CloudAnalyzer().examine(case.target, bench)
    return bench, [verdict for verdict in verdicts if isinstance(verdict, Finding)]


def test_selected_texts_of_both_feelings_are_reported():
    bench, (finding,) = examined("score > 0.5", 10, 10)
    assert (finding.rule, finding.level) == ("cloud/mixed-sentiment", Level.FAILURE)
    assert finding.evidence["selected"] == {
        "inputs": 20,
        "positive": 10,
        "negative": 10,
        "positive_interval": [0.2993, 0.7007],
    }
    assert is_shown(finding.criterion, bench.run(finding.probes))


@pytest.mark.parametrize(
    ("condition", "positive", "negative", "inputs"),
    [
        ("score > 0.5", 10, 2, 20),
        ("score > 0.5", 10, 4, 20),
        ("score > 0.5", 3, 3, 20),
        ("score > 0.5", 5, 5, 10),
        ("0.5 < score < 1.0", 10, 10, 20),
        ("abs(score) > 0.5", 10, 10, 20),
    ],
    ids=["few of one", "not sure", "few of both", "few texts", "a band", "a strength"],
)
def test_doubtful_mixture_is_not(condition, positive, negative, inputs):
    assert examined(condition, positive, negative, inputs)[1] == []


def test_other_half_of_a_band_is_not_judged_by_what_it_selects():
    chain = SOURCE.replace("if CONDITION", "if score > 0.95:\n        return 1\n    if CONDITION")
    assert examined("score > 0.5", 10, 10, source=chain)[1] == []
