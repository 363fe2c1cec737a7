"""Recordings go when they are old, or when there are too many of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

DAY = 86_400.0
TOUCH_AFTER = 3600.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one store of recordings may hold, in bytes, and how long, in days."""

    size: int = 256 * 1024 * 1024
    days: int = 90


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    size: int
    used: float


def touch(file: Path) -> None:
    """Note that a recording was used, at most once in ``TOUCH_AFTER`` seconds."""
    with suppress(OSError):
        if time.time() - file.stat().st_mtime > TOUCH_AFTER:
            os.utime(file)


class Sweeper:
    """Keeps one store within its limits: looks when it is opened and after every quarter."""

    def __init__(self, directory: Path | None, limits: Limits) -> None:
        self._directory = directory
        self._limits = limits
        self._since = limits.size

    def added(self, size: int) -> None:
        """Note ``size`` new bytes; sweep where many have come."""
        self._since += size
        if self._since >= self._limits.size // 4 and self._directory is not None:
            self._since = 0
            sweep(self._directory, self._limits, time.time())


def sweep(directory: Path, limits: Limits, now: float) -> None:
    """Remove what was not used for too long, then the least lately used.

    Leaves three quarters of the size at most, so that it is not to be swept
    at once again.  Files that others remove meanwhile are no problem.
    """
    files = sorted(_files(directory), key=lambda file: file.used)
    left = sum(file.size for file in files)
    goal = left if left <= limits.size else limits.size * 3 // 4
    for file in files:
        if left > goal or now - file.used > limits.days * DAY:
            left -= file.size
            with suppress(OSError):
                file.path.unlink()


def _files(directory: Path) -> Iterator[_File]:
    """The recordings, at whatever depth."""
    for folder, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".json") and not name.startswith("."):
                path = Path(folder, name)
                with suppress(OSError):
                    known = path.stat()
                    yield _File(path, known.st_size, known.st_mtime)
