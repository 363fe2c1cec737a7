"""Keeping what this process holds: its lanes, and its name in the roster."""

from __future__ import annotations

import logging
import socket
import time
import uuid
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Event, Lock

from sqlalchemy.exc import SQLAlchemyError

from worker.queue import PUBLISH
from worker.store import Store
from worker.store.records import Lease, WorkerRecord, WorkerState

ROSTER_SECONDS = 15.0

_log = logging.getLogger(__name__)


class Shares:
    """How many threads are at the lanes of one installation: ``most`` at a time.

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


class Keeper:
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
    def keeping(self, lease: Lease) -> Generator[None]:
        """Renew a lease for as long as the block takes."""
        with self._lock:
            self._held[lease.lane] = lease
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(lease.lane, None)

    def run(self, stop: Event) -> None:
        """Renew until ``stop`` is set and nothing is held any more."""
        self._look_after()
        while not stop.wait(min(self._seconds / 4, ROSTER_SECONDS)):
            self._look_after()
        while self._held:
            self._look_after()
            time.sleep(min(0.1, self._seconds / 4))

    def leave(self) -> None:
        """Take the name out of the roster."""
        with suppress(SQLAlchemyError), self._store.begin() as books:
            books.roster.leave(self._record.id)

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
            with self._store.begin() as books:
                lost = books.leases.renew(lease, self._seconds) is None
            if lost and self._held.get(lease.lane) is lease:
                _log.warning("lost the lane %s", lease.lane)

    def _tell(self) -> None:
        if time.monotonic() - self._told >= ROSTER_SECONDS:
            with self._store.begin() as books:
                books.roster.see(self._record)
            self._told = time.monotonic()
