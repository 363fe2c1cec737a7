"""What a Celery worker does."""

from __future__ import annotations

import logging
from typing import Any

from celery import bootsteps, shared_task, signals
from celery.exceptions import TimeLimitExceeded
from sqlalchemy.exc import SQLAlchemyError

from worker.jobs.examination import examine
from worker.jobs.life import bury, carry_out, resend
from worker.queue import CHECK, BrokerQueue
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
