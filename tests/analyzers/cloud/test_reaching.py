"""Inputs for branches that no input has reached, at a bench."""

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.vocabulary import Skipped
from tests.analyzers.cloud.bench import Case, FakeBench

BOTH = """
def check(path):
    seen = labels()
    if "Person" in seen and "Helmet" in seen:
        return "safe"
    return "unknown"
"""


def test_branch_that_needs_two_labels_gets_pictures_of_both():
    things = {name: [[name]] * 3 for name in ("Person", "Helmet")}
    case = Case(
        BOTH,
        searched=[["Person", "Helmet"], ["Person"], ["Sky"]],
        inputs={**things, "Person and Helmet": [["Person", "Helmet"]] * 3},
    )
    bench = FakeBench(case)
    look = CloudAnalyzer().examine(case.target, bench)
    said = [verdict.reason for verdict in look if isinstance(verdict, Skipped)]
    assert "Person and Helmet" in bench.wanted
    assert any("needs several labels in one answer" in reason for reason in said)


def test_pictures_of_both_are_not_asked_for_where_one_label_does():
    case = Case(
        BOTH.replace(" and ", " or "),
        searched=[["Person", "Helmet"], ["Person"], ["Helmet"], ["Sky"]],
        inputs={name: [[name]] * 3 for name in ("Person", "Helmet")},
    )
    bench = FakeBench(case)
    list(CloudAnalyzer().examine(case.target, bench))
    assert "Person and Helmet" not in bench.wanted
