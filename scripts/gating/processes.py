"""Processes that write their output to a file, end in time and are stopped together."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE_SECONDS = 30.0


@dataclass(frozen=True)
class Ended:
    """The exit status, ``None`` of a process that was cut, the time of that, and the output."""

    status: int | None
    at: float
    output: str


class Processes:
    """The processes that run now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped_at: float | None = None

    @property
    def stopped(self) -> bool:
        """Return whether all were stopped."""
        return self._stopped_at is not None

    def run(self, command: Sequence[str], log: Path, seconds: float | None = None) -> Ended:
        """Run the command for so many seconds at most."""
        with (
            log.open("wb") as output,
            subprocess.Popen(
                command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            self._running.add(process)
            status: int | None
            try:
                status, at = process.wait(0 if self.stopped else seconds), time.monotonic()
            except subprocess.TimeoutExpired:
                status, at = None, time.monotonic()
                end([process])
            finally:
                self._running.discard(process)
        if self._stopped_at is not None:
            status, at = None, min(at, self._stopped_at)
        return Ended(status, at, log.read_text(errors="replace"))

    def stop(self) -> None:
        """Stop all of them."""
        self._stopped_at = time.monotonic()
        end(list(self._running))


def end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Interrupt the processes; kill those that go on."""
    for process in processes:
        process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + GRACE_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
