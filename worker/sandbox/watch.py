"""A thread that holds a guest to its memory and its time."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from contextlib import suppress

from worker.sandbox.command import WRITABLE
from worker.sandbox.launch import Launched
from worker.sandbox.limits import MIB, Limits
from worker.sandbox.processes import family, memory_exceeds

PERIOD = 0.05
TAIL = 64 * 1024


class Watch(threading.Thread):
    """Reads what a guest prints, and kills it when it exceeds its limits.

    ``contained``: it has mounts of its own, whose files are counted.  The
    descriptors of ``launched`` stay the caller's; they must live until the
    thread has ended.
    """

    def __init__(self, launched: Launched, limits: Limits, *, contained: bool) -> None:
        super().__init__(name=f"watch-{launched.pid}", daemon=True)
        self.stopped: str | None = None
        self._pid = launched.pid
        self._process = launched.process
        self._output = launched.output
        self._limits = limits
        self._contained = contained
        self._deadline = time.monotonic() + limits.wall_seconds
        self._tail = b""
        os.set_blocking(launched.output, False)

    def run(self) -> None:
        """Watch until the guest has ended."""
        poller = select.poll()
        poller.register(self._process, select.POLLIN)
        poller.register(self._output, select.POLLIN)
        due = 0.0
        while True:
            ready = {descriptor for descriptor, _ in poller.poll(PERIOD * 1000)}
            if self._output in ready and not self._read():
                poller.unregister(self._output)
            if self._process in ready:
                break
            if time.monotonic() >= due:
                self._enforce()
                due = time.monotonic() + PERIOD
        self._read()

    def tail(self) -> str:
        """Return the end of what the guest has printed."""
        return self._tail.decode("utf-8", "replace")

    def kill(self) -> None:
        """Kill the guest: all of it where it has its own process namespace."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGKILL)

    def _read(self) -> bool:
        """Take in one piece of output; false when there will be no more."""
        try:
            piece = os.read(self._output, TAIL)
        except BlockingIOError:
            return True
        self._tail = (self._tail + piece)[-TAIL:]
        return bool(piece)

    def _enforce(self) -> None:
        if self.stopped:
            return
        if time.monotonic() > self._deadline:
            self.stopped = f"it ran longer than {self._limits.wall_seconds:g} s"
        elif memory_exceeds(family(self._pid), self._limits.memory):
            self.stopped = f"it used more than {self._limits.memory // MIB} MiB"
        elif self._contained and files_made(self._pid) > self._limits.files:
            self.stopped = f"it made more than {self._limits.files} files"
        if self.stopped:
            self.kill()


def files_made(pid: int) -> int:
    """Return how many files lie in the writable folders that ``pid`` sees.

    Each costs the kernel memory that neither sizes nor processes show.  The
    way to the folders is fixed: their parent is read-only to the guest.
    """
    made = 0
    for folder in WRITABLE:
        with suppress(OSError):
            status = os.statvfs(f"/proc/{pid}/root{folder}")
            made += status.f_files - status.f_ffree
    return made
