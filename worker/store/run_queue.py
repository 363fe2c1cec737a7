"""The queue between the web process and the workers.

A job is a run's id: everything else is in the store.  The web process loads
this module, so tasks are named here and never imported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from celery import Celery
from celery.loaders.app import AppLoader
from kombu.exceptions import OperationalError

from worker.settings.operator_settings import Settings
from worker.store.queue_names import QUEUES
from worker.store.records import RunRecord, RunState
from worker.store.store import Store

_log = logging.getLogger(__name__)

CHECK = "assayer.check"
"""The task that carries out a run; its argument is the run's id."""


class QueueDownError(Exception):
    """The broker does not answer."""


@dataclass(frozen=True, slots=True)
class RunTimeLimits:
    """The time limits of a run, in seconds."""

    soft: int

    @classmethod
    def of(cls, settings: Settings) -> RunTimeLimits:
        """Return the limits that the operator set."""
        return cls(settings.queue.seconds)

    @property
    def early(self) -> int:
        """Return when a run is interrupted, which leaves time for its partial report."""
        return self.soft - self.soft // 20

    @property
    def hard(self) -> int:
        """Return when its process is killed, if it did not heed the soft limit."""
        return self.soft + max(2, self.soft // 30)

    @property
    def visibility(self) -> int:
        """Return when a job whose worker is gone is given to another worker.

        Above the hard limit, or a long job would run twice at a time.
        """
        return self.hard + max(2, self.hard // 10)


class Queue(Protocol):
    """The interface of a queue that the web process and the publisher use."""

    def enqueue(self, run_id: str, queue: str = QUEUES[0]) -> None:
        """Hand over a run; raises ``QueueDownError``."""
        ...

    def depth(self, queue: str | None = None) -> int:
        """Count the runs that wait, in one queue or in all; raises ``QueueDownError``."""
        ...


Notify = Callable[[RunRecord], None]
"""Tells the queue of a run; best effort."""


def open_queue(settings: Settings, store: Store) -> Queue:
    """Return the broker's queue or, without a broker, the store's own table."""
    if settings.queue.url is None:
        return TableQueue(store)
    return BrokerQueue(celery_app(settings.queue.url, RunTimeLimits.of(settings)))


class QueueNotifier:
    """Rings for runs; a queue that is down is logged, and the clock rings again."""

    def __init__(self, queue: Queue, store: Store) -> None:
        self._queue = queue
        self._store = store

    def __call__(self, run: RunRecord) -> None:
        """Ring for one run, if the queue hears."""
        self.heard(run)

    def heard(self, run: RunRecord) -> bool:
        """Ring for one run; whether the queue took it."""
        try:
            self._queue.enqueue(run.id, run.queue)
        except QueueDownError:
            _log.warning("the queue is down; run %s waits in the store", run.id)
            return False
        with self._store.write() as unit:
            unit.runs.mark_enqueued(run.id)
        return True


class BrokerQueue:
    """The queue on the Redis broker of a Celery application."""

    def __init__(self, celery: Celery) -> None:
        self._celery = celery

    def enqueue(self, run_id: str, queue: str = QUEUES[0]) -> None:
        """Publish the job, without waiting for a broker that is away."""
        try:
            self._celery.send_task(CHECK, args=[run_id], queue=queue, retry=False)
        except (OperationalError, OSError) as error:
            raise QueueDownError(str(error)) from error

    def depth(self, queue: str | None = None) -> int:
        """Count the jobs that no worker has taken."""
        connection = self._celery.connection_for_write()
        names = QUEUES if queue is None else (queue,)
        try:
            with connection:
                redis = connection.default_channel.client
                return sum(int(redis.llen(name)) for name in names)
        except (OperationalError, *connection.connection_errors) as error:
            raise QueueDownError(str(error)) from error


class TableQueue:
    """No broker: a recorded run waits in the store for the one process."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def enqueue(self, run_id: str, queue: str = QUEUES[0]) -> None:
        """Do nothing more: the run is where the process looks."""

    def depth(self, queue: str | None = None) -> int:
        """Count the runs that wait in the store, whichever queue they are for."""
        del queue
        with self._store.read() as unit:
            return unit.runs.count()[RunState.QUEUED]


class _Loader(AppLoader):  # type: ignore[misc] # celery is not typed
    """Celery's loader, without the current folder, where Celery looks first."""

    def import_from_cwd(
        self, module: str, imp: Callable[..., ModuleType] | None = None, package: str | None = None
    ) -> ModuleType:
        """Import a module from where our own are."""
        return (imp or import_module)(module, package=package)

    def find_module(self, module: str) -> ModuleType:
        """Import a module from where our own are."""
        return import_module(module)


def celery_app(url: str, limits: RunTimeLimits) -> Celery:
    """Return the Celery application on the broker at ``url``.

    A job is acknowledged when it is done; a process takes one at a time.
    The job of a process that died under a living worker is sent again by
    ``worker.runs.celery_tasks``, that of a dead worker by the clock when its lease ends.
    """
    celery: Any = Celery(
        "assayer", broker=url, include=["worker.runs.celery_tasks"], loader=_Loader
    )
    celery.set_default()
    celery.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        task_soft_time_limit=limits.soft,
        task_time_limit=limits.hard,
        task_queues={name: {} for name in QUEUES},
        task_default_queue=QUEUES[0],
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_max_tasks_per_child=50,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_timeout=2,
        broker_transport_options={
            "visibility_timeout": limits.visibility,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "socket_connect_timeout": 2,
            "socket_timeout": 10,
            "max_retries": 0,
        },
    )
    celery.steps["worker"].add("worker.runs.celery_tasks:Gate")
    application: Celery = celery
    return application
