"""Doing the errands of a lane, one after the other, and what becomes of each."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto

from worker.github.errors import (
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
from worker.logs import bound
from worker.publisher.handlers import HANDLERS, LAST_WORDS, Handler, LastWords
from worker.publisher.keeping import Keeper, Shares
from worker.publisher.office import STORE_AWAY, Office
from worker.publishing.desk import Desk, LostLeaseError, NotNowError
from worker.store.books import Books
from worker.store.records import ErrandKind, ErrandRecord, Lease

_log = logging.getLogger(__name__)

LANES_AT_A_TIME = 200
SLOW_LANES = ("clone:", "audit:", "app")
"""Their errands may take minutes, so some threads leave them to others."""
FIRST_AGAIN_SECONDS = 30.0
LAST_AGAIN_SECONDS = 900.0
SUSPENDED_SECONDS = 600.0
OUTAGE_PATIENCE = 8
"""An outage of GitHub's or a wrong key is borne this many times longer than a refusal."""

_HOPELESS = (ForbiddenError, NotFoundError, GoneError)
_OUTAGES = (UncertainError, UnavailableError, UnauthorizedError)


class Lane(Enum):
    """What is to become of a lane after an errand."""

    GOES_ON = auto()
    RESTS = auto()
    IS_LOST = auto()


