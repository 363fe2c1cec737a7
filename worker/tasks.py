"""What a Celery worker does."""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import bootsteps, shared_task, signals
from celery.exceptions import TimeLimitExceeded
from celery.worker import state
from sqlalchemy.exc import SQLAlchemyError

from worker.jobs.examination import examine
from worker.jobs.life import bury, carry_out, resend
from worker.queue import CHECK, BrokerQueue
from worker.readiness import HEARTBEAT_SECONDS, Admission
from worker.settings.server import read_settings
from worker.store import Busy, Store
from worker.sweeping import sweep

_log = logging.getLogger(__name__)
_SWEEP_SECONDS = 30


def _check(task: Any, run_id: str) -> None:
    outcome = carry_out(run_id, read_settings(), examine)
    if isinstance(outcome, Busy):
        raise task.retry(countdown=outcome.seconds + 1, max_retries=None)


check: Any = shared_task(name=CHECK, bind=True)(_check)


def _ended(sender: Any, args: Any, exception: BaseException, **_: object) -> None:
    """Settle the run of a process that was killed, or that failed to say so."""
    if sender.name == CHECK:
        settings = read_settings()
        sweep(settings)
        with Store(settings.store.url) as store:
            if bury(args[0], store, timed_out=isinstance(exception, TimeLimitExceeded)):
                sender.apply_async(args=args, retry=False)
                store.mark_enqueued(args[0])


signals.task_failure.connect(_ended, weak=False)


class Gate(bootsteps.StartStopStep):  # type: ignore[misc]
    """Starts before the consumer, and lets it start when the isolation holds.

    Until then the worker asks the broker for nothing: jobs stay for others.
    """

    requires = ("celery.worker.components:Timer",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._admission = Admission(read_settings())

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


class Sweeper(bootsteps.StartStopStep):  # type: ignore[misc]
    """Tells the broker now and then of runs that it has lost."""

    requires = ("celery.worker.components:Timer",)

    def start(self, parent: Any) -> None:
        """Sweep for as long as the worker lives."""
        parent.timer.call_repeatedly(_SWEEP_SECONDS, self.sweep, (parent.app,))

    def sweep(self, celery: Any) -> None:
        """Send again what is stranded; a store that is away is asked later."""
        try:
            with Store(read_settings().store.url) as store:
                resend(store, BrokerQueue(celery))
        except SQLAlchemyError:
            _log.exception("the store does not answer")
