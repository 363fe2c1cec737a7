"""Doing the errands of a lane, one after the other, and what becomes of each."""

from __future__ import annotations

import logging
import socket
import time
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from threading import Event, Lock

from sqlalchemy.exc import SQLAlchemyError

from worker.github_app.client.errors import (
    ForbiddenError,
    GithubError,
    GoneError,
    NotFoundError,
    RateLimitedError,
    SuspendedError,
    UnauthorizedError,
    UnavailableError,
    UncertainError,
)
from worker.github_app.context import (
    STORE_UNAVAILABLE,
    PublisherContext,
    TaskContext,
)
from worker.github_app.outbox.task_handlers import (
    GIVE_UP_HANDLERS,
    HANDLERS,
    GiveUpHandler,
    Handler,
)
from worker.github_app.rate_limited_writer import LostLeaseError, NotNowError
from worker.store.queue_names import PUBLISH
from worker.store.records import Lease, OutboxTaskKind, OutboxTaskRecord, WorkerRecord, WorkerState
from worker.store.store import Store, UnitOfWork
from worker.system.logs import bound

PRESENCE_SECONDS = 15.0

_log = logging.getLogger(__name__)


class InstallationLimiter:
    """The limit on threads that serve one installation: ``most`` at a time.

    Writes of one installation are a second apart, so that threads wait for
    each other there; the others are left for everybody else.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = Counter[int]()
        self._lock = Lock()

    @contextmanager
    def one(self, installation: int) -> Generator[bool]:
        """Take a share for the block; false where all are taken."""
        with self._lock:
            free = self._taken[installation] < self._most
            self._taken[installation] += free
        try:
            yield free
        finally:
            with self._lock:
                self._taken[installation] -= free


class LeaseRenewer:
    """Renews the leases in use, each for ``seconds`` more, until it is stopped."""

    def __init__(self, store: Store, seconds: float) -> None:
        self._store = store
        self._seconds = seconds
        self._held: dict[str, Lease] = {}
        self._lock = Lock()
        self._told = float("-inf")
        name = uuid.uuid4().hex
        self._record = WorkerRecord(
            name, socket.gethostname(), WorkerState.READY, queues=(PUBLISH,)
        )

    @contextmanager
    def renewing(self, lease: Lease) -> Generator[None]:
        """Renew a lease for as long as the block takes."""
        with self._lock:
            self._held[lease.ordering_key] = lease
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(lease.ordering_key, None)

    def run(self, stop: Event) -> None:
        """Renew until ``stop`` is set and nothing is held any more."""
        self._look_after()
        while not stop.wait(min(self._seconds / 4, PRESENCE_SECONDS)):
            self._look_after()
        while self._held:
            self._look_after()
            time.sleep(min(0.1, self._seconds / 4))

    def leave(self) -> None:
        """Take the name out of the roster."""
        with suppress(SQLAlchemyError), self._store.write() as unit:
            unit.workers_present.leave(self._record.id)

    def _look_after(self) -> None:
        try:
            self._renew()
            self._tell()
        except SQLAlchemyError:
            _log.warning("the store does not answer: leases are not renewed")

    def _renew(self) -> None:
        with self._lock:
            held = tuple(self._held.values())
        for lease in held:
            with self._store.write() as unit:
                lost = unit.leases.renew(lease, self._seconds) is None
            if lost and self._held.get(lease.ordering_key) is lease:
                _log.warning("lost the lane %s", lease.ordering_key)

    def _tell(self) -> None:
        if time.monotonic() - self._told >= PRESENCE_SECONDS:
            with self._store.write() as unit:
                unit.workers_present.see(self._record)
            self._told = time.monotonic()


KEYS_AT_A_TIME = 200
SLOW_KEYS = ("clone:", "audit:", "app")
"""Their errands may take minutes, so some threads leave them to others."""
FIRST_RETRY_SECONDS = 30.0
MAX_RETRY_SECONDS = 900.0
SUSPENDED_SECONDS = 600.0
OUTAGE_RETRY_FACTOR = 8
"""An outage of GitHub's or a wrong key is borne this many times longer than a refusal."""

