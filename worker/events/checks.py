"""Check runs, suites and merge groups: what asks for a check without a push."""

from __future__ import annotations

from worker.events.payloads import (
    Account,
    CheckRunEvent,
    CheckSuiteEvent,
    MalformedError,
    MergeGroupEvent,
    read,
)
from worker.events.places import see_repository
from worker.events.pulls import automatic_key, ensure
from worker.store.books import Books
from worker.store.lanes import head_lane, pull_lane
from worker.store.records import Delivery, Errand, ErrandKind, Job, Repository, RunRecord

_BRANCHES = "refs/heads/"


def hear_check_run(delivery: Delivery, books: Books) -> None:
    """Check a head again, or press a button; a check run that is not ours changes nothing."""
    if delivery.action not in {"rerequested", "requested_action"}:
        return
    event = read(CheckRunEvent, delivery.body)
    run = _shown(books, event)
    if run is None:
        return
    where = see_repository(books, event.repository, event.installation)
    if delivery.action == "rerequested":
        _rerun(books, where, event.check_run.head_sha, event.sender)
    else:
        _press(books, where, event, run, delivery.id)


def hear_check_suite(delivery: Delivery, books: Books) -> None:
    """Make sure that the head of a suite is checked, or check it again."""
    if delivery.action not in {"requested", "rerequested"}:
        return
    event = read(CheckSuiteEvent, delivery.body)
    where = see_repository(books, event.repository, event.installation)
    head = event.check_suite.head_sha
    if delivery.action == "rerequested":
        _rerun(books, where, head, event.sender)
        return
    for pull in books.pulls.with_head(where.id, head):
        ensure(books, pull, where, f"checks of pull request {pull.number} requested")


def hear_merge_group(delivery: Delivery, books: Books) -> None:
    """Check what a merge queue is about to merge, on its own commit."""
    if delivery.action not in {"checks_requested", "destroyed"}:
        return
    event = read(MergeGroupEvent, delivery.body)
    where = see_repository(books, event.repository, event.installation)
    group = event.merge_group
    if delivery.action == "checks_requested":
        base_ref = group.base_ref.removeprefix(_BRANCHES)
        books.runs.ask(
            Job(
                repository=where.full_name,
                base=group.base_sha,
                head=group.head_sha,
                reason=f"merge queue of {base_ref}",
                private=where.private,
                fork=False,
                repository_id=where.id,
                installation=where.installation or None,
                key=automatic_key(where.id, group.head_sha, base_ref),
            )
        )
        return
    for run in books.runs.of_head(where.id, group.head_sha):
        if run.job.pull is None and not run.state.over:
            books.runs.cancel(run.id, "the merge group was taken apart")


def _rerun(books: Books, where: Repository, head: str, sender: Account) -> None:
    """Ask for another check of a head.

    The button of a suite sends two events; both find as many checks that
    are over, which makes them one errand.  Another's press is one of its
    own: it may be allowed where the first was not.
    """
    if not where.installation:
        return
    over = sum(run.state.over for run in books.runs.of_head(where.id, head))
    books.errands.add(
        Errand(
            ErrandKind.RERUN,
            where.installation,
            _lane(books, where.id, head),
            f"rerun:{where.id}:{head}:{over}:{sender.login}",
            order={
                "repository_id": where.id,
                "head": head,
                "sender": sender.login,
                "sender_id": sender.id,
            },
        )
    )


def _shown(books: Books, event: CheckRunEvent) -> RunRecord | None:
    """Return the run that a check run shows; ``None`` for one that we did not make.

    Everybody can read the ``external_id`` of ours, so that it alone proves nothing.
    """
    run = books.runs.by_check_run(event.check_run.id)
    if run is None or run.job.repository_id != event.repository.id:
        return None
    return run if run.id == event.check_run.external_id else None


def _press(
    books: Books, where: Repository, event: CheckRunEvent, run: RunRecord, delivery: str
) -> None:
    if event.requested_action is None:
        raise MalformedError("requested_action: Field required")
    if not where.installation:
        return
    lane = (
        pull_lane(where.id, run.job.pull)
        if run.job.pull is not None
        else _lane(books, where.id, event.check_run.head_sha)
    )
    books.errands.add(
        Errand(
            ErrandKind.BUTTON,
            where.installation,
            lane,
            f"button:{delivery}",
            run=run.id,
            order={
                "repository_id": where.id,
                "check_run": event.check_run.id,
                "identifier": event.requested_action.identifier,
                "sender": event.sender.login,
                "sender_id": event.sender.id,
                "delivery": delivery,
            },
        )
    )


def _lane(books: Books, repository: int, head: str) -> str:
    """The lane of a head: its pull request's, where there is just one."""
    pulls = books.pulls.with_head(repository, head)
    opened = [pull for pull in pulls if pull.open] or list(pulls)
    return pull_lane(repository, opened[0].number) if opened else head_lane(repository, head)
