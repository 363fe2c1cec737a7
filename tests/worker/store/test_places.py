"""Installations, repositories, pull requests, and what people said about findings."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from tests.worker.store.nouns import (
    HEAD,
    NEXT,
    PULL_JOB,
    errand,
    errands_of,
    installation,
    pull,
    repository,
)
from worker.store import ErrandKind, Ignore, IgnoreKind, Remark, RunState, WorkerRecord, WorkerState


@pytest.fixture
def books(store):
    with store.begin() as opened:
        yield opened


def test_installation_is_seen_suspended_and_removed(books):
    books.installations.see(installation())
    books.installations.suspend(3, True)
    assert books.installations.get(3).suspended
    books.installations.suspend(3, False)
    assert books.installations.all() == (installation(),)
    books.installations.remove(3)
    assert books.installations.get(3) is None


def test_removal_takes_everything_and_publishes_nothing(books):
    books.installations.see(installation())
    books.installations.see_repository(repository())
    books.pulls.see(pull())
    books.remarks.add(Remark(7, 12, "f", 1))
    books.ignores.add(Ignore(7, "f", "why", "ann", datetime(2026, 1, 1, tzinfo=UTC)))
    run = books.runs.ask(PULL_JOB).id
    kept = books.runs.ask(replace(PULL_JOB, installation=4, repository_id=9, key="other")).id
    books.slots.take(3, 30)
    books.installations.remove(3)
    assert books.runs.get(run).state is RunState.CANCELLED
    assert books.runs.get(kept).state is RunState.PREPARING
    assert {record.errand.run for record in errands_of(books)} == {kept}
    assert books.pulls.get(7, 12) is None
    assert books.remarks.of(7, 12) == books.ignores.of(7) == ()
    assert books.installations.repository(7) is None


def test_removed_repository_leaves_the_others(books):
    books.installations.see_repository(repository())
    books.installations.see_repository(repository(70, "octo/other"))
    ours = books.runs.ask(PULL_JOB).id
    other = books.runs.ask(replace(PULL_JOB, repository_id=70, key="other")).id
    books.errands.add(errand("audit", ErrandKind.AUDIT, "audit:7"))
    books.installations.remove_repository(7)
    assert books.runs.get(ours).state is RunState.CANCELLED
    assert {record.errand.run for record in errands_of(books)} == {other}
    assert [each.id for each in books.installations.repositories(3)] == [70]


def test_repository_is_found_by_its_newest_name(books, clock):
    books.installations.see_repository(repository(default_branch="main"))
    books.installations.see_repository(repository())
    assert books.installations.repository(7).default_branch == "main"
    books.installations.rename(7, "octo/renamed")
    assert books.installations.repository_named("Octo/Renamed").id == 7
    assert books.installations.repository_named("octo/app") is None
    clock.pass_by(1)
    books.installations.see_repository(repository(8, "octo/renamed"))
    assert books.installations.repository_named("octo/renamed").id == 8
    books.installations.move(8, 5)
    assert [each.id for each in books.installations.repositories(5)] == [8]


def test_older_news_of_a_pull_request_are_refused(books):
    assert books.pulls.see(pull(minute=5))
    assert not books.pulls.see(pull(minute=4, head=NEXT))
    assert books.pulls.get(7, 12) == pull(minute=5)
    assert books.pulls.see(pull(minute=5, head=NEXT))
    assert books.pulls.with_head(7, NEXT) == (pull(minute=5, head=NEXT),)
    assert books.pulls.with_head(7, HEAD) == books.pulls.with_head(8, NEXT) == ()
    assert books.pulls.get(7, 13) is None


def test_pull_request_of_a_deleted_fork_is_kept(books):
    gone = pull(head_repository=None, head_name=None, head_ref="x" * 1000)
    assert books.pulls.see(gone)
    assert books.pulls.get(7, 12) == gone
    assert books.pulls.get(7, 12).fork


def test_ignore_replaces_what_was_said_before(books):
    first = Ignore(7, "f", "noise", "ann", datetime(2026, 1, 1, tzinfo=UTC), date(2026, 2, 1))
    books.ignores.add(first)
    assert books.ignores.of(7) == (first,)
    second = replace(
        first, reason="nul \x00", until=None, kind=IgnoreKind.BASELINE, target="a.py::f"
    )
    books.ignores.add(second)
    assert books.ignores.of(7) == (replace(second, reason="nul "),)
    assert books.ignores.of(8) == ()
    assert books.ignores.remove(7, "f")
    assert not books.ignores.remove(7, "f")


def test_remark_is_resolved_and_reopened(books):
    books.remarks.add(Remark(7, 12, "f", 2**40))
    books.remarks.add(Remark(7, 12, "g", 1))
    books.remarks.thread(2**40, "PRRT_x")
    books.remarks.resolve(2**40)
    assert books.remarks.of(7, 12) == (
        Remark(7, 12, "g", 1),
        Remark(7, 12, "f", 2**40, "PRRT_x", resolved=True),
    )
    books.remarks.reopen(2**40)
    assert not books.remarks.of(7, 12)[1].resolved
    books.remarks.remove(1)
    assert [remark.comment for remark in books.remarks.of(7, 12)] == [2**40]


def test_worker_says_which_queues_it_takes_from(books, clock):
    worker = WorkerRecord("w", "host", WorkerState.READY, None, ("walls",), queues=("gpu", "cpu"))
    books.roster.see(worker)
    books.roster.see(replace(worker, state=WorkerState.REFUSING))
    (seen,) = books.roster.present()
    assert (seen.queues, seen.state, seen.seen_at) == (
        ("gpu", "cpu"),
        WorkerState.REFUSING,
        clock(),
    )
    clock.pass_by(61)
    assert books.roster.present() == ()
    assert len(books.roster.present(within=100)) == 1
    books.roster.leave("w")
    assert books.roster.present(within=100) == ()
