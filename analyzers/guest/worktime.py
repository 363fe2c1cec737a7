"""Time as processes work: on a busy machine it passes as slowly as they get on."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Callable, Dict

BLOCKED = 0.04
"""The share of a processor below which a process waits for something else than one."""
WINDOW = 0.5
BUSY = 10.0
"""The factor by which work may take longer on a busy machine."""

Reading = Callable[[], float]


class WorkClock:
    """Seconds that pass while processes work, or wait for something else than a processor.

    ``worked`` gives the processor time that they have used.  Where that grows by less than
    a twenty-fifth of the time that passes, they wait: then all of it counts.
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
        """Count the work of a child from now on."""
        self._attended[process] = 0.0

    def release(self, process: int) -> None:
        """Count it no more: it has ended."""
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
