"""The condition that a reproducer watches is the one that was counted."""

import sys

import pytest

from analyzers.guest.instrumentation.goals import decisions
from analyzers.vocabulary import BranchOutcome, Goal, LiteralArgument, Misses, Probe
from tests.worker.report import samples
from tests.worker.report.running import run
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

SOURCE = """\
def decide(x):
    ä = "ü"; y = 1 if x > 1 else 2
    if x == 2 and ä:
        y = 3
    while y > 9:
        y = 0
    kept = [n for n in range(x) if n > 1 if n < 5]
    for item in kept:
        y += item
    found = x in (2, 3)
    try:
        int("a" if x > 1 else "1")
    except ValueError:
        y = 5
    test = lambda n: n > 2
    test(x)
    assert x < 99, "large"

    def inner():
        return x > 50

    inner()
    return y > 2 and x > 1
"""
IF_AGAIN = """\
def decide(x):
    if x > 90:
        return 0
    if x > 1:
        return 1
    if x > 2:
        return 1
    return 2
"""
MATCH = """\
def decide(x):
    match x:
        case 0:
            return 0
        case n if n > 1:
            return 1
"""
TAKEN, NOT_TAKEN = 3, 0


def goals(source):
    for found in decisions(source):
        if found.function == "decide":
            yield Goal(
                "decided.py",
                "decide",
                found.ordinal,
                None,
                BranchOutcome.TRUE,
                found.line,
                found.end_line,
                found.text,
                found.text,
            )


def watching(goal, x, symbol):
    return samples.crash(
        rule="cloud/low-recall",
        target="decided.py::decide",
        symbol=f"{symbol}#{goal.decision}",
        probes=(Probe("decided.py::decide", {"x": LiteralArgument(str(x))}, ()),),
        criterion=Misses(goal, 0.5),
        suggestion=None,
    )


def watched(folder, source, later=None):
    """Whether each decision is taken with a large and with a small argument."""
    findings = {}
    for goal in goals(source):
        for x in (TAKEN, NOT_TAKEN):
            finding = watching(goal, x, str(x))
            text = reproducer(finding, {"decided.py": source})
            assert text is not None, goal.text
            (folder / f"{name_of(finding)}.py").write_text(text)
            findings[goal.decision_text, x] = name_of(finding)
    (folder / "decided.py").write_text(later or source)
    failures = run(folder)
    return {key: failures[name] is None for key, name in findings.items()}


def taken(results, x):
    return [text for (text, given), result in results.items() if given == x and result]


@pytest.mark.slow
def test_every_kind_of_decision_is_found(tmp_path):
    results = watched(tmp_path, SOURCE)
    assert taken(results, TAKEN) == [
        "x > 1",
        "n > 1",
        "n < 5",
        "for item in kept",
        "x in (2, 3)",
        "except ValueError",
        "n > 2",
        "x < 99",
        "y > 2 and x > 1",
    ]
    assert taken(results, NOT_TAKEN) == ["x < 99"]


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 10), reason="match is younger")
def test_cases_are_found(tmp_path):
    results = watched(tmp_path, MATCH)
    assert taken(results, TAKEN) == ["case n if n > 1", "n > 1"]
    assert taken(results, NOT_TAKEN) == ["case 0"]


@pytest.mark.slow
def test_moved_conditions_are_found_by_what_they_guard(tmp_path):
    later = IF_AGAIN.replace("    if x > 90:\n        return 0\n", "").replace("x > 2", "x >= 99")
    results = watched(tmp_path, IF_AGAIN, later)
    assert results["x > 1", TAKEN]
    assert not results["x > 1", NOT_TAKEN]
    assert not results["x > 2", TAKEN]
