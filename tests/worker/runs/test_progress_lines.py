"""What a run under way tells: where it is, what it found, how long it may take."""

from dataclasses import replace

from analyzers.vocabulary import Skipped
from tests.worker.report import samples
from worker.runs.run_attempt import MOST_LINE, ProgressReporter

TARGETS = [target for target, _ in samples.TARGETS]


def test_findings_and_time_left_are_told():
    told, times = [], iter([0.0, 0.0, 30.0, 200.0])
    reporter = ProgressReporter(told.append, lambda: next(times))
    reporter.detected(TARGETS)
    reporter.examining(TARGETS[0])
    reporter.found(samples.crash())
    reporter.found(Skipped("cloud", "a.py::f", "no source"))
    reporter.examining(TARGETS[1])
    reporter.examining(TARGETS[2])
    assert told[:2] == ["3 functions to test", f"testing function 1 of 3: {TARGETS[0].id}"]
    assert told[2].split("\n") == [
        f"testing function 2 of 3: {TARGETS[1].id}; 1 finding so far; about 60 s left",
        "failure, shop/receipts.py:12: `total_of` raises IndexError when no text is found",
    ]
    assert "about 2 min left" in told[3]


def test_line_of_a_finding_is_short():
    told = []
    reporter = ProgressReporter(told.append)
    reporter.detected(TARGETS)
    reporter.found(replace(samples.crash(), title="x" * 5000))
    reporter.examining(TARGETS[0])
    assert len(told[-1].split("\n")[1]) == MOST_LINE
