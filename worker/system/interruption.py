"""Ctrl-C, heard once and never lost.

Python loses a ``KeyboardInterrupt`` in destructors, callbacks of C libraries and some imports,
so long work asks ``heed`` now and then.
"""

from __future__ import annotations

import signal
import time
from types import FrameType

PATIENCE = 10.0


class DebouncedInterrupt:
    """Raises ``KeyboardInterrupt``, but not again within ``PATIENCE`` seconds."""

    def __init__(self) -> None:
        self._until = 0.0
        self._pending = False
        self.number = int(signal.SIGINT)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        del frame
        self._pending = True
        self.number = number
        now = time.monotonic()
        if now >= self._until:
            self._until = now + PATIENCE
            raise KeyboardInterrupt

    def heed(self) -> None:
        """Raise again what was raised and reached nobody."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def settle(self) -> None:
        """It was heard: what comes now is the orderly end."""
        self._pending = False

    def begin(self) -> None:
        """Other work begins, which nobody has interrupted yet."""
        self._pending = False
        self._until = 0.0


_once = DebouncedInterrupt()


def interrupt_once() -> None:
    """Give what is stopped by Ctrl-C time to end what it started and to report."""
    signal.signal(signal.SIGINT, _once)


def terminate_in_order() -> None:
    """Handle SIGTERM as Ctrl-C is handled: end what was started, and report."""
    signal.signal(signal.SIGTERM, _once)


def exit_status() -> int:
    """Return the exit status of an interrupted process: 128 and the signal's number."""
    return 128 + _once.number


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle another signal as Ctrl-C is handled."""
    _once(number, frame)


def raise_pending() -> None:
    """Raise the ``KeyboardInterrupt`` that was lost, if any; call it between steps of long work."""
    _once.heed()


def reset_interrupt() -> None:
    """Say that other work begins: what interrupted the last does not count."""
    _once.begin()


def acknowledge_interrupt() -> None:
    """Say that the interruption was heard."""
    _once.settle()


def interrupt_no_more() -> None:
    """Let the process end with its own exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if signal.getsignal(signal.SIGTERM) is _once:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
