"""Processes that run inputs, and may die or hang of them."""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import time
from contextlib import suppress
from typing import Callable, Iterator, List, Optional

from ..processes import end_with_parent, fork, part_with_host
from ..worktime import attend, clock_of, now, release
from . import lines
from .flight import Flight, Flying
from .lines import Frame, Garbled

Report = Callable[[Frame], None]
Read = Callable[[bytes], Frame]
END_GRACE = 2.0
TICK = 0.05
_SET_PIPE_SIZE, _PIPE = 1031, 1 << 20


class Worker:
    """One process: what it reports, and how it ended.

    ``read`` makes a report of a line, or raises :class:`Garbled`.  ``timeout``
    is the limit of one input in seconds, after which it hangs; ``until`` is
    when all of its work is to be over (seconds of :mod:`..worktime`).  Once it
    :attr:`is_over`: ``hung`` is the input that was killed for hanging, ``lost``
    the one under which the process ended by itself, by ``signal`` (0: it
    left); ``failed`` says that the work itself did, at the input ``broke`` if
    it was at one, and ``late`` that it was not over in time.  Failing is our
    own fault where no input had ``begun``; what runs can do it to its process,
    too.
    """

    def __init__(
        self, task: Callable[[Report, Flight], None], read: Read, timeout: float, until: float
    ) -> None:
        self._read = read
        self._timeout = timeout
        self._most = until - now() + END_GRACE
        self._flight = Flight()
        self._status: Optional[int] = None
        self._killed = False
        self._pending = b""
        self.is_over = False
        self.hung: Optional[Flying] = None
        self.lost: Optional[Flying] = None
        self.signal = 0
        self.failed = False
        self.late = False
        self.descriptor, writing = os.pipe()
        with suppress(OSError):
            fcntl.fcntl(writing, _SET_PIPE_SIZE, _PIPE)
        self._child = fork(lambda: self._work(task, writing))
        os.close(writing)
        self._clock = clock_of(self._child)
        self._flying = (0.0, 0.0)
        attend(self._child)

    def _work(self, task: Callable[[Report, Flight], None], writing: int) -> None:
        end_with_parent()
        part_with_host()
        gc.freeze()
        os.close(self.descriptor)
        os.set_inheritable(writing, False)

        def report(frame: Frame) -> None:
            line = lines.written(frame)
            while line:
                line = line[os.write(writing, line) :]

        try:
            task(report, self._flight)
        except BaseException:
            self._flight.break_off()
            raise

    @property
    def begun(self) -> bool:
        """Whether any input was begun."""
        return self._flight.begun > 0

    @property
    def broke(self) -> Optional[str]:
        """The input at which the work failed."""
        return self._flight.broke

    def reports(self) -> Iterator[Frame]:
        """What the process reports, until it has ended, or what it says is no report."""
        try:
            while not self.is_over:
                if self._status is None:
                    select.select([self.descriptor], [], [], TICK)
                yield from self.poll()
        finally:
            self.close()

    def poll(self) -> List[Frame]:
        """What it has reported since; kills it where it hangs, notes how it ended."""
        frames: List[Frame] = []
        try:
            if not self._receive(frames):
                self.close()
        except Garbled:
            self._flight.break_off()
            self._kill()
            self.failed = True
            self.close()
        return frames

    def _receive(self, frames: List[Frame]) -> bool:
        """Read what is there; whether more may come."""
        ended = self._has_ended()
        ready, _, _ = select.select([self.descriptor], [], [], 0)
        received = os.read(self.descriptor, 1 << 16) if ready else b""
        if not received and (ready or ended):
            return False
        *whole, self._pending = (self._pending + received).split(b"\n")
        for line in whole:
            frames.append(self._read(line))
        lines.check_length(self._pending)
        if not ended:
            self._watch()
        return True

    def _has_ended(self) -> bool:
        if self._status is None:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._note(status)
        return self._status is not None

    def _watch(self) -> None:
        """Kill the process where an input hangs, or all of it takes too long."""
        worked, flying = self._clock.now(), self._flight.now
        if flying is not None and flying.since != self._flying[0]:
            self._flying = flying.since, worked
        if flying is not None and worked - self._flying[1] > self._timeout:
            self.hung = flying
            self._kill()
        elif worked > self._most and flying is None:
            self.late = True
            self._kill()

    def _kill(self) -> None:
        if self._status is None and not self._killed:
            os.kill(self._child, signal.SIGKILL)
            self._killed = True

    def close(self) -> None:
        """Let it end, and note how it did."""
        if self.is_over:
            return
        self.is_over = True
        os.close(self.descriptor)
        if self._status is None:
            self._await()
        if self._killed:
            return
        status = self._status or 0
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.failed = self.failed or self._flight.is_broken
        self.lost = self._flight.now

    def _await(self) -> None:
        """Wait for the end; whoever stopped listening does not wait for long."""
        deadline = time.monotonic() + END_GRACE
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(0.005)
        if self._status is None:
            self._kill()
            self._note(os.waitpid(self._child, 0)[1])

    def _note(self, status: int) -> None:
        self._status = status
        release(self._child)
