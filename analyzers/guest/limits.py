"""Time limits for code that may not want to stop."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from types import FrameType
from typing import Any, Generator, Optional, Tuple

from . import worktime

_AGAIN = 0.05


class TimeUp(BaseException):
    """The time is over; not an ``Exception``, so that few handlers catch it."""


class Clock:
    """One timer of work, raising :class:`TimeUp` in tested code until it is stopped.

    On a busy machine its seconds are longer (:mod:`.worktime`), so that a limit does not depend
    on what else runs there.
    Code of the files in ``calm`` is never interrupted; there ``expired`` says
    what happened.
    """

    def __init__(self) -> None:
        self.expired = False
        self._running = False
        self._until = 0.0
        self._calm: Tuple[str, ...] = (__file__,)

    def calm(self, path: str) -> None:
        """Never interrupt the code of a file."""
        self._calm += (path,)

    def start(self, seconds: float) -> None:
        """Begin to count."""
        self.expired = False
        self._running = True
        self._until = worktime.now() + seconds
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)

    def stop(self) -> None:
        """Stop counting."""
        self._running = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    @contextmanager
    def paused(self) -> Generator[None, None, None]:
        """Do not count what happens inside."""
        if not self._running:
            yield
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        remaining = max(self._until - worktime.now(), 1e-3)
        try:
            yield
        finally:
            if self._running:
                self._until = worktime.now() + remaining
                signal.setitimer(signal.ITIMER_REAL, remaining, _AGAIN)

    @contextmanager
    def limited(self, seconds: float) -> Generator[None, None, None]:
        """Count what happens inside, within whatever is counted already."""
        outer = (self._running, self.expired)
        signal.setitimer(signal.ITIMER_REAL, 0)
        remaining = self._until - worktime.now()
        self.start(seconds)
        try:
            yield
        finally:
            self.stop()
            if outer[0]:
                self.start(max(remaining, 1e-3))
                self.expired = outer[1]

    def _ring(self, number: int, frame: Optional[FrameType]) -> Any:
        del number
        left = self._until - worktime.now()
        if left > 0 and not self.expired:
            signal.setitimer(signal.ITIMER_REAL, max(left, _AGAIN), _AGAIN)
            return
        self.expired = True
        if self._running and frame and frame.f_code.co_filename not in self._calm:
            raise TimeUp


CLOCK = Clock()
