"""Processes that run inputs, and may die or hang of them."""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import time
from contextlib import suppress
from typing import Any, Callable, Dict, Iterator, Optional

from ..processes import end_with_parent, fork, part_with_host
from . import reports
from .flight import Flight

Frame = Dict[str, Any]
Report = Callable[[Frame], None]
HANG_GRACE = 1.0
END_GRACE = 2.0
_TICK = 0.05
_SET_PIPE_SIZE, _PIPE = 1031, 1 << 20


class Worker:
    """One process: what it reports, and how it ended.

    ``timeout`` is the limit of one input in seconds, which the process keeps
    itself unless it hangs.  ``until`` is when all of its work is to be over
    (monotonic seconds).  After :meth:`reports`: ``hung`` is the input that was
    killed for hanging, ``lost`` the one under which the process ended by
    itself, by ``signal`` (0: it left); ``failed`` says that the work itself
    did, at the input ``broke`` if it was at one, and ``late`` that it was not
    over in time.  Failing is our own fault where no input had ``begun``; what
    runs can do it to its process, too.
    """

    def __init__(
        self, work: Callable[[Report, Flight], None], timeout: float, until: float
    ) -> None:
        self._timeout = timeout
        self._until = until
        self._flight = Flight()
        self._status: Optional[int] = None
        self._killed = False
        self.hung: Optional[str] = None
        self.lost: Optional[str] = None
        self.signal = 0
        self.failed = False
        self.late = False
        self._reading, writing = os.pipe()
        with suppress(OSError):
            fcntl.fcntl(writing, _SET_PIPE_SIZE, _PIPE)
        self._child = fork(lambda: self._work(work, writing))
        os.close(writing)

    def _work(self, work: Callable[[Report, Flight], None], writing: int) -> None:
        end_with_parent()
        part_with_host()
        gc.freeze()
        os.close(self._reading)
        os.set_inheritable(writing, False)

        def report(frame: Frame) -> None:
            line = reports.written(frame)
            while line:
                line = line[os.write(writing, line) :]

        try:
            work(report, self._flight)
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
            yield from self._frames()
        except reports.Garbled:
            self._flight.break_off()
            self._kill()
            self.failed = True
        finally:
            self._finish()

    def _frames(self) -> Iterator[Frame]:
        pending = b""
        while True:
            ended = self._has_ended()
            ready, _, _ = select.select([self._reading], [], [], 0 if ended else _TICK)
            received = os.read(self._reading, 1 << 16) if ready else b""
            if not received and (ready or ended):
                return
            *lines, pending = (pending + received).split(b"\n")
            yield from map(reports.read, lines)
            reports.check_length(pending)
            if not ended:
                self._watch()

    def _has_ended(self) -> bool:
        if self._status is None:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                self._status = status
        return self._status is not None

    def _watch(self) -> None:
        """Kill the process where an input hangs, or all of it takes too long."""
        now, flying = time.monotonic(), self._flight.now
        if flying is not None and now - flying[1] > self._timeout + HANG_GRACE:
            self.hung = flying[0]
            self._kill()
        elif now > self._until + END_GRACE and flying is None:
            self.late = True
            self._kill()

    def _kill(self) -> None:
        if self._status is None and not self._killed:
            os.kill(self._child, signal.SIGKILL)
            self._killed = True

    def _finish(self) -> None:
        os.close(self._reading)
        if self._status is None:
            self._await()
        status = self._status or 0
        flying = self._flight.now
        if self._killed:
            return
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.failed = self._flight.is_broken
        if flying is not None:
            self.lost = flying[0]

    def _await(self) -> None:
        """Wait for the end; whoever stopped listening does not wait for long."""
        deadline = time.monotonic() + END_GRACE
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(0.005)
        if self._status is None:
            self._kill()
            self._status = os.waitpid(self._child, 0)[1]
