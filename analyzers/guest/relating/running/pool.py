"""Work on many items in forked processes, that survives whatever calls do to a process.

A mark in shared memory names what is in flight, as fuzzers of native code have
it: so a crash is told with its input, and the work goes on behind it.
"""

from __future__ import annotations

import math
import select
from collections import deque
from dataclasses import dataclass
from typing import Any, Deque, Iterator, List, Optional, Tuple, Union

from ...running.lines import Frame
from ...running.workers import TICK, Worker
from . import child
from .child import Work
from .limits import GIBIBYTE


@dataclass(frozen=True)
class Done:
    """One thing that the work on an item has reported; plain data."""

    value: Any


@dataclass(frozen=True)
class Died:
    """The process ended at a step: by a signal, or 0 where it left by itself."""

    step: int
    text: str
    signal: int


@dataclass(frozen=True)
class Hung:
    """A step took longer than it may, and was killed."""

    step: int
    text: str
    seconds: float


@dataclass(frozen=True)
class Failed:
    """The work itself raised at a step, and goes on behind it; ``-1``: it has ended."""

    text: str
    step: int = -1


@dataclass(frozen=True)
class Over:
    """The work on an item has come to its end."""


Result = Union[Done, Died, Hung, Failed, Over]


@dataclass
class _Batch:
    """Items of one process: the first goes on at ``start`` and has died ``deaths`` times."""

    items: List[int]
    start: int = 0
    deaths: int = 0
    stopped: Optional[Frame] = None

    def leave(self) -> None:
        """Go on with the next item."""
        self.items.pop(0)
        self.start = self.deaths = 0


class Pool:
    """Runs ``work(item, start, begin, report)`` for each item below ``items``.

    ``begin(step, text)`` says what is about to be tried, and may be told as
    often as one likes for a step; from each on there are ``seconds``.  After a
    death the same item goes on in a new process with ``start`` behind the step
    that died, at most ``deaths`` times.  ``report`` takes what JSON can say.  A
    process has ``memory`` bytes more than this one, so that allocations of
    2**31 elements fail at once, one thread and no streams.  It works on
    ``batch`` items one after another; work that finds its process spoiled
    raises ``Anew``.

    Iterating gives each item's results in order, at last ``Over`` or a
    ``Failed`` at no step; those of several items mix.
    """

    def __init__(
        self,
        work: Work,
        items: int,
        seconds: float,
        workers: int = 2,
        memory: int = GIBIBYTE,
        batch: int = 1,
        deaths: int = 20,
    ) -> None:
        self._work = work
        self._seconds = seconds
        self._workers = workers
        self._memory = memory
        self._deaths = deaths
        starts = range(0, items, batch)
        self._waiting: Deque[_Batch] = deque(
            _Batch(list(range(first, min(first + batch, items)))) for first in starts
        )

    def __iter__(self) -> Iterator[Tuple[int, Result]]:
        """Work, and say what comes of it."""
        running: List[Tuple[Worker, _Batch]] = []
        try:
            while self._waiting or running:
                while self._waiting and len(running) < self._workers:
                    running.append(self._started(self._waiting.popleft()))
                select.select([worker.descriptor for worker, _ in running], [], [], TICK)
                for each in list(running):
                    yield from self._polled(*each)
                running = [each for each in running if not each[0].is_over]
        finally:
            for worker, _ in running:
                worker.close()

    def _started(self, batch: _Batch) -> Tuple[Worker, _Batch]:
        batch.stopped = None
        work = child.Child(self._work, tuple(batch.items), batch.start, self._memory)
        return Worker(work.run, child.read, self._seconds, math.inf), batch

    def _polled(self, worker: Worker, batch: _Batch) -> Iterator[Tuple[int, Result]]:
        for frame in worker.poll():
            yield from _taken(frame, batch)
        if not worker.is_over or not batch.items:
            return
        item = batch.items[0]
        for result in self._ended(worker, batch):
            yield item, result
        if batch.items:
            self._waiting.appendleft(batch)

    def _ended(self, worker: Worker, batch: _Batch) -> Iterator[Result]:
        """The process has ended before its work: go on behind what it was at."""
        stopped = batch.stopped or {"failed": "its process broke off", "step": -1}
        flying = worker.hung or worker.lost
        step = stopped.get("step", -1) if flying is None else flying.step
        if flying is None and "again" in stopped:
            batch.start = stopped["again"] + 1
            return
        if worker.hung is not None:
            yield Hung(step, worker.hung.text, self._seconds)
        elif worker.lost is not None:
            yield Died(step, worker.lost.text, worker.signal)
        else:
            yield Failed(stopped["failed"], step)
        batch.start = step + 1
        batch.deaths += 1
        if step < 0:
            batch.leave()
        elif batch.deaths >= self._deaths:
            yield Failed(f"given up after {batch.deaths} deaths")
            batch.leave()


def _taken(frame: Frame, batch: _Batch) -> Iterator[Tuple[int, Result]]:
    """A report; what names another item than the one at work is no report of ours."""
    item = frame["item"]
    if not batch.items or item != batch.items[0]:
        return
    if "value" in frame:
        yield item, Done(frame["value"])
    elif "over" in frame:
        batch.leave()
        yield item, Over()
    else:
        batch.stopped = frame
