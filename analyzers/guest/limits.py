"""Time limits for code that may not want to stop."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from types import FrameType
from typing import Any, Generator, Optional, Tuple

_AGAIN = 0.05


class TimeUp(BaseException):
    """The time is over; not an ``Exception``, so that few handlers catch it."""


class Clock:
    """One timer, raising :class:`TimeUp` in tested code until it is stopped.

    Code of the files in ``calm`` is never interrupted; there ``expired`` says
    what happened.
    """

    def __init__(self) -> None:
        self.expired = False
        self._running = False
        self._calm: Tuple[str, ...] = (__file__,)

    def calm(self, path: str) -> None:
        """Never interrupt the code of a file."""
        self._calm += (path,)

    def start(self, seconds: float) -> None:
        """Begin to count."""
        self.expired = False
        self._running = True
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
        remaining, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            yield
        finally:
            if self._running:
                signal.setitimer(signal.ITIMER_REAL, max(remaining, 1e-3), _AGAIN)

    @contextmanager
    def limited(self, seconds: float) -> Generator[None, None, None]:
        """Count what happens inside, within whatever is counted already."""
        outer = (self._running, self.expired)
        remaining, _ = signal.setitimer(signal.ITIMER_REAL, 0)
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
        self.expired = True
        if self._running and frame and frame.f_code.co_filename not in self._calm:
            raise TimeUp


CLOCK = Clock()
