"""Ctrl-C, heard once: an impatient second one must not cost the report."""

from __future__ import annotations

import signal
import time
from types import FrameType

PATIENCE = 10.0


class Once:
    """Raises ``KeyboardInterrupt``, but not again within ``PATIENCE`` seconds."""

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        del number, frame
        now = time.monotonic()
        if now >= self._until:
            self._until = now + PATIENCE
            raise KeyboardInterrupt


def interrupt_once() -> None:
    """Give what is stopped by Ctrl-C time to end what it started and to report."""
    signal.signal(signal.SIGINT, Once())


def interrupt_no_more() -> None:
    """Let the process end with its own exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
