"""A limit that stops an installation which fills the disk."""

from __future__ import annotations

import time
from pathlib import Path

from worker.environments.cache import size_on_disk
from worker.environments.uv import Unreachable

WATCH_SECONDS = 2.0


class Growth:
    """Raises ``Unreachable`` when it is called and a folder has more than ``most`` bytes."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._next = 0.0

    def __call__(self) -> None:
        """Look now and then."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + WATCH_SECONDS
        if size_on_disk(self._folder) > self._most:
            raise Unreachable(f"the environment grew beyond {self._most >> 20} MiB")
