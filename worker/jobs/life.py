"""Carrying out a recorded run, with or without a broker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded

from worker.errors import MachineError, UsageError
from worker.queue import Limits, Queue, QueueDownError
from worker.settings.server import Settings
from worker.store import Attempt, Busy, Over, RunRecord, Store

_log = logging.getLogger(__name__)

Examine = Callable[[RunRecord, Settings], Mapping[str, Any]]


def carry_out(run_id: str, settings: Settings, examine: Examine) -> Attempt | Busy | Over:
    """Attempt a run, unless it is under way or over; its end is in the store.

    Whatever goes wrong is ours: the run fails with a sentence, and with an
    incident to look up in the log where no sentence would help.
    """
    with Store(settings.store.url) as store:
        lease = Limits.of(settings).hard
        attempt = store.start_run(run_id, lease=lease, limit=settings.queue.attempts)
        if isinstance(attempt, Attempt):
            _log.info("run %s, attempt %d", run_id, attempt.number)
            _try(attempt, settings, store, examine)
        return attempt


def _try(attempt: Attempt, settings: Settings, store: Store, examine: Examine) -> None:
    try:
        document = examine(attempt.run, settings)
    except (UsageError, MachineError) as error:
        store.fail_run(attempt, str(error))
    except SoftTimeLimitExceeded:
        store.fail_run(attempt, "it took longer than a run may take")
    except Exception:  # noqa: BLE001 the one place where a job's unknown error ends
        incident = attempt.run.id[:12]
        _log.exception("incident %s", incident)
        store.fail_run(attempt, f"something of ours broke (incident {incident})")
    else:
        store.finish_run(attempt, document)


def bury(run_id: str, store: Store, *, timed_out: bool) -> bool:
    """Settle a run whose process has ended; whether to try it again."""
    if timed_out:
        store.stop_run(run_id, "it took longer than a run may take and was stopped")
        return False
    return store.release_run(run_id)


def resend(store: Store, queue: Queue) -> None:
    """Tell the queue again of the runs that it never took or has lost."""
    for run_id in store.stranded_runs():
        try:
            queue.enqueue(run_id)
        except QueueDownError:
            _log.warning("run %s waits in the store", run_id)
            return
        store.mark_enqueued(run_id)
