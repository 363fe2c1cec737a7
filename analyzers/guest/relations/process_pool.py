"""Work on many items in forked processes; what is in flight is marked, so deaths have an input."""

from __future__ import annotations

import json
import math
import mmap
import resource
import select
import traceback
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Union

from ..runtime.child_processes import (
    TICK,
    Frame,
    InvalidReport,
    Report,
    RunningInputRecord,
    Worker,
    quieten,
)

GIBIBYTE = 1 << 30


def limit(memory: int) -> None:
    """Let this process allocate ``memory`` bytes more, use one thread, and stay silent."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * mmap.PAGESIZE + memory
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    quieten()


Begin = Callable[[int, str], None]
Work = Callable[[int, int, Begin, Callable[[Any], None]], None]
_LONGEST_FAILURE = 2_000
_KINDS = (("value", object), ("over", bool), ("again", int), ("failed", str))


class ReplaceProcess(Exception):  # noqa: N818 - a fact about the process
    """Request to let another process go on with the next step."""


@dataclass
class ItemProcess:
    """Process that works on ``items``, on the first from the step ``start`` on."""

    work: Work
    items: tuple[int, ...]
    start: int
    memory: int

    def run(self, report: Report, flight: RunningInputRecord) -> None:
        """Report ``value``s, then that an item is ``over``; or why this process stops."""
        limit(self.memory)
        for item in self.items:
            frame = self._worked(item, report, flight)
            flight.end()
            report(frame)
            if "over" not in frame:
                return
            self.start = 0

    def _worked(self, item: int, report: Report, flight: RunningInputRecord) -> Frame:
        step = -1

        def begin(number: int, text: str) -> None:
            nonlocal step
            step = number
            flight.begin(text.encode("utf-8", "replace"), number)

        flight.begin(b"", self.start)
        try:
            self.work(item, self.start, begin, lambda value: report({"item": item, "value": value}))
        except ReplaceProcess:
            return {"item": item, "again": step}
        except BaseException:
            text = traceback.format_exc()[-_LONGEST_FAILURE:]
            return {"item": item, "failed": text, "step": step}
        return {"item": item, "over": True}


def read(line: bytes) -> Frame:
    """Return the report on a line; raises :class:`InvalidReport`."""
    try:
        frame = json.loads(line)
        numbers = (frame["item"], frame.get("step", 0))
        known = any(isinstance(frame[name], kind) for name, kind in _KINDS if name in frame)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InvalidReport(f"{type(error).__name__}: {error}"[:200]) from error
    if not known or any(type(number) is not int for number in numbers):
        raise InvalidReport("not as reports are")
    return frame  # type: ignore[no-any-return]


@dataclass(frozen=True)
class ItemReport:
    """One thing that the work on an item has reported; plain data."""

    value: Any


@dataclass(frozen=True)
class ProcessDied:
    """The process ended at a step: by a signal, or 0 where it left by itself."""

    step: int
    text: str
    signal: int


@dataclass(frozen=True)
class ProcessHung:
    """A step took longer than it may, and was killed."""

    step: int
    text: str
    seconds: float


@dataclass(frozen=True)
class ItemFailed:
    """The work itself raised at a step, and goes on behind it; ``-1``: it has ended."""

    text: str
    step: int = -1


@dataclass(frozen=True)
class ItemDone:
    """The work on an item has come to its end."""


Result = Union[ItemReport, ProcessDied, ProcessHung, ItemFailed, ItemDone]


@dataclass
class _Batch:
    """Items of one process: the first goes on at ``start`` and has died ``deaths`` times."""

    items: list[int]
    start: int = 0
    deaths: int = 0
    stopped: Optional[Frame] = None

    def leave(self) -> None:
        self.items.pop(0)
        self.start = self.deaths = 0


class ProcessPool:
    """Pool of processes that run ``work(item, start, begin, report)`` for each of ``items``.

    ``begin(step, text)`` says what is about to be tried, and may be told as
    often as one likes for a step; from each on there are ``seconds``.  After a
    death the same item goes on in a new process with ``start`` behind the step
    that died, at most ``deaths`` times.  ``report`` takes what JSON can say.  A
    process has ``memory`` bytes more than this one, so that allocations of
    2**31 elements fail at once, one thread and no streams.  It works on
    ``batch`` items one after another; work that finds its process spoiled
    raises ``ReplaceProcess``.

    Iterating gives each item's results in order, at last ``ItemDone`` or a
    ``ItemFailed`` at no step; those of several items mix.
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
        self._waiting = deque(
            _Batch(list(range(first, min(first + batch, items)))) for first in starts
        )

    def __iter__(self) -> Iterator[tuple[int, Result]]:
        running: list[tuple[Worker, _Batch]] = []
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

    def _started(self, batch: _Batch) -> tuple[Worker, _Batch]:
        batch.stopped = None
        work = ItemProcess(self._work, tuple(batch.items), batch.start, self._memory)
        return Worker(work.run, read, self._seconds, math.inf), batch

    def _polled(self, worker: Worker, batch: _Batch) -> Iterator[tuple[int, Result]]:
        for frame in worker.poll():
            item = frame["item"]
            if not batch.items or item != batch.items[0]:
                continue  # what names another item than the one at work is no report of ours
            if "value" in frame:
                yield item, ItemReport(frame["value"])
            elif "over" in frame:
                batch.leave()
                yield item, ItemDone()
            else:
                batch.stopped = frame
        if not worker.is_over or not batch.items:
            return
        item = batch.items[0]
        for result in self._ended(worker, batch):
            yield item, result
        if batch.items:
            self._waiting.appendleft(batch)

    def _ended(self, worker: Worker, batch: _Batch) -> Iterator[Result]:
        stopped = batch.stopped or {"failed": "its process broke off", "step": -1}
        flying = worker.hung or worker.lost
        step = stopped.get("step", -1) if flying is None else flying.step
        if flying is None and "again" in stopped:
            batch.start = stopped["again"] + 1
            return
        if worker.hung is not None:
            yield ProcessHung(step, worker.hung.text, self._seconds)
        elif worker.lost is not None:
            yield ProcessDied(step, worker.lost.text, worker.signal)
        else:
            yield ItemFailed(stopped["failed"], step)
        batch.start = step + 1
        batch.deaths += 1
        if step < 0:
            batch.leave()
        elif batch.deaths >= self._deaths:
            yield ItemFailed(f"given up after {batch.deaths} deaths")
            batch.leave()
