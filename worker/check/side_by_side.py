"""Work on several things at a time in threads, whose events come in one queue."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

GIB = 1 << 30
TARGET_MEMORY = 1 * GIB
"""What a target's guests take with torch: head, base and a confirmation."""
STOPPING_SECONDS = 20.0
E_ = TypeVar("E_")
T = TypeVar("T")


def targets_at_once(cores: int | None = None, available: int | None = None) -> int:
    """Return how many targets' guests the cores and the free memory of this machine allow."""
    cores = cores or len(os.sched_getaffinity(0))
    free = _available_memory() if available is None else available
    return max(1, min(cores, free // TARGET_MEMORY))


def _available_memory() -> int:
    """Return the memory that can be had without swapping (proc_meminfo(5))."""
    with suppress(OSError), open("/proc/meminfo", encoding="ascii") as lines:  # noqa: PTH123
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return TARGET_MEMORY


@dataclass(frozen=True, slots=True)
class Over:
    """The end of one piece of work, by an error or without."""

    error: BaseException | None = None


class SideBySide(Generic[T, E_]):
    """Pieces of work, begun in order, ``most`` at a time; each tells events from its own thread."""

    def __init__(
        self,
        pieces: Sequence[T],
        most: int,
        work: Callable[[int, T, Callable[[E_], None]], None],
    ) -> None:
        self._work = work
        self._most = most
        self._waiting = deque(enumerate(pieces))
        self._running: dict[int, threading.Thread] = {}
        self._events: queue.SimpleQueue[tuple[int, E_ | Over]] = queue.SimpleQueue()

    def events(self, begin: Callable[[T], None]) -> Iterator[tuple[int, E_ | Over]]:
        """Yield each event with its piece's place; ``begin`` is called before a piece begins."""
        while self._waiting or self._running:
            while self._waiting and len(self._running) < self._most:
                position, piece = self._waiting.popleft()
                begin(piece)
                self._begin(position, piece)
            yield self._next()

    def rest(self) -> Iterator[tuple[int, E_ | Over]]:
        """Begin nothing more; yield what is still told by work that is being stopped."""
        self._waiting.clear()
        until = time.monotonic() + STOPPING_SECONDS
        while self._running:
            try:
                yield self._next(max(0.01, until - time.monotonic()))
            except queue.Empty:
                return

    def _next(self, seconds: float | None = None) -> tuple[int, E_ | Over]:
        position, event = self._events.get(timeout=seconds)
        if isinstance(event, Over):
            self._running.pop(position).join()
        return position, event

    def _begin(self, position: int, piece: T) -> None:
        thread = threading.Thread(
            target=self._run, args=(position, piece), name=f"target-{position}", daemon=True
        )
        self._running[position] = thread
        thread.start()

    def _run(self, position: int, piece: T) -> None:
        error: BaseException | None = None
        try:
            self._work(position, piece, lambda event: self._events.put((position, event)))
        except BaseException as raised:  # noqa: BLE001 - raised again where the events are read
            error = raised
        finally:
            self._events.put((position, Over(error)))
