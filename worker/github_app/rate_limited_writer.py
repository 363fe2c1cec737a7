"""Every write to GitHub: in turn, by who still may, and never twice.

Three things keep a write from being made twice.  The *lane's lease* is
renewed right before each one, for longer than a request may take: whoever
takes the lane after us starts when nothing of ours is under way any more.
The *writing* is kept before the request as intended, and after it as done:
who finds one that was only intended looks at GitHub first.  The
*installation's slot* lets one request through at a time, a pause apart, as
GitHub asks of its clients.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from worker.github_app.client.errors import GithubError, RateLimitedError, UncertainError
from worker.settings.operator_settings import Settings
from worker.store.records import IdempotencyState, Lease
from worker.store.store import Store

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

MAX_WAIT_SECONDS = 15.0
"""How long a thread waits for its turn before it does something else."""
RETRY_SECONDS = 5.0
POLL_SECONDS = 0.25
"""How often to look whether another's turn is over."""
MIN_WAIT_SECONDS = 0.02


class NotNowError(Exception):
    """It is too early: come back ``at`` (UTC).  No failure is counted."""

    def __init__(self, at: datetime, reason: str = "not now") -> None:
        super().__init__(reason)
        self.at = at


class LostLeaseError(Exception):
    """Another process has the lane now: leave everything as it is."""


@dataclass(frozen=True, slots=True)
class WriteTimeouts:
    """The timeouts of writes in seconds, all derived from the timeout of a request."""

    request: float
    pause: float

    @classmethod
    def of(cls, settings: Settings) -> WriteTimeouts:
        """Return what the operator's settings come to."""
        return cls(settings.github.timeout, settings.github.pause)

    @property
    def settled(self) -> float:
        """After this, a request that was cut off has done its work or never will."""
        return 1.5 * self.request

    @property
    def slot(self) -> float:
        """A slot whose owner died is given to the next one after this."""
        return 2 * self.request

    @property
    def lease(self) -> float:
        """A lane whose owner died is given to the next one after this."""
        return 3 * self.request


@dataclass(frozen=True, slots=True)
class RateLimitedWriter:
    """Writes for one installation, by the right of a lane's lease.

    ``now`` and ``sleep`` are the clock's.  Raises ``NotNowError`` where the
    installation's turn is not soon, ``LostLeaseError``, the errors of
    ``worker.github_app.client`` and ``sqlalchemy.exc.SQLAlchemyError``.
    """

    store: Store
    lease: Lease
    installation: int
    timeouts: WriteTimeouts
    now: Callable[[], datetime]
    sleep: Callable[[float], None]

    def create(self, key: str, send: Callable[[], str], look: Callable[[], str | None]) -> str:
        """Create something once and return what GitHub calls it.

        ``send`` sends one request; ``look`` finds what an earlier try may
        have made.  After ``UncertainError`` the lane must rest until that
        request is settled; the next try looks.
        """
        with self.store.read() as unit:
            idempotency_record = unit.idempotency.get(key)
        if (
            idempotency_record is not None
            and idempotency_record.state is IdempotencyState.DONE
            and idempotency_record.made is not None
        ):
            return idempotency_record.made
        made = None if idempotency_record is None else look()
        if made is None:
            made = self._sent(key, send)
        with self.store.write() as unit:
            unit.idempotency.done(key, made)
        return made

    def edit(self, send: Callable[[], _T]) -> _T:
        """Do something that may as well be done twice."""
        with self._turn():
            self._renew()
            return send()

    def _sent(self, key: str, send: Callable[[], str]) -> str:
        with self._turn():
            self._renew(key)
            try:
                return send()
            except UncertainError:
                raise
            except GithubError:
                self._refused(key)
                raise

    def _renew(self, intended: str | None = None) -> None:
        """Make sure that the lane is ours for longer than a request may take."""
        with self.store.write() as unit:
            if unit.leases.renew(self.lease, self.timeouts.lease) is None:
                raise LostLeaseError(self.lease.ordering_key)
            if intended is not None:
                unit.idempotency.intend(intended)

    def _refused(self, key: str) -> None:
        """Forget what certainly was not made; where the store is away, we look again."""
        try:
            with self.store.write() as unit:
                unit.idempotency.forget(key)
        except SQLAlchemyError:
            _log.warning("the store does not answer: %s will be looked for", key)

    @contextmanager
    def _turn(self) -> Generator[None]:
        fence = self._slot()
        try:
            yield
        except RateLimitedError as error:
            with self.store.write() as unit:
                unit.slots.hold(self.installation, error.until)
            raise
        finally:
            self._free(fence)

    def _slot(self) -> int:
        start = self.now()
        while True:
            with self.store.write() as unit:
                fence = unit.slots.take(self.installation, self.timeouts.slot)
                free_at = unit.slots.next_at(self.installation)
            if fence is not None:
                return fence
            now = self.now()
            if free_at > now + timedelta(seconds=self.timeouts.slot + self.timeouts.pause):
                raise NotNowError(free_at, "GitHub asked to wait")
            if now >= start + timedelta(seconds=MAX_WAIT_SECONDS):
                soon = now + timedelta(seconds=RETRY_SECONDS)
                raise NotNowError(min(free_at, soon), "others write for the installation")
            left = (free_at - now).total_seconds()
            self.sleep(min(max(left, MIN_WAIT_SECONDS), POLL_SECONDS))

    def _free(self, fence: int) -> None:
        try:
            with self.store.write() as unit:
                unit.slots.free(self.installation, fence, pause=self.timeouts.pause)
        except SQLAlchemyError:
            _log.warning("the store does not answer: a slot of %d rests", self.installation)
