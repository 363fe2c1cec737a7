"""What is done now and then; any number of clocks may run at a time.

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

from worker.jobs.packing import CLONES, clone_key
from worker.jobs.retention import remove_old, remove_orphans
from worker.queue import BEAT, QUEUES, Bell, Queue, QueueDownError, open_queue
from worker.settings.server import Settings
from worker.store import Store
from worker.store.blobs import Blobs
from worker.store.books import Books
from worker.store.lanes import APP, audit_lane, lane_of
from worker.store.records import (
    Errand,
    ErrandKind,
    Repository,
    RunRecord,
    RunState,
    WorkerRecord,
    WorkerState,
)

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

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """What the chores work with."""

    settings: Settings
    store: Store
    queue: Queue
    blobs: Blobs
    now: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to do every so many seconds; told the number of the period.

    Periods begin ``offset`` seconds after midnight (UTC), so that all clocks
    count alike.
    """

    name: str
    seconds: float
    act: Callable[[Place, int], None]
    offset: float = 0.0

    def period(self, now: datetime) -> int:
        """The number of the period that a time lies in."""
        return int((now.timestamp() - self.offset) // self.seconds)


class Clock:
    """Does each chore once a period; one that fails is tried again in the next second."""

    def __init__(self, place: Place, chores: Sequence[Chore] | None = None) -> None:
        self._place = place
        self._chores = CHORES if chores is None else chores
        self._done: dict[str, int] = {}

    def tick(self) -> None:
        """Do what is due."""
        for chore in self._chores:
            period = chore.period(self._place.now())
            if self._done.get(chore.name) == period:
                continue
            try:
                chore.act(self._place, period)
            except (SQLAlchemyError, OSError) as error:
                _log.warning("%s: the store does not answer (%s)", chore.name, type(error).__name__)
            except Exception:  # noqa: BLE001 - one chore must not keep others from their turn
                _log.exception("%s broke; again in the next period", chore.name)
                self._done[chore.name] = period
            else:
                self._done[chore.name] = period


def run(settings: Settings, stop: Event) -> None:
    """Tick every second until ``stop`` is set."""
    with Store(settings.store.url) as store:
        place = Place(settings, store, open_queue(settings, store), Blobs(settings.store.blobs))
        name = WorkerRecord(
            uuid.uuid4().hex, socket.gethostname(), WorkerState.READY, queues=(BEAT,)
        )
        clock = Clock(place, (*CHORES, Chore("presence", PRESENT_SECONDS, partial(_see, name))))
        while not stop.is_set():
            clock.tick()
            stop.wait(1.0)
        with suppress(SQLAlchemyError), store.begin() as books:
            books.roster.leave(name.id)


def _see(name: WorkerRecord, place: Place, _period: int) -> None:
    with place.store.begin() as books:
        books.roster.see(name)


# --------------------------------------------------------------------- runs


def sweep(place: Place, _period: int) -> None:
    """Settle the runs of dead workers, and ring for whatever waits unheard."""
    with place.store.begin() as books:
        waiting = books.runs.expired(place.settings.queue.attempts)
        _waive_gpu(books, place.settings)
    if waiting:
        _log.warning("%d runs lost their worker and wait again", len(waiting))
    empty = _empty(place.queue)
    with place.store.look() as books:
        stranded = set(books.runs.stranded(unsent=UNSENT_SECONDS, unheard=UNHEARD_SECONDS))
        doubted = books.runs.stranded(unsent=UNSENT_SECONDS, unheard=LOST_SECONDS)
        found = [books.runs.get(run_id) for run_id in dict.fromkeys((*waiting, *doubted))]
    certain = stranded.union(waiting)
    _ring([run for run in found if run and (run.id in certain or run.queue in empty)], place)


def _empty(queue: Queue) -> frozenset[str]:
    """The queues that hold nothing, and so may have forgotten what they took."""
    try:
        return frozenset(name for name in QUEUES if queue.depth(name) == 0)
    except QueueDownError:
        return frozenset()


def _ring(runs: Sequence[RunRecord], place: Place) -> None:
    bell = Bell(place.queue, place.store)
    for run in runs:
        if not bell.heard(run):
            return


def _waive_gpu(books: Books, settings: Settings) -> None:
    """Let runs do without a GPU that waited for one too long, while nobody has one."""
    if any(
        worker.state is WorkerState.READY and "gpu" in worker.queues
        for worker in books.roster.present()
    ):
        return
    wait = settings.queue.gpu_wait if settings.queue.gpu == "auto" else 0.0
    for run_id in books.runs.overdue("gpu", wait):
        _log.warning("run %s goes on without a GPU", run_id)
        books.runs.route(run_id, "cpu", without_gpu=True)


def tell_started(place: Place, _period: int) -> None:
    """Ask for it to be shown that a run is under way, once for each attempt."""
    _tell(place, lambda run: f"attempt {run.attempts}")


def tell_progress(place: Place, _period: int) -> None:
    """Ask for what each run is doing to be shown, once for each thing that it does."""
    _tell(place, _doing)


def _doing(run: RunRecord) -> str:
    return hashlib.sha256(f"{run.attempts} {run.progress or ''}".encode()).hexdigest()[:16]


def _tell(place: Place, what: Callable[[RunRecord], str]) -> None:
    with place.store.look() as books:
        running = [run for run in books.runs.alive() if run.state is RunState.RUNNING]
    errands = [errand for run in running if (errand := _progress(run, what(run))) is not None]
    if errands:
        with place.store.begin() as books:
            for errand in errands:
                books.errands.add(errand)


def _progress(run: RunRecord, what: str) -> Errand | None:
    if run.job.installation is None:
        return None
    return Errand(
        kind=ErrandKind.PROGRESS,
        installation=run.job.installation,
        lane=lane_of(run.job),
        key=f"{ErrandKind.PROGRESS}:{run.id}:{what}",
        run=run.id,
    )


# ------------------------------------------------------------------- GitHub


def ask_for_redelivery(place: Place, _period: int) -> None:
    """Let GitHub be asked for what it could not deliver, once a period of the operator's.

    Once an hour it is asked about all the time that it keeps events for.
    """
    github, now = place.settings.github, place.now().timestamp()
    if github.app_id is None:
        return
    periods = (("deep", DEEP_SECONDS), (f"{github.redelivery:g}", github.redelivery))
    keys = {f"{ErrandKind.REDELIVER}:{name}:{now // length:.0f}": name for name, length in periods}
    with place.store.look() as books:
        missing = [key for key in keys if not books.errands.knows(key)]
    for key in missing:
        order = {"deep": keys[key] == "deep"}
        with place.store.begin() as books:
            books.errands.add(Errand(ErrandKind.REDELIVER, 0, APP, key, order=order))


def ask_for_audits(place: Place, period: int) -> None:
    """Let the repositories that the operator named be audited, once a night."""
    globs = place.settings.github.audit
    if not globs:
        return
    date = datetime.fromtimestamp(period * AUDIT_SECONDS, UTC).date().isoformat()
    with place.store.begin() as books:
        for repository in _audited(books, globs):
            books.errands.add(
                Errand(
                    kind=ErrandKind.AUDIT,
                    installation=repository.installation,
                    lane=audit_lane(repository.id),
                    key=f"{ErrandKind.AUDIT}:{repository.id}:{date}",
                    order={"repository_id": repository.id, "date": date},
                )
            )


def _audited(books: Books, globs: Sequence[str]) -> Iterator[Repository]:
    for installation in books.installations.all():
        if not installation.suspended:
            for repository in books.installations.repositories(installation.id):
                name = repository.full_name.lower()
                if any(fnmatchcase(name, glob.lower()) for glob in globs):
                    yield repository


# ------------------------------------------------------------------- tidying


def tidy(place: Place, _period: int) -> None:
    """Forget what nobody will ask for: old bodies, errands done, clones of runs that are over."""
    now = place.now()
    with place.store.begin() as books:
        books.deliveries.purge(now - KEPT)
        books.errands.purge(now - ERRANDS_KEPT)
        books.leases.purge(now - KEPT)
    for name in place.blobs.names(CLONES):
        run_id = name.removesuffix(".tar")
        with place.store.look() as books:
            run = books.runs.get(run_id)
        if run is None or run.state.over:
            place.blobs.remove(clone_key(run_id))


def retire(place: Place, _period: int) -> None:
    """Delete runs that are older than the operator keeps them."""
    remove_old(place.settings, place.store, place.blobs, place.now())


def forget(place: Place, _period: int) -> None:
    """Delete what is left of repositories that the App no longer sees."""
    remove_orphans(place.settings, place.store, place.blobs)


CHORES = (
    Chore("sweep", SWEEP_SECONDS, sweep),
    Chore("starts", STARTED_SECONDS, tell_started),
    Chore("progress", PROGRESS_SECONDS, tell_progress),
    Chore("redelivery", REDELIVER_SECONDS, ask_for_redelivery),
    Chore("audits", AUDIT_SECONDS, ask_for_audits, offset=AUDIT_HOUR),
    Chore("tidying", TIDY_SECONDS, tidy),
    Chore("retention", TIDY_SECONDS, retire),
    Chore("forgetting", FORGET_SECONDS, forget),
)
"""Everything that is done now and then."""
