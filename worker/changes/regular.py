"""Regular files of others, read without following links or waiting for pipes."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def open_regular(place: Path) -> int:
    """Open a regular file for reading, nothing else; ``OSError`` otherwise."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{place} is not a regular file")
    return descriptor


def read_regular(place: Path, most: int = -1) -> bytes:
    """The first bytes of a regular file; ``OSError`` where there is none."""
    with os.fdopen(open_regular(place), "rb") as file:
        return file.read(most)
