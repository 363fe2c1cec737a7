from dataclasses import replace

import pytest

from analyzers.vocabulary import Level, Status
from tests.worker.github_app.publishing.documents import document
from tests.worker.report import samples
from worker.github_app.publishing.inline_comments import (
    inline_candidates,
    select_inline,
    uncertainty,
)
from worker.report.stored_report import stored

SURE = samples.crash(symbol="sure")
UNTRIED = samples.crash(symbol="untried", suggestion=None)
VAGUE = samples.low_recall()
ADVICE = samples.crash(symbol="advice", level=Level.WARNING)


def read(*findings, **changes):
    return stored(document(*findings, **changes))


def test_surest_come_first():
    found = inline_candidates(read(ADVICE, VAGUE, UNTRIED, SURE))
    names = [finding.fingerprint for finding in select_inline(found, 4)]
    assert names == [finding.fingerprint for finding in (SURE, VAGUE, UNTRIED, ADVICE)]


def test_no_more_than_asked_for():
    found = inline_candidates(read(ADVICE, VAGUE, UNTRIED, SURE))
    assert len(select_inline(found, 2)) == 2
    assert select_inline(found, 0) == ()


def test_what_stands_keeps_its_place():
    found = inline_candidates(read(ADVICE, VAGUE, UNTRIED, SURE))
    assert [f.fingerprint for f in select_inline(found, 1, {ADVICE.fingerprint})] == [
        ADVICE.fingerprint
    ]
    both = {ADVICE.fingerprint, VAGUE.fingerprint}
    assert {f.fingerprint for f in select_inline(found, 1, both)} == both


@pytest.mark.parametrize(
    "finding",
    [
        replace(SURE, level=Level.NOTICE),
        replace(SURE, status=Status.EXISTING),
        replace(SURE, status=Status.FIXED),
        replace(SURE, status=Status.FLAKY),
    ],
)
def test_only_new_defects_stand_inline(finding):
    assert inline_candidates(read(finding)) == ()


def test_ignored_findings_do_not_stand_inline():
    assert (
        inline_candidates(read(SURE, ignored={SURE.fingerprint: {"reason": "r", "until": None}}))
        == ()
    )


def test_narrow_intervals_are_surer():
    crash, recall, mixed = read(SURE, VAGUE, samples.mixed_sentiment()).findings
    assert uncertainty(crash) == 0
    assert uncertainty(recall) == pytest.approx(0.519)
    assert uncertainty(mixed) == pytest.approx(0.562)
