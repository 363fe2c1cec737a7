"""Keeping deliveries: those that come at the same time share one transaction."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue

from sqlalchemy.exc import SQLAlchemyError

from worker.store.records import Delivery
from worker.store.store import Store

BATCH_SIZE = 64
TIMEOUT_SECONDS = 9.0
"""GitHub gives an answer ten seconds."""

_Asked = tuple[Delivery, "Future[bool]"]


class StoreDownError(Exception):
    """The store did not take a delivery, or not in time."""


class DeliveryWriter:
    """Writes with one thread, which begins with the first delivery.

    A hundred writers of SQLite would wait for each other by sleeping; one
    that takes along whatever came meanwhile does not.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: SimpleQueue[_Asked] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def keep(self, delivery: Delivery) -> bool:
        """Return when a delivery is kept; false when it was seen before.

        Raises ``StoreDownError``; a delivery that was not kept in time may
        be kept later all the same.
        """
        self._start()
        kept: Future[bool] = Future()
        self._asked.put((delivery, kept))
        try:
            return kept.result(TIMEOUT_SECONDS)
        except (SQLAlchemyError, TimeoutError) as error:
            raise StoreDownError from error

    def _start(self) -> None:
        """Start the thread where it is used: gunicorn forks before."""
        if self._thread is not None and self._thread.is_alive():
            return
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="keeper", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            some = [self._asked.get()]
            while len(some) < BATCH_SIZE and not self._asked.empty():
                some.append(self._asked.get())
            self._write(some)

    def _write(self, some: list[_Asked]) -> None:
        """Keep them together; where that fails, each by itself."""
        try:
            with self._store.write() as unit:
                fresh = [unit.deliveries.keep(delivery) for delivery, _ in some]
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            if len(some) == 1:
                some[0][1].set_exception(error)
                return
            for one in some:
                self._write([one])
        else:
            for (_, kept), is_fresh in zip(some, fresh, strict=True):
                kept.set_result(is_fresh)
