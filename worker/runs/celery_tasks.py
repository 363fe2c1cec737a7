"""Tasks and start of a Celery worker."""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import bootsteps, shared_task, signals
from celery.exceptions import TimeLimitExceeded
from celery.worker import state

from worker.check.leftovers import remove_leftovers
from worker.runs.examination import examine
from worker.runs.readiness import HEARTBEAT_SECONDS, Admission
from worker.runs.run_attempt import carry_out, settle_dead
from worker.settings.operator_settings import Settings, read_settings
from worker.store.records import RunBusy, RunOver
from worker.store.run_queue import CHECK, BrokerQueue, QueueNotifier
from worker.store.store import Store
from worker.system import logs

_log = logging.getLogger(__name__)


def _check(task: Any, run_id: str) -> None:
    """Carry out a run; one that another worker has is left to it, and to the clock."""
    settings = read_settings()
    with logs.bound(run=run_id), Store(settings.store.url) as store:
        notify = QueueNotifier(BrokerQueue(task.app), store)
        outcome = carry_out(run_id, settings, examine, notify)
        if isinstance(outcome, RunBusy | RunOver):
            _log.info("run %s is left alone: %s", run_id, outcome)


check: Any = shared_task(name=CHECK, bind=True)(_check)


def _ended(sender: Any, args: Any, exception: BaseException, **_: object) -> None:
    """Settle the run of a process that was killed, or that failed to say so."""
    if sender.name == CHECK:
        settings = read_settings()
        remove_leftovers(settings)
        _settle(args[0], settings, sender.app, isinstance(exception, TimeLimitExceeded))


def _settle(run_id: str, settings: Settings, celery: Any, timed_out: bool) -> None:  # noqa: FBT001
    with Store(settings.store.url) as store:
        if settle_dead(run_id, store, timed_out=timed_out):
            with store.read() as unit:
                run = unit.runs.get(run_id)
            if run is not None:
                QueueNotifier(BrokerQueue(celery), store)(run)


def _log_as_all(**_: object) -> None:
    """Keep Celery from a form of its own."""
    logs.configure()


signals.task_failure.connect(_ended, weak=False)
signals.setup_logging.connect(_log_as_all, weak=False)


class Gate(bootsteps.StartStopStep):  # type: ignore[misc]
    """Starts before the consumer, and lets it start when the isolation holds.

    Until then the worker asks the broker for nothing: jobs stay for others.
    """

    requires = ("celery.worker.components:Timer",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        queues = tuple(sorted(parent.app.amqp.queues.consume_from))
        self._admission = Admission(read_settings(), queues=queues)

    def start(self, parent: Any) -> None:
        """Return when the isolation holds; a signal to stop ends the wait."""
        try:
            self._admission.admit(_stopping)
        except BaseException:
            self._admission.leave()
            raise
        parent.timer.call_repeatedly(HEARTBEAT_SECONDS, self._admission.beat)

    def stop(self, parent: Any) -> None:
        """Say that the worker ends."""
        del parent
        self._admission.leave()

    terminate = stop


def _stopping(seconds: float) -> bool:
    """Wait; raises what Celery ends a worker with when it was told to stop."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        state.maybe_shutdown()
        time.sleep(0.2)
    return False
