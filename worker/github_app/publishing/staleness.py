"""Staleness check of a run against what its pull request waits for."""

from __future__ import annotations

from enum import Enum, auto
from itertools import takewhile

from github.PullRequest import PullRequest

from worker.github_app.client.objects import pull_request
from worker.github_app.context import PULL_PERMISSIONS, PublishContext
from worker.github_app.events.pull_request_events import ensure_checked, pull_request_of
from worker.github_app.publishing.related_runs import is_partial
from worker.store.records import RunState


class StaleError(Exception):
    """Nobody waits for this run any more: publish nothing."""


class Staleness(Enum):
    """The parts of a run that may be published."""

    CURRENT = auto()
    CLOSED = auto()
    STALE = auto()


def staleness_of(publish_context: PublishContext) -> tuple[Staleness, PullRequest | None]:
    """Ask the store for a newer run, and GitHub for the pull request as it is now.

    A run without a pull request (a merge queue's, an audit's) is always
    current.  Of a closed pull request only the check run is finished.  A
    rerun of a part supersedes no other run of its commit; nor does a run of
    another commit, to which people may come back.
    """
    run = publish_context.run
    if run.job.pull is None:
        return Staleness.CURRENT, None
    with publish_context.context.store.read() as unit:
        newest_first = unit.runs.of_pull(publish_context.repository, run.job.pull)
    if any(
        other.state is not RunState.CANCELLED
        and other.job.head == run.job.head
        and not is_partial(other.job.options)
        for other in takewhile(lambda other: other.id != run.id, newest_first)
    ):
        return Staleness.STALE, None
    pull = _pull_now(publish_context, run.job.pull)
    if pull.head.sha != publish_context.head:
        return Staleness.STALE, pull
    return (Staleness.CURRENT if pull.state == "open" else Staleness.CLOSED), pull


def ensure_current(publish_context: PublishContext) -> None:
    """Raise ``StaleError`` unless a run may be told of in its open pull request."""
    if staleness_of(publish_context)[0] is not Staleness.CURRENT:
        raise StaleError(publish_context.run.id)


def check_current_head(publish_context: PublishContext, pull: PullRequest | None) -> None:
    """Have the head that GitHub has now checked, where we took another one for it.

    ``pull`` is the pull request as GitHub has it, if it was asked.  Two pushes
    within one second whose events came in the wrong order cannot be told
    apart by their times.
    """
    number, repository = publish_context.run.job.pull, publish_context.repository
    if number is None:
        return
    store = publish_context.context.store
    with store.read() as unit:
        known = unit.pulls.get(repository, number)
        where = unit.installations.repository(repository)
    if known is None or where is None or known.head != publish_context.head:
        return
    now = pull_request_of(pull or _pull_now(publish_context, number), repository)
    with store.write() as unit:
        if unit.pulls.see(now):
            ensure_checked(unit, now, where, f"head of pull request {number} found at GitHub")


def _pull_now(publish_context: PublishContext, number: int) -> PullRequest:
    return pull_request(publish_context.api(PULL_PERMISSIONS), publish_context.name, number)
