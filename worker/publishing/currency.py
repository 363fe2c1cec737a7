"""Whether a run is still the one that its pull request waits for."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from itertools import takewhile

from worker.composition.carrying import is_partial
from worker.github import pulls
from worker.publishing.desk import Desk
from worker.publishing.place import PULL_PERMISSIONS, Place
from worker.store import RunRecord, RunState


class StaleError(Exception):
    """Nobody waits for this run any more: publish nothing."""


class Currency(Enum):
    """What may be published of a run."""

    CURRENT = auto()
    CLOSED = auto()
    STALE = auto()


def currency(run: RunRecord, place: Place, desk: Desk) -> Currency:
    """Ask the store for a newer run, and GitHub for the head as it is now.

    A run without a pull request (a merge queue's, an audit's) is always
    current.  Of a closed pull request only the check run is finished.  A
    rerun of a part supersedes no other run of its commit; nor does a run of
    another commit, to which people may come back.
    """
    if place.pull is None:
        return Currency.CURRENT
    with desk.store.look() as books:
        if _is_superseded(run, books.runs.of_pull(place.repository, place.pull)):
            return Currency.STALE
    api = desk.api(place.installation, place.repository, **PULL_PERMISSIONS)
    pull = pulls.get(api, place.name, place.pull)
    if pull.head.sha != place.head:
        return Currency.STALE
    return Currency.CURRENT if pull.open else Currency.CLOSED


def ensure_current(run: RunRecord, place: Place, desk: Desk) -> None:
    """Raise ``StaleError`` unless a run may be told of in its open pull request."""
    if currency(run, place, desk) is not Currency.CURRENT:
        raise StaleError(run.id)


def _is_superseded(run: RunRecord, newest_first: Sequence[RunRecord]) -> bool:
    newer = takewhile(lambda other: other.id != run.id, newest_first)
    return any(
        other.state is not RunState.CANCELLED
        and other.job.head == run.job.head
        and not is_partial(other.job.options)
        for other in newer
    )
