import copy
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.coverage import conclude
from analyzers.vocabulary import Conclusion, Level, Skipped, Status, Tested
from tests.worker.github_app.publishing.documents import TODAY, document, full, ignore
from tests.worker.report import samples
from worker.report.json_report import report_document, validator
from worker.store.conclusions import is_gone, unneeded, with_current_ignores
from worker.store.records import IgnoreKind

YESTERDAY, TOMORROW = TODAY - timedelta(days=1), TODAY + timedelta(days=1)
CRASH = samples.crash()


def one(**changes):
    return document(CRASH, **changes)


def test_ignored_finding_stays_and_blocks_nothing():
    after = with_current_ignores(
        one(), [ignore(CRASH.fingerprint, reason="by design", until=TODAY)], TODAY
    )
    assert after["findings"][0]["ignored"] == {"reason": "by design", "until": "2026-05-04"}
    assert after["verdict"] == "success"
    assert not list(validator().iter_errors(after))


def test_ignore_past_its_date_counts_again():
    after = with_current_ignores(one(), [ignore(CRASH.fingerprint, until=YESTERDAY)], TODAY)
    assert "ignored" not in after["findings"][0]
    assert after["verdict"] == "failure"


@pytest.mark.parametrize("gate", ["failure", "neutral"])
def test_configured_ignore_past_its_date_counts_again(gate):
    ignored = {CRASH.fingerprint: {"reason": "known", "until": YESTERDAY.isoformat()}}
    before = one(ignored=ignored, conclusion=Conclusion.SUCCESS)
    assert with_current_ignores(before, [], TODAY, gate)["verdict"] == gate
    assert with_current_ignores(before, [], YESTERDAY)["verdict"] == "success"


def test_baseline_counts_as_existing():
    after = with_current_ignores(
        one(), [ignore(CRASH.fingerprint, kind=IgnoreKind.BASELINE)], TODAY
    )
    assert after["findings"][0]["status"] == "existing"
    assert "ignored" not in after["findings"][0]
    assert after["verdict"] == "success"


def test_other_findings_still_fail():
    after = with_current_ignores(full(), [ignore(CRASH.fingerprint)], TODAY)
    assert after["verdict"] == "failure"


def test_advice_left_is_neutral():
    warning = samples.low_recall(level=Level.WARNING)
    after = with_current_ignores(document(CRASH, warning), [ignore(CRASH.fingerprint)], TODAY)
    assert after["verdict"] == "neutral"


def test_ignoring_the_only_failure_does_not_hide_an_outage():
    after = with_current_ignores(one(broken=(samples.BROKEN,)), [ignore(CRASH.fingerprint)], TODAY)
    assert after["verdict"] == "error"


def test_advice_that_is_left_does_not_hide_an_outage_either():
    found = (CRASH, samples.low_recall(level=Level.WARNING))
    after = with_current_ignores(
        document(*found, broken=(samples.BROKEN,)), [ignore(CRASH.fingerprint)], TODAY
    )
    assert after["verdict"] == "error"


def test_stored_document_is_left_as_it_was():
    before = full()
    kept = copy.deepcopy(before)
    with_current_ignores(before, [ignore(CRASH.fingerprint)], TODAY)
    assert before == kept


FINDINGS = st.lists(
    st.builds(
        lambda number, level, status: samples.crash(
            symbol=f"s{number}", level=level, status=status
        ),
        st.integers(0, 5),
        st.sampled_from(Level),
        st.sampled_from(Status),
    ),
    max_size=5,
    unique_by=lambda finding: finding.fingerprint,
)


@settings(deadline=None)
@given(
    FINDINGS,
    st.sets(st.integers(0, 5)),
    st.sets(st.integers(0, 5)),
    st.sampled_from([Conclusion.FAILURE, Conclusion.NEUTRAL]),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.lists(st.sampled_from(list(Tested)), min_size=3, max_size=3),
)
def test_verdict_is_the_one_the_pipeline_would_give(findings, before, after, gate, left, answers):
    """Ignoring later comes to the same as ignoring while examining."""
    names = [samples.crash(symbol=f"s{number}").fingerprint for number in range(6)]
    ours, broken, partial = left
    skipped = (Skipped("cloud", "t", "r", our_fault=ours),)
    targets = tuple(
        (target, replace(tally, tested=answer))
        for (target, tally), answer in zip(samples.TARGETS, answers, strict=True)
    )
    brokens = (samples.BROKEN,) if broken else ()

    def conclusion(numbers):
        return conclude(
            [*findings, *skipped, *brokens],
            tested=answers,
            partial=partial,
            gate=gate,
            ignored={names[number] for number in numbers},
        )

    first = report_document(
        samples.report(
            *findings,
            conclusion=conclusion(before),
            targets=targets,
            partial=partial,
            skipped=skipped,
            broken=brokens,
            ignored={names[n]: {"reason": "r", "until": None} for n in before},
        )
    )
    ignores = [ignore(names[number]) for number in after]
    second = with_current_ignores(first, ignores, TODAY, gate.value)
    assert second["verdict"] == conclusion(before | after).value
    assert with_current_ignores(second, ignores, TODAY, gate.value) == second


def test_ignore_is_needed_while_its_finding_comes():
    there = ignore(CRASH.fingerprint, target=CRASH.target)
    assert unneeded(one(), [there], TODAY) == ()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, True),
        ({"until": TOMORROW}, True),
        ({"until": YESTERDAY}, False),
        ({"target": "shop/other.py::f"}, False),
        ({"target": None}, False),
        ({"kind": IgnoreKind.BASELINE}, False),
    ],
)
def test_ignore_is_no_longer_needed_when_its_target_shows_nothing(changes, told):
    entry = ignore("0" * 16, **{"target": CRASH.target, **changes})
    assert unneeded(one(), [entry], TODAY) == ((entry,) if told else ())


def test_ignore_of_a_fixed_finding_is_no_longer_needed():
    entry = ignore(CRASH.fingerprint, target=CRASH.target)
    assert unneeded(document(samples.crash(status=Status.FIXED)), [entry], TODAY) == (entry,)


@pytest.mark.parametrize(
    "changes",
    [
        {"partial": True},
        {"broken": (samples.BROKEN.__class__("cloud", CRASH.target, "x"),)},
        {"broken": (samples.BROKEN.__class__("engines", "", "down"),)},
    ],
)
def test_nothing_is_known_to_be_gone_where_testing_failed(changes):
    untested = document(samples.low_recall(), **changes)
    assert not is_gone(untested, CRASH.fingerprint, CRASH.target)
    assert unneeded(untested, [ignore(CRASH.fingerprint, target=CRASH.target)], TODAY) == ()


def test_finding_of_a_skipped_target_is_not_known_to_be_gone():
    skipped = document(samples.low_recall(), skipped=(Skipped("cloud", "a.py::f", "no budget"),))
    assert not is_gone(skipped, "0" * 16, "a.py::f")
    assert is_gone(skipped, "0" * 16, "b.py::f")
    assert is_gone(skipped, CRASH.fingerprint, CRASH.target)
    assert not is_gone(skipped, samples.low_recall().fingerprint, CRASH.target)
