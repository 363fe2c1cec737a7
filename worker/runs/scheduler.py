"""Periodic jobs; any number of schedulers may run at a time.

Whatever must happen once in a period has the period's number in its key,
and everything else does no harm when it is done twice.
"""

from __future__ import annotations

import hashlib
import logging
import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import partial
from threading import Event

from sqlalchemy.exc import SQLAlchemyError

from worker.check.result_store import results_prefix
from worker.settings.operator_settings import Settings
from worker.store.blobs import CLONES, Blobs, clone_key
from worker.store.outbox_tasks import APP_ORDERING_KEY, audit_ordering_key
from worker.store.queue_names import QUEUES, SCHEDULER
from worker.store.records import (
    OutboxTask,
    OutboxTaskKind,
    RepositoryRecord,
    RunRecord,
    RunState,
    WorkerRecord,
    WorkerState,
)
from worker.store.run_queue import (
    Queue,
    QueueDownError,
    QueueNotifier,
    open_queue,
)
from worker.store.store import Store, UnitOfWork
from worker.system.recording_folders import delete_recordings, owner_at_github

MAX_RUNS = 500
"""How many runs go in one period at most."""

FILES = "runs"
"""Below it each run's files lie, under its id."""

_log = logging.getLogger(__name__)


SWEEP_SECONDS = 10.0
PRESENT_SECONDS = 15.0
STARTED_SECONDS = 5.0
PROGRESS_SECONDS = 30.0
REDELIVER_SECONDS = 5.0
DEEP_SECONDS = 3600.0
AUDIT_SECONDS = 86_400.0
AUDIT_HOUR = 2 * 3600.0
TIDY_SECONDS = 3600.0
FORGET_SECONDS = 60.0
UNSENT_SECONDS = 10.0
LOST_SECONDS = 30.0
UNHEARD_SECONDS = 3600.0
KEPT = timedelta(days=4)
ERRANDS_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class SchedulerContext:
    """The objects that scheduled tasks work with."""

    settings: Settings
    store: Store
    queue: Queue
    blobs: Blobs
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Something to do every so many seconds; told the number of the period.

    Periods begin ``offset`` seconds after midnight (UTC), so that all clocks
    count alike.
    """

    name: str
    seconds: float
    act: Callable[[SchedulerContext, int], None]
    offset: float = 0.0

    def period(self, now: datetime) -> int:
        """The number of the period that a time lies in."""
        return int((now.timestamp() - self.offset) // self.seconds)


class Scheduler:
    """Does each chore once a period; one that fails is tried again in the next second."""

    def __init__(
        self, context: SchedulerContext, jobs: Sequence[PeriodicJob] | None = None
    ) -> None:
        self._context = context
        self._jobs = PERIODIC_JOBS if jobs is None else jobs
        self._done: dict[str, int] = {}

    def tick(self) -> None:
        """Do what is due."""
        for job in self._jobs:
            period = job.period(self._context.now())
            if self._done.get(job.name) == period:
                continue
            try:
                job.act(self._context, period)
            except (SQLAlchemyError, OSError) as error:
                _log.warning("%s: the store does not answer (%s)", job.name, type(error).__name__)
            except Exception:  # noqa: BLE001 - one chore must not keep others from their turn
                _log.exception("%s broke; again in the next period", job.name)
                self._done[job.name] = period
            else:
                self._done[job.name] = period


def run(settings: Settings, stop: Event) -> None:
    """Tick every second until ``stop`` is set."""
    with Store(settings.store.url) as store:
        context = SchedulerContext(
            settings, store, open_queue(settings, store), Blobs(settings.store.blobs)
        )
        name = WorkerRecord(
            uuid.uuid4().hex, socket.gethostname(), WorkerState.READY, queues=(SCHEDULER,)
        )
        clock = Scheduler(
            context, (*PERIODIC_JOBS, PeriodicJob("presence", PRESENT_SECONDS, partial(_see, name)))
        )
        while not stop.is_set():
            clock.tick()
            stop.wait(1.0)
        with suppress(SQLAlchemyError), store.write() as unit:
            unit.workers_present.leave(name.id)


def _see(name: WorkerRecord, context: SchedulerContext, _period: int) -> None:
    with context.store.write() as unit:
        unit.workers_present.see(name)


# --------------------------------------------------------------------- runs


def settle_expired(context: SchedulerContext, _period: int) -> None:
    """Settle the runs of dead workers, and ring for whatever waits unheard."""
    with context.store.write() as unit:
        waiting = unit.runs.expired(context.settings.queue.attempts)
        _waive_gpu(unit, context.settings)
    if waiting:
        _log.warning("%d runs lost their worker and wait again", len(waiting))
    empty = _empty(context.queue)
    with context.store.read() as unit:
        stranded = set(unit.runs.stranded(unsent=UNSENT_SECONDS, unheard=UNHEARD_SECONDS))
        doubted = unit.runs.stranded(unsent=UNSENT_SECONDS, unheard=LOST_SECONDS)
        found = [unit.runs.get(run_id) for run_id in dict.fromkeys((*waiting, *doubted))]
    certain = stranded.union(waiting)
    _notify([run for run in found if run and (run.id in certain or run.queue in empty)], context)


def _empty(queue: Queue) -> frozenset[str]:
    """The queues that hold nothing, and so may have forgotten what they took."""
    try:
        return frozenset(name for name in QUEUES if queue.depth(name) == 0)
    except QueueDownError:
        return frozenset()


def _notify(runs: Sequence[RunRecord], context: SchedulerContext) -> None:
    notifier = QueueNotifier(context.queue, context.store)
    for run in runs:
        if not notifier.heard(run):
            return


def _waive_gpu(unit: UnitOfWork, settings: Settings) -> None:
    """Let runs do without a GPU that waited for one too long, while nobody has one."""
    if any(
        worker.state is WorkerState.READY and "gpu" in worker.queues
        for worker in unit.workers_present.present()
    ):
        return
    wait = settings.queue.gpu_wait if settings.queue.gpu == "auto" else 0.0
    for run_id in unit.runs.overdue("gpu", wait):
        _log.warning("run %s goes on without a GPU", run_id)
        unit.runs.route(run_id, "cpu", without_gpu=True)


def report_started(context: SchedulerContext, _period: int) -> None:
    """Ask for it to be shown that a run is under way, once for each attempt."""
    _add_progress_tasks(context, lambda run: f"attempt {run.attempts}")


def report_progress(context: SchedulerContext, _period: int) -> None:
    """Ask for what each run is doing to be shown, once for each thing that it does."""
    _add_progress_tasks(context, _doing)


def _doing(run: RunRecord) -> str:
    return hashlib.sha256(f"{run.attempts} {run.progress or ''}".encode()).hexdigest()[:16]


def _add_progress_tasks(context: SchedulerContext, what: Callable[[RunRecord], str]) -> None:
    with context.store.read() as unit:
        alive = unit.runs.alive()
    running = [run for run in alive if run.state is RunState.RUNNING and run.job.installation]
    if running:
        with context.store.write() as unit:
            for run in running:
                unit.outbox_tasks.add_for(OutboxTaskKind.PROGRESS, run, what(run))


# ------------------------------------------------------------------- GitHub


def request_redelivery(context: SchedulerContext, _period: int) -> None:
    """Let GitHub be asked for what it could not deliver, once a period of the operator's.

    Once an hour it is asked about all the time that it keeps events for.
    """
    github, now = context.settings.github, context.now().timestamp()
    if github.app_id is None:
        return
    periods = (("deep", DEEP_SECONDS), (f"{github.redelivery:g}", github.redelivery))
    keys = {
        f"{OutboxTaskKind.REDELIVER}:{name}:{now // length:.0f}": name for name, length in periods
    }
    with context.store.read() as unit:
        missing = [key for key in keys if not unit.outbox_tasks.knows(key)]
    for key in missing:
        order = {"deep": keys[key] == "deep"}
        with context.store.write() as unit:
            unit.outbox_tasks.add(
                OutboxTask(OutboxTaskKind.REDELIVER, 0, APP_ORDERING_KEY, key, order=order)
            )


def request_audits(context: SchedulerContext, period: int) -> None:
    """Let the repositories that the operator named be audited, once a night."""
    globs = context.settings.github.audit
    if not globs:
        return
    date = datetime.fromtimestamp(period * AUDIT_SECONDS, UTC).date().isoformat()
    with context.store.write() as unit:
        for repository in _audited(unit, globs):
            unit.outbox_tasks.add(
                OutboxTask(
                    kind=OutboxTaskKind.AUDIT,
                    installation=repository.installation,
                    ordering_key=audit_ordering_key(repository.id),
                    key=f"{OutboxTaskKind.AUDIT}:{repository.id}:{date}",
                    order={"repository_id": repository.id, "date": date},
                )
            )


def _audited(unit: UnitOfWork, globs: Sequence[str]) -> Iterator[RepositoryRecord]:
    for installation in unit.installations.all():
        if not installation.suspended:
            for repository in unit.installations.repositories(installation.id):
                name = repository.full_name.lower()
                if any(fnmatchcase(name, glob.lower()) for glob in globs):
                    yield repository


# ------------------------------------------------------------------- tidying


def tidy(context: SchedulerContext, _period: int) -> None:
    """Forget what nobody will ask for: old bodies, errands done, clones of runs that are over."""
    now = context.now()
    with context.store.write() as unit:
        unit.deliveries.purge(now - KEPT)
        unit.outbox_tasks.purge(now - ERRANDS_KEPT)
        unit.leases.purge(now - KEPT)
    for name in context.blobs.names(CLONES):
        run_id = name.removesuffix(".tar")
        with context.store.read() as unit:
            run = unit.runs.get(run_id)
        if run is None or run.state.over:
            context.blobs.remove(clone_key(run_id))


def delete_old_runs(context: SchedulerContext, _period: int) -> None:
    """Delete runs that ended ``[store] keep_days`` ago."""
    days = context.settings.store.keep_days
    with context.store.read() as unit:
        runs = unit.runs.older(context.now() - timedelta(days=days), MAX_RUNS)
    _delete(runs, context)
    if runs:
        _log.info("%d runs were older than %d days", len(runs), days)


def delete_orphaned_runs(context: SchedulerContext, _period: int) -> None:
    """Delete the ended runs of repositories that the App no longer sees.

    What ML APIs answered about them goes too, where it lies on this machine.
    """
    with context.store.read() as unit:
        runs = unit.runs.orphaned(MAX_RUNS)
    for repository in sorted({name for _, name in runs}):
        delete_recordings(context.settings.recordings_folder, owner_at_github(repository))
        context.blobs.remove(results_prefix(owner_at_github(repository)))
    _delete([run for run, _ in runs], context)
    if runs:
        _log.info("%d runs belonged to repositories that are gone", len(runs))


def _delete(runs: Sequence[str], context: SchedulerContext) -> None:
    for run in runs:
        context.blobs.remove(f"{FILES}/{run}")
        with context.store.write() as unit:
            unit.runs.delete(run)


PERIODIC_JOBS = (
    PeriodicJob("sweep", SWEEP_SECONDS, settle_expired),
    PeriodicJob("starts", STARTED_SECONDS, report_started),
    PeriodicJob("progress", PROGRESS_SECONDS, report_progress),
    PeriodicJob("redelivery", REDELIVER_SECONDS, request_redelivery),
    PeriodicJob("audits", AUDIT_SECONDS, request_audits, offset=AUDIT_HOUR),
    PeriodicJob("tidying", TIDY_SECONDS, tidy),
    PeriodicJob("retention", TIDY_SECONDS, delete_old_runs),
    PeriodicJob("forgetting", FORGET_SECONDS, delete_orphaned_runs),
)
"""Everything that is done now and then."""