@dataclass(frozen=True, slots=True)
class Clerk:
    """One thread's way through the lanes; ``quick`` leaves slow ones to others."""

    office: Office
    keeper: Keeper
    shares: Shares
    quick: bool = False
    handlers: Mapping[ErrandKind, Handler] = field(default_factory=lambda: HANDLERS)
    last_words: Mapping[ErrandKind, LastWords] = field(default_factory=lambda: LAST_WORDS)

    def serve(self) -> bool:
        """Do what is due in one lane that nobody has; whether there was one.

        Raises one of ``STORE_AWAY`` where the store is away.
        """
        with self.office.store.look() as books:
            lanes = books.errands.lanes(LANES_AT_A_TIME)
        return any(self._serve(lane) for lane in lanes if self._takes(lane))

    def _takes(self, lane: str) -> bool:
        return not (self.quick and lane.startswith(SLOW_LANES))

    def _serve(self, lane: str) -> bool:
        with self.office.store.look() as books:
            errand = books.errands.next(lane)
        if errand is None:
            return False
        if lane.startswith(SLOW_LANES):
            return self._lease(lane)
        with self.shares.one(errand.errand.installation) as free:
            return free and self._lease(lane)

    def _lease(self, lane: str) -> bool:
        with self.office.store.begin() as books:
            lease = books.leases.take(lane, self.office.patience.lease)
        if lease is None:
            return False
        with self.keeper.keeping(lease):
            state = self._work(lease)
        self._leave(lease, state)
        return True

    def _work(self, lease: Lease) -> Lane:
        desk = self.office.desk(lease)
        while not self.office.stop.is_set():
            with self.office.store.look() as books:
                errand = books.errands.next(lease.lane)
            if errand is None:
                break
            with bound(errand=errand.id, kind=errand.errand.kind, run=errand.errand.run):
                state = self._do(errand, desk)
            if state is not Lane.GOES_ON:
                return state
        return Lane.GOES_ON

    def _leave(self, lease: Lease, state: Lane) -> None:
        """Free the lane; one with a request that may be under way rests until it is not."""
        with self.office.store.begin() as books:
            if state is Lane.GOES_ON:
                books.leases.free(lease)
            elif state is Lane.RESTS:
                books.leases.renew(lease, self.office.patience.settled)

    def _do(self, errand: ErrandRecord, desk: Desk) -> Lane:
        """Carry out one errand; whatever is raised ends here, but for a store that is away."""
        try:
            self._refuse_suspended(errand)
            self.handlers[errand.errand.kind](errand, desk)
        except STORE_AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - the one place where unknown errors end
            return self._after(error, errand, desk)
        return self._settle(desk, lambda books: books.errands.done(errand.id))

    def _after(self, error: Exception, errand: ErrandRecord, desk: Desk) -> Lane:
        match error:
            case LostLeaseError():
                return self._lost()
            case NotNowError():
                return self._later(errand, desk, error.at, str(error))
            case RateLimitedError():
                return self._limited(errand, desk, error)
            case SuspendedError():
                return self._later(errand, desk, self._in(SUSPENDED_SECONDS), str(error))
            case GithubError():
                return self._refused(errand, desk, error)
            case _:
                return self._broken(errand, desk, error)

    def _refuse_suspended(self, errand: ErrandRecord) -> None:
        with self.office.store.look() as books:
            found = books.installations.get(errand.errand.installation)
        if found is not None and found.suspended:
            raise NotNowError(self._in(SUSPENDED_SECONDS), "the installation is suspended")

    def _lost(self) -> Lane:
        _log.warning("another process has the lane now")
        return Lane.IS_LOST

    def _limited(self, errand: ErrandRecord, desk: Desk, error: RateLimitedError) -> Lane:
        with self.office.store.begin() as books:
            books.slots.hold(errand.errand.installation, error.until)
        _log.warning("a rate limit of GitHub's holds until %s", error.until.isoformat())
        return self._later(errand, desk, error.until, "rate limit")

    def _refused(self, errand: ErrandRecord, desk: Desk, error: GithubError) -> Lane:
        said = f"{type(error).__name__}: {error}"
        if isinstance(error, _HOPELESS):
            _log.warning("GitHub lets us not: %s", said)
            return self._bury(errand, desk, said)
        longer = OUTAGE_PATIENCE if isinstance(error, _OUTAGES) else 1
        state = self._again(errand, desk, said, self.office.settings.github.attempts * longer)
        uncertain = isinstance(error, UncertainError) and state is Lane.GOES_ON
        return Lane.RESTS if uncertain else state

    def _broken(self, errand: ErrandRecord, desk: Desk, error: Exception) -> Lane:
        incident = uuid.uuid4().hex[:12]
        _log.error("incident %s: an errand broke", incident, exc_info=error)
        said = f"{type(error).__name__} (incident {incident})"
        return self._again(errand, desk, said, self.office.settings.github.attempts)

    def _again(self, errand: ErrandRecord, desk: Desk, said: str, limit: int) -> Lane:
        if errand.attempts + 1 >= limit:
            return self._bury(errand, desk, said)
        wait = min(LAST_AGAIN_SECONDS, FIRST_AGAIN_SECONDS * 2 ** min(errand.attempts, 10))
        _log.warning("again in %d s: %s", wait, said)
        at = self._in(wait)
        return self._settle(desk, lambda books: books.errands.again(errand.id, said, at=at))

    def _later(self, errand: ErrandRecord, desk: Desk, at: datetime, why: str) -> Lane:
        return self._settle(
            desk, lambda books: books.errands.again(errand.id, why, at=at, counted=False)
        )

    def _bury(self, errand: ErrandRecord, desk: Desk, said: str) -> Lane:
        """Give an errand up, but never leave what it was about unfinished."""
        incident = uuid.uuid4().hex[:12]
        _log.error("incident %s: given up: %s", incident, said)
        last_words = self.last_words.get(errand.errand.kind)
        if last_words is not None:
            try:
                last_words(errand, desk, incident)
            except STORE_AWAY:
                raise
            except LostLeaseError:
                return self._lost()
            except Exception:  # noqa: BLE001 - it is being given up already
                _log.exception("incident %s: not even an apology", incident)
        said = f"{said} (incident {incident})"
        return self._settle(desk, lambda books: books.errands.bury(errand.id, said))

    def _settle(self, desk: Desk, act: Callable[[Books], object]) -> Lane:
        with self.office.store.begin() as books:
            if not books.leases.holds(desk.lease):
                return Lane.IS_LOST
            act(books)
        return Lane.GOES_ON

    def _in(self, seconds: float) -> datetime:
        return self.office.now() + timedelta(seconds=seconds)
