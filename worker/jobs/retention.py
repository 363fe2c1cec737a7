"""What is kept for how long: old runs go, and those of repositories that are gone.

A run's files go before its row, so that a clock that dies in between finds
the rest in the next period.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from worker.settings.server import Settings
from worker.shelving import forget, owner_at_github
from worker.store import Store
from worker.store.blobs import Blobs

MOST_RUNS = 500
"""How many runs go in one period at most."""

FILES = "runs"
"""Below it each run's files lie, under its id."""

_log = logging.getLogger(__name__)


def remove_old(settings: Settings, store: Store, blobs: Blobs, now: datetime) -> int:
    """Delete runs that ended ``[store] keep_days`` ago; returns how many."""
    before = now - timedelta(days=settings.store.keep_days)
    with store.look() as books:
        runs = books.runs.older(before, MOST_RUNS)
    _remove(runs, store, blobs)
    if runs:
        _log.info("%d runs were older than %d days", len(runs), settings.store.keep_days)
    return len(runs)


def remove_orphans(settings: Settings, store: Store, blobs: Blobs) -> int:
    """Delete the ended runs of repositories that the App no longer sees; returns how many.

    What ML APIs answered about them goes too, where it lies on this machine.
    """
    with store.look() as books:
        runs = books.runs.orphaned(MOST_RUNS)
    for repository in sorted({name for _, name in runs}):
        forget(settings.recordings_folder, owner_at_github(repository))
    _remove([run for run, _ in runs], store, blobs)
    if runs:
        _log.info("%d runs belonged to repositories that are gone", len(runs))
    return len(runs)


def _remove(runs: Sequence[str], store: Store, blobs: Blobs) -> None:
    for run in runs:
        blobs.remove(f"{FILES}/{run}")
        with store.begin() as books:
            books.runs.delete(run)
