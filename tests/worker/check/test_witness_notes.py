"""Findings of the text say why no run shows them."""

import pytest

from analyzers.vocabulary import Skipped, TargetCounters, Written
from tests.analyzers.samples import finding
from worker.check.witness_notes import NO_TARGET, NO_TIME, with_witness_note

READ = finding(criterion=Written("app.py", "x"))


@pytest.mark.parametrize(
    ("counted", "skipped", "expected"),
    [
        ({}, (), NO_TARGET),
        ({READ.target: TargetCounters()}, (), NO_TIME),
        (
            {READ.target: TargetCounters()},
            (Skipped("cloud", "app.py::other", "no"), Skipped("cloud", READ.target, "no key")),
            "no key",
        ),
        (
            {READ.target: TargetCounters(executions=7)},
            (),
            "7 runs of the function did not end here",
        ),
    ],
)
def test_finding_of_the_text_says_why_no_run_shows_it(counted, skipped, expected):
    noted = with_witness_note(READ, counted, skipped)
    assert noted.evidence["not_run"] == expected
    assert noted.fingerprint == READ.fingerprint


def test_finding_of_a_run_needs_no_note():
    assert with_witness_note(finding(), {}, ()) == finding()
