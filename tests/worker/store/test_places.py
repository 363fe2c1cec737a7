"""Installations, repositories, pull requests, and what people said about findings."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from tests.worker.store.nouns import (
    HEAD,
    NEXT,
    PULL_JOB,
    errands_of,
    installation,
    pull,
    repository,
    task,
)
from worker.store.records import (
    IgnoreKind,
    IgnoreRecord,
    OutboxTaskKind,
    RunState,
    StoredReviewComment,
    WorkerRecord,
    WorkerState,
)


@pytest.fixture
def unit(store):
    with store.write() as opened:
        yield opened


def test_installation_is_seen_suspended_and_removed(unit):
    unit.installations.see(installation())
    unit.installations.see(replace(installation(), suspended=True))
    assert unit.installations.get(3).suspended
    unit.installations.see(installation())
    assert unit.installations.all() == (installation(),)
    unit.installations.remove(3)
    assert unit.installations.get(3) is None


def test_removal_takes_everything_and_publishes_nothing(unit):
    unit.installations.see(installation())
    unit.installations.see_repository(repository())
    unit.pulls.see(pull())
    unit.review_comments.add(StoredReviewComment(7, 12, "f", 1))
    unit.ignores.add(IgnoreRecord(7, "f", "why", "ann", datetime(2026, 1, 1, tzinfo=UTC)))
    run = unit.runs.ask(PULL_JOB).id
    kept = unit.runs.ask(replace(PULL_JOB, installation=4, repository_id=9, key="other")).id
    unit.slots.take(3, 30)
    unit.installations.remove(3)
    assert unit.runs.get(run).state is RunState.CANCELLED
    assert unit.runs.get(kept).state is RunState.PREPARING
    assert {record.task.run for record in errands_of(unit)} == {kept}
    assert unit.pulls.get(7, 12) is None
    assert unit.review_comments.of(7, 12) == unit.ignores.of(7) == ()
    assert unit.installations.repository(7) is None


def test_removed_repository_leaves_the_others(unit):
    unit.installations.see_repository(repository())
    unit.installations.see_repository(repository(70, "octo/other"))
    ours = unit.runs.ask(PULL_JOB).id
    other = unit.runs.ask(replace(PULL_JOB, repository_id=70, key="other")).id
    unit.outbox_tasks.add(task("audit", OutboxTaskKind.AUDIT, "audit:7"))
    unit.installations.remove_repository(7)
    assert unit.runs.get(ours).state is RunState.CANCELLED
    assert {record.task.run for record in errands_of(unit)} == {other}
    assert [each.id for each in unit.installations.repositories(3)] == [70]


def test_repository_takes_its_newest_name_and_moves(unit):
    unit.installations.see_repository(repository(default_branch="main"))
    unit.installations.see_repository(repository())
    assert unit.installations.repository(7).default_branch == "main"
    unit.installations.see_repository(repository(7, "octo/renamed"))
    assert unit.installations.repository(7).full_name == "octo/renamed"
    unit.installations.see_repository(repository(8, "octo/renamed"))
    unit.installations.see_repository(repository(8, "octo/renamed", owner=5))
    assert [each.id for each in unit.installations.repositories(5)] == [8]


def test_older_news_of_a_pull_request_are_refused(unit):
    assert unit.pulls.see(pull(minute=5))
    assert not unit.pulls.see(pull(minute=4, head=NEXT))
    assert unit.pulls.get(7, 12) == pull(minute=5)
    assert unit.pulls.see(pull(minute=5, head=NEXT))
    assert unit.pulls.with_head(7, NEXT) == (pull(minute=5, head=NEXT),)
    assert unit.pulls.with_head(7, HEAD) == unit.pulls.with_head(8, NEXT) == ()
    assert unit.pulls.get(7, 13) is None


def test_pull_request_of_a_deleted_fork_is_kept(unit):
    gone = pull(head_repository=None, head_name=None, head_ref="x" * 1000)
    assert unit.pulls.see(gone)
    assert unit.pulls.get(7, 12) == gone
    assert unit.pulls.get(7, 12).fork


def test_ignore_replaces_what_was_said_before(unit):
    first = IgnoreRecord(7, "f", "noise", "ann", datetime(2026, 1, 1, tzinfo=UTC), date(2026, 2, 1))
    unit.ignores.add(first)
    assert unit.ignores.of(7) == (first,)
    second = replace(
        first, reason="nul \x00", until=None, kind=IgnoreKind.BASELINE, target="a.py::f"
    )
    unit.ignores.add(second)
    assert unit.ignores.of(7) == (replace(second, reason="nul "),)
    assert unit.ignores.of(8) == ()
    assert unit.ignores.remove(7, "f")
    assert not unit.ignores.remove(7, "f")


def test_remark_is_resolved_and_reopened(unit):
    unit.review_comments.add(StoredReviewComment(7, 12, "f", 2**40))
    unit.review_comments.add(StoredReviewComment(7, 12, "g", 1))
    unit.review_comments.resolve(2**40)
    assert unit.review_comments.of(7, 12) == (
        StoredReviewComment(7, 12, "g", 1),
        StoredReviewComment(7, 12, "f", 2**40, resolved=True),
    )
    unit.review_comments.reopen(2**40)
    assert not unit.review_comments.of(7, 12)[1].resolved


def test_worker_says_which_queues_it_takes_from(unit, clock):
    worker = WorkerRecord("w", "host", WorkerState.READY, None, ("walls",), queues=("gpu", "cpu"))
    unit.workers_present.see(worker)
    unit.workers_present.see(replace(worker, state=WorkerState.REFUSING))
    (seen,) = unit.workers_present.present()
    assert (seen.queues, seen.state, seen.seen_at) == (
        ("gpu", "cpu"),
        WorkerState.REFUSING,
        clock(),
    )
    clock.pass_by(61)
    assert unit.workers_present.present() == ()
    assert len(unit.workers_present.present(within=100)) == 1
    unit.workers_present.leave("w")
    assert unit.workers_present.present(within=100) == ()