_HOPELESS = (ForbiddenError, NotFoundError, GoneError)
_OUTAGES = (UncertainError, UnavailableError, UnauthorizedError)


class KeyState(Enum):
    """The state of a lane after a task."""

    GOES_ON = auto()
    RESTS = auto()
    IS_LOST = auto()


@dataclass(frozen=True, slots=True)
class OutboxWorker:
    """One thread's way through the lanes; ``quick`` leaves slow ones to others."""

    publisher_context: PublisherContext
    lease_renewer: LeaseRenewer
    limiter: InstallationLimiter
    quick: bool = False
    handlers: Mapping[OutboxTaskKind, Handler] = field(default_factory=lambda: HANDLERS)
    give_up_handlers: Mapping[OutboxTaskKind, GiveUpHandler] = field(
        default_factory=lambda: GIVE_UP_HANDLERS
    )

    def serve(self) -> bool:
        """Do what is due in one lane that nobody has; whether there was one.

        Raises one of ``STORE_AWAY`` where the store is away.
        """
        with self.publisher_context.store.read() as unit:
            ordering_keys = unit.outbox_tasks.ordering_keys(KEYS_AT_A_TIME)
        return any(
            self._serve(ordering_key) for ordering_key in ordering_keys if self._takes(ordering_key)
        )

    def _takes(self, ordering_key: str) -> bool:
        return not (self.quick and ordering_key.startswith(SLOW_KEYS))

    def _serve(self, ordering_key: str) -> bool:
        with self.publisher_context.store.read() as unit:
            task = unit.outbox_tasks.next(ordering_key)
        if task is None:
            return False
        if ordering_key.startswith(SLOW_KEYS):
            return self._lease(ordering_key)
        with self.limiter.one(task.task.installation) as free:
            return free and self._lease(ordering_key)

    def _lease(self, ordering_key: str) -> bool:
        with self.publisher_context.store.write() as unit:
            lease = unit.leases.take(ordering_key, self.publisher_context.timeouts.lease)
        if lease is None:
            return False
        with self.lease_renewer.renewing(lease):
            state = self._work(lease)
        self._leave(lease, state)
        return True

    def _work(self, lease: Lease) -> KeyState:
        context = self.publisher_context.context(lease)
        while not self.publisher_context.stop.is_set():
            with self.publisher_context.store.read() as unit:
                task = unit.outbox_tasks.next(lease.ordering_key)
            if task is None:
                break
            with bound(task=task.id, kind=task.task.kind, run=task.task.run):
                state = self._do(task, context)
            if state is not KeyState.GOES_ON:
                return state
        return KeyState.GOES_ON

    def _leave(self, lease: Lease, state: KeyState) -> None:
        """Free the lane; one with a request that may be under way rests until it is not."""
        with self.publisher_context.store.write() as unit:
            if state is KeyState.GOES_ON:
                unit.leases.free(lease)
            elif state is KeyState.RESTS:
                unit.leases.renew(lease, self.publisher_context.timeouts.settled)

    def _do(self, task: OutboxTaskRecord, context: TaskContext) -> KeyState:
        """Carry out one errand; whatever is raised ends here, but for a store that is away."""
        try:
            self._refuse_suspended(task)
            self.handlers[task.task.kind](task, context)
        except STORE_UNAVAILABLE:
            raise
        except Exception as error:  # noqa: BLE001 - the one place where unknown errors end
            return self._after(error, task, context)
        return self._settle(context, lambda unit: unit.outbox_tasks.done(task.id))

    def _after(self, error: Exception, task: OutboxTaskRecord, context: TaskContext) -> KeyState:
        match error:
            case LostLeaseError():
                return self._lost()
            case NotNowError():
                return self._later(task, context, error.at, str(error))
            case RateLimitedError():
                with self.publisher_context.store.write() as unit:
                    unit.slots.hold(task.task.installation, error.until)
                _log.warning("a rate limit of GitHub's holds until %s", error.until.isoformat())
                return self._later(task, context, error.until, "rate limit")
            case SuspendedError():
                return self._later(task, context, self._in(SUSPENDED_SECONDS), str(error))
            case GithubError():
                return self._refused(task, context, error)
            case _:
                return self._broken(task, context, error)

    def _refuse_suspended(self, task: OutboxTaskRecord) -> None:
        with self.publisher_context.store.read() as unit:
            found = unit.installations.get(task.task.installation)
        if found is not None and found.suspended:
            raise NotNowError(self._in(SUSPENDED_SECONDS), "the installation is suspended")

    def _lost(self) -> KeyState:
        _log.warning("another process has the lane now")
        return KeyState.IS_LOST

    def _refused(
        self, task: OutboxTaskRecord, context: TaskContext, error: GithubError
    ) -> KeyState:
        said = f"{type(error).__name__}: {error}"
        if isinstance(error, _HOPELESS):
            _log.warning("GitHub lets us not: %s", said)
            return self._bury(task, context, said)
        longer = OUTAGE_RETRY_FACTOR if isinstance(error, _OUTAGES) else 1
        state = self._again(
            task, context, said, self.publisher_context.settings.github.attempts * longer
        )
        uncertain = isinstance(error, UncertainError) and state is KeyState.GOES_ON
        return KeyState.RESTS if uncertain else state

    def _broken(self, task: OutboxTaskRecord, context: TaskContext, error: Exception) -> KeyState:
        incident = uuid.uuid4().hex[:12]
        _log.error("incident %s: an errand broke", incident, exc_info=error)
        said = f"{type(error).__name__} (incident {incident})"
        return self._again(task, context, said, self.publisher_context.settings.github.attempts)

    def _again(
        self, task: OutboxTaskRecord, context: TaskContext, said: str, limit: int
    ) -> KeyState:
        if task.attempts + 1 >= limit:
            return self._bury(task, context, said)
        wait = min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(task.attempts, 10))
        _log.warning("again in %d s: %s", wait, said)
        at = self._in(wait)
        return self._settle(context, lambda unit: unit.outbox_tasks.again(task.id, said, at=at))

    def _later(
        self, task: OutboxTaskRecord, context: TaskContext, at: datetime, why: str
    ) -> KeyState:
        return self._settle(
            context, lambda unit: unit.outbox_tasks.again(task.id, why, at=at, counted=False)
        )

    def _bury(self, task: OutboxTaskRecord, context: TaskContext, said: str) -> KeyState:
        """Give an errand up, but never leave what it was about unfinished."""
        incident = uuid.uuid4().hex[:12]
        _log.error("incident %s: given up: %s", incident, said)
        give_up_handlers = self.give_up_handlers.get(task.task.kind)
        if give_up_handlers is not None:
            try:
                give_up_handlers(task, context, incident)
            except STORE_UNAVAILABLE:
                raise
            except LostLeaseError:
                return self._lost()
            except Exception:  # noqa: BLE001 - it is being given up already
                _log.exception("incident %s: not even an apology", incident)
        said = f"{said} (incident {incident})"
        return self._settle(context, lambda unit: unit.outbox_tasks.give_up(task.id, said))

    def _settle(self, context: TaskContext, act: Callable[[UnitOfWork], object]) -> KeyState:
        with self.publisher_context.store.write() as unit:
            if not unit.leases.holds(context.lease):
                return KeyState.IS_LOST
            act(unit)
        return KeyState.GOES_ON

    def _in(self, seconds: float) -> datetime:
        return self.publisher_context.now() + timedelta(seconds=seconds)
