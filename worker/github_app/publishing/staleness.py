"""Whether a run is still the one that its pull request waits for."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from itertools import takewhile

from worker.github_app.client import pulls
from worker.github_app.context import PULL_PERMISSIONS, PublishDestination, TaskContext
from worker.github_app.events.pull_request_events import ensure_checked, pull_request_of
from worker.github_app.publishing.related_runs import is_partial
from worker.store.records import RunRecord, RunState


class StaleError(Exception):
    """Nobody waits for this run any more: publish nothing."""


class Staleness(Enum):
    """What may be published of a run."""

    CURRENT = auto()
    CLOSED = auto()
    STALE = auto()


def staleness_of(
    run: RunRecord, destination: PublishDestination, context: TaskContext
) -> Staleness:
    """Ask the store for a newer run, and GitHub for the head as it is now.

    A run without a pull request (a merge queue's, an audit's) is always
    current.  Of a closed pull request only the check run is finished.  A
    rerun of a part supersedes no other run of its commit; nor does a run of
    another commit, to which people may come back.
    """
    if destination.pull is None:
        return Staleness.CURRENT
    with context.store.read() as unit:
        if _is_superseded(run, unit.runs.of_pull(destination.repository, destination.pull)):
            return Staleness.STALE
    api = context.api(destination.installation, destination.repository, **PULL_PERMISSIONS)
    pull = pulls.get(api, destination.name, destination.pull)
    if pull.head.sha != destination.head:
        return Staleness.STALE
    return Staleness.CURRENT if pull.state == "open" else Staleness.CLOSED


def ensure_current(run: RunRecord, destination: PublishDestination, context: TaskContext) -> None:
    """Raise ``StaleError`` unless a run may be told of in its open pull request."""
    if staleness_of(run, destination, context) is not Staleness.CURRENT:
        raise StaleError(run.id)


def _is_superseded(run: RunRecord, newest_first: Sequence[RunRecord]) -> bool:
    newer = takewhile(lambda other: other.id != run.id, newest_first)
    return any(
        other.state is not RunState.CANCELLED
        and other.job.head == run.job.head
        and not is_partial(other.job.options)
        for other in newer
    )


def check_current_head(destination: PublishDestination, context: TaskContext) -> None:
    """Have the head that GitHub has now checked, where we took another one for it.

    Two pushes within one second whose events came in the wrong order cannot
    be told apart by their times.
    """
    if destination.pull is None:
        return
    with context.store.read() as unit:
        known = unit.pulls.get(destination.repository, destination.pull)
        where = unit.installations.repository(destination.repository)
    if known is None or where is None or known.head != destination.head:
        return
    api = context.api(destination.installation, destination.repository, **PULL_PERMISSIONS)
    pull = pull_request_of(
        pulls.get(api, destination.name, destination.pull), destination.repository
    )
    with context.store.write() as unit:
        if unit.pulls.see(pull):
            ensure_checked(unit, pull, where, f"head of pull request {pull.number} found at GitHub")
