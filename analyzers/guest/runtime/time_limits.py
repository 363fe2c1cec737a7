"""Time as processes work: on a busy machine it passes as slowly as they get on."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Callable, Dict, Generator, NoReturn, Optional, Tuple

BLOCKED = 0.04
"""The share of a processor below which a process waits for something else than one."""
WINDOW = 0.5
BUSY = 10.0
"""The factor by which work may take longer on a busy machine."""

Reading = Callable[[], float]


class WorkClock:
    """Seconds that pass while processes work, or wait for something else than a processor.

    They wait where their processor time grows by less than a 25th of the time that passes.
    """

    def __init__(self, worked: Reading, passed: Reading = time.monotonic) -> None:
        self._worked = worked
        self._passed = passed
        self._spent = 0.0
        self.resume()

    def resume(self) -> None:
        """Go on from here: what has passed since the last look does not count."""
        self._since = self._passed(), self._worked()

    def now(self) -> float:
        """Return the seconds so far; they never become less."""
        passed, worked = self._passed() - self._since[0], self._worked() - self._since[1]
        if worked >= BLOCKED * passed:
            spent = min(passed, worked)
        else:
            spent = passed if passed >= WINDOW else worked
        if passed < WINDOW:
            return self._spent + spent
        self._spent += spent
        self.resume()
        return self._spent


def worked_by(process: int) -> float:
    """Return the processor time of a process of ours; 0 for one that is gone."""
    with suppress(OSError):
        return time.clock_gettime((~process << 3) | 2)  # CPUCLOCK_SCHED of a process
    return 0.0


def clock_of(process: int) -> WorkClock:
    """Return a clock of another process."""
    most = 0.0

    def worked() -> float:
        nonlocal most
        most = max(most, worked_by(process))
        return most

    return WorkClock(worked)


class _Own(WorkClock):
    """The clock of this process and of those that it has set to work."""

    def __init__(self) -> None:
        self._attended: Dict[int, float] = {}
        self._over = 0.0
        super().__init__(self._together)
        os.register_at_fork(after_in_child=self._anew)

    def attend(self, process: int) -> None:
        self._attended[process] = 0.0

    def release(self, process: int) -> None:
        self._over += self._attended.pop(process, 0.0)

    def _together(self) -> float:
        for process, before in self._attended.items():
            self._attended[process] = max(before, worked_by(process))
        return time.process_time() + self._over + sum(self._attended.values())

    def _anew(self) -> None:
        self._attended.clear()
        self.resume()


_own = _Own()
now, attend, release = _own.now, _own.attend, _own.release


_AGAIN = 0.05
_STEP = 0.25
FOR_IMPORTS = 8.0
"""Seconds that all calls of a process together may take longer because they import."""


class TimeUp(BaseException):
    """The time is over; not an ``Exception``, so that few handlers catch it."""


def _is_importing(frame: Optional[FrameType]) -> bool:
    while frame is not None and "importlib._bootstrap" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


class Clock:
    """One timer of work, raising :class:`TimeUp` in tested code until it is stopped.

    Code of the files in ``calm`` is never interrupted; there ``expired`` says what happened.
    """

    def __init__(self) -> None:
        self.expired = False
        self._running = False
        self._until = 0.0
        self._importing = FOR_IMPORTS
        self._calm: Tuple[str, ...] = (__file__,)

    def never_interrupt(self, path: str) -> None:
        """Never interrupt the code of a file."""
        self._calm += (path,)

    def start(self, seconds: float) -> None:
        """Begin to count; code that is importing when the time is over has a little more."""
        self.expired = False
        self._running = True
        self._until = now() + seconds
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)

    def stop(self) -> None:
        """Stop counting."""
        self._running = False
        signal.setitimer(signal.ITIMER_REAL, 0)

    def end(self) -> NoReturn:
        """End the time now."""
        self.expired = True
        raise TimeUp

    @contextmanager
    def paused(self) -> Generator[None, None, None]:
        """Do not count what happens inside."""
        if not self._running:
            yield
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        remaining = max(self._until - now(), 1e-3)
        try:
            yield
        finally:
            if self._running:
                self._until = now() + remaining
                signal.setitimer(signal.ITIMER_REAL, remaining, _AGAIN)

    @contextmanager
    def limited(self, seconds: float) -> Generator[None, None, None]:
        """Count what happens inside, within whatever is counted already."""
        outer = (self._running, self.expired)
        signal.setitimer(signal.ITIMER_REAL, 0)
        remaining = self._until - now()
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
        left = self._until - now()
        if left <= 0 < self._importing and _is_importing(frame):
            self._importing -= _STEP
            self._until += _STEP - left
            left = _STEP
        if left > 0 and not self.expired:
            signal.setitimer(signal.ITIMER_REAL, max(left, _AGAIN), _AGAIN)
            return
        self.expired = True
        if self._running and frame and frame.f_code.co_filename not in self._calm:
            raise TimeUp


CLOCK = Clock()
