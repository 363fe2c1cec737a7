"""What goes wrong on purpose."""

from __future__ import annotations

import random
import re
import threading
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a request fails: before its work is done, after it, late, or by a limit."""

    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    DROPPED = "dropped"
    TIMEOUT = "timeout"
    BAD_GATEWAY_AFTER = "502 after"
    DROPPED_AFTER = "dropped after"
    LATE = "late"
    PRIMARY = "primary"
    PRIMARY_429 = "primary 429"
    SECONDARY = "secondary"
    SECONDARY_429 = "secondary 429"
    SECONDARY_BARE = "secondary without retry-after"
    SUSPENDED = "suspended"
    EXPIRED = "expired"

    @property
    def works(self) -> bool:
        """Whether the work is done all the same."""
        return self in {Kind.BAD_GATEWAY_AFTER, Kind.DROPPED_AFTER, Kind.LATE}

    @property
    def limits(self) -> bool:
        return self.value.startswith(("primary", "secondary"))


@dataclass
class Fault:
    """What happens to the next ``times`` requests that fit, after ``skip`` others.

    ``seconds`` is how late an answer comes, how long a time-out hangs, or
    how long a limit lasts.
    """

    method: str
    path: re.Pattern[str]
    kind: Kind
    times: int = 1
    skip: int = 0
    seconds: float = 1.0


class Faults:
    """The queue of faults; a random share of requests can fail besides."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: list[Fault] = []
        self._share = 0.0
        self._kinds: tuple[Kind, ...] = ()
        self._random = random.Random(0)
        self._seconds = 1.0

    def add(
        self,
        method: str,
        path: str,
        kind: Kind | str,
        *,
        times: int = 1,
        skip: int = 0,
        seconds: float = 1.0,
    ) -> None:
        """Let the next requests of ``method`` (``*``: any) whose path ``path`` is found in fail."""
        fault = Fault(method.upper(), re.compile(path), Kind(kind), times, skip, seconds)
        with self._lock:
            self._queue.append(fault)

    def at_random(
        self, share: float, kinds: tuple[Kind | str, ...], *, seed: int = 0, seconds: float = 1.0
    ) -> None:
        """Let ``share`` of all requests fail, each in one of ``kinds``."""
        with self._lock:
            self._share = share
            self._kinds = tuple(Kind(kind) for kind in kinds)
            self._random = random.Random(seed)
            self._seconds = seconds

    def clear(self) -> None:
        with self._lock:
            self._queue.clear()
            self._share = 0.0

    @property
    def waiting(self) -> int:
        """How many faults have not come yet."""
        with self._lock:
            return sum(fault.times for fault in self._queue)

    def pick(self, method: str, path: str) -> Fault | None:
        """The fault that this request meets."""
        with self._lock:
            for fault in self._queue:
                if fault.method in {method, "*"} and fault.path.search(path):
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    return self._taken(fault)
            if self._share and self._random.random() < self._share:
                kind = self._random.choice(self._kinds)
                return Fault(method, re.compile(""), kind, seconds=self._seconds)
        return None

    def _taken(self, fault: Fault) -> Fault:
        fault.times -= 1
        if fault.times <= 0:
            self._queue.remove(fault)
        return fault
