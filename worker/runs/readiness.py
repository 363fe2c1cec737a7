"""A worker takes jobs only when the known escapes have failed against its isolation.

It says in the store where it stands, because the web process, which is
asked, can try nothing itself.
"""

from __future__ import annotations

import logging
import socket
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy.exc import SQLAlchemyError

from worker.errors import MachineError
from worker.sandbox.attacks import run_battery
from worker.sandbox.isolation import IsolationUnavailable, find_isolation
from worker.settings.operator_settings import Settings
from worker.store.records import WorkerRecord, WorkerState
from worker.store.store import Store

HEARTBEAT_SECONDS = 15.0
RETRY_SECONDS = 300.0
MAX_TRIES = 12
MAX_NAMES = 3
MAX_REASON_LENGTH = 300

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The layers in force, and why no code may run behind them, if it may not."""

    layers: tuple[str, ...] = ()
    obstacle: str | None = None


def inspect(settings: Settings) -> Inspection:
    """Find this machine's isolation and try every known escape against it."""
    try:
        sandbox = settings.sandbox
        isolation = find_isolation(sandbox.uids, choice=sandbox.isolation, python=sandbox.python)
        fought = run_battery(isolation, python=sandbox.python)
        through = [attack for attack in fought if not attack.held]
    except IsolationUnavailable as error:
        return Inspection(obstacle="; ".join(error.problems))
    except MachineError as error:
        return Inspection(obstacle=error.message)
    except Exception as error:  # noqa: BLE001 - whatever it is, the escapes were not tried
        _log.exception("the isolation could not be tried")
        return Inspection(obstacle=f"the isolation could not be tried ({type(error).__name__})")
    for attack in through:
        _log.error("escape: %s: %s", attack.name, attack.detail)
    if through:
        return Inspection(isolation.layers, _named([attack.name for attack in through]))
    return Inspection(isolation.layers)


def _named(attacks: list[str]) -> str:
    rest = len(attacks) - MAX_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    plural = "" if len(attacks) == 1 else "s"
    return f"{len(attacks)} known escape{plural}: {', '.join(attacks[:MAX_NAMES])}{more}"


class Admission:
    """One worker's way from its start to its first job.

    ``examine`` tries the isolation; ``queues`` are those that the worker takes
    jobs from.  A store that is away is told later; the
    worker goes its way.
    """

    def __init__(
        self,
        settings: Settings,
        examine: Callable[[Settings], Inspection] | None = None,
        queues: tuple[str, ...] = ("cpu",),
    ) -> None:
        self._settings = settings
        self._examine = examine or inspect
        self._told = 0.0
        self._record = WorkerRecord(
            uuid.uuid4().hex, socket.gethostname(), WorkerState.STARTING, queues=queues
        )

    def admit(self, wait: Callable[[float], bool]) -> bool:
        """Return when the isolation holds; false where ``wait`` said to stop first.

        ``wait`` takes seconds, and says whether to stop, as that of an event.
        A worker that is refused tries again every ``RETRY_SECONDS``, in all
        ``MOST_TRIES`` times; then it only says that it refuses.
        """
        self._tell()
        for tries in range(1, MAX_TRIES + 1):
            found = self._examine(self._settings)
            if found.obstacle is None:
                _log.info("isolation holds: %s", ", ".join(found.layers))
                self._tell(state=WorkerState.READY, layers=found.layers, reason=None)
                return True
            reason = found.obstacle[:MAX_REASON_LENGTH]
            _log.error("takes no jobs (try %d of %d): %s", tries, MAX_TRIES, reason)
            self._tell(state=WorkerState.REFUSING, layers=found.layers, reason=reason)
            if tries < MAX_TRIES and self._waits(RETRY_SECONDS, wait):
                return False
        _log.error("tries no more: correct it and start the worker again")
        self._waits(float("inf"), wait)
        return False

    def beat(self) -> None:
        """Say again where it stands, unless it just did."""
        if time.monotonic() - self._told >= HEARTBEAT_SECONDS:
            self._tell()

    def leave(self) -> None:
        """Say that it ends."""
        try:
            with Store(self._settings.store.url) as store, store.write() as unit:
                unit.workers_present.leave(self._record.id)
        except (SQLAlchemyError, OSError):
            _log.warning("the store does not answer")

    def _waits(self, seconds: float, wait: Callable[[float], bool]) -> bool:
        """Wait, saying now and then that it is there; true when it shall stop."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if wait(min(HEARTBEAT_SECONDS, until - time.monotonic())):
                return True
            self.beat()
        return False

    def _tell(self, **changes: object) -> None:
        self._record = replace(self._record, **changes)  # type: ignore[arg-type]
        self._told = time.monotonic()
        try:
            with Store(self._settings.store.url) as store, store.write() as unit:
                unit.workers_present.see(self._record)
        except (SQLAlchemyError, OSError):
            _log.warning("the store does not answer")
