"""Counting in a process what all processes of an operator add up in the store."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

from worker.store.store import Store

FLUSH_SECONDS = 10.0

WEBHOOKS = "webhooks"
"""Deliveries by ``event outcome``."""

GITHUB_CALLS = "github calls"
"""Requests to GitHub by ``method outcome``."""

_log = logging.getLogger(__name__)


class BufferedCounters:
    """Counts in memory, and hands the counts to the store now and then.

    Threads may share it.  A process that is killed loses the counts of ten
    seconds at most; one that ends calls :meth:`flush`.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._flushed = clock()

    def add(self, name: str, *labels: str) -> None:
        """Count one; what was counted is handed over every ten seconds."""
        with self._lock:
            self._counts[name, " ".join(labels)] += 1
            due = self._clock() - self._flushed >= FLUSH_SECONDS
        if due:
            self.flush()

    def flush(self) -> None:
        """Hand the counts over; a store that is down gets them later."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
            self._flushed = self._clock()
        if not counts:
            return
        try:
            with self._store.write() as unit:
                unit.counters.add(counts)
        except SQLAlchemyError:
            _log.warning("the store does not take the counts; they are kept for later")
            with self._lock:
                self._counts.update(counts)
