"""A thread that holds a guest to its memory and its time."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from contextlib import suppress

from worker.sandbox.launch import Launched
from worker.sandbox.limits import MIB, Limits
from worker.sandbox.processes import family, memory_exceeds

PERIOD = 0.05
LOOKING = 10
SLOWEST = 1.0
TAIL = 64 * 1024
MOST_PRINTED = 256 * MIB


class Watch(threading.Thread):
    """Reads what a guest prints, and kills it when it exceeds its limits.

    The descriptors of ``launched`` stay the caller's; they must live until
    the thread has ended.
    """

    def __init__(self, launched: Launched, limits: Limits) -> None:
        super().__init__(name=f"watch-{launched.pid}", daemon=True)
        self.stopped: str | None = None
        self._pid = launched.pid
        self._process = launched.process
        self._output = launched.output
        self._limits = limits
        self._launched = launched
        self._deadline = time.monotonic() + limits.wall_seconds
        self._tail = b""
        self._printed = 0
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
                due = self._enforce()
        self._read()
        if not self.stopped and self._launched.group.out_of_memory():
            self.stopped = f"it used more than {self._limits.memory // MIB} MiB"

    def tail(self) -> str:
        """Return the end of what the guest has printed."""
        return self._tail.decode("utf-8", "replace")

    def kill(self) -> None:
        """Kill the guest, with all its processes."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, self._launched.ending)

    def _read(self) -> bool:
        """Take in one piece of output; false when there will be no more."""
        try:
            piece = os.read(self._output, TAIL)
        except BlockingIOError:
            return True
        self._printed += len(piece)
        self._tail = (self._tail + piece)[-TAIL:]
        return bool(piece)

    def _enforce(self) -> float:
        """Look once; return when to look again, so that looking takes a tenth at most."""
        began = time.monotonic()
        if not self.stopped:
            self._judge()
        if self.stopped:
            self.kill()
        taken = time.monotonic() - began
        return began + min(max(PERIOD, LOOKING * taken), SLOWEST)

    def _judge(self) -> None:
        if time.monotonic() > self._deadline:
            self.stopped = f"it ran longer than {self._limits.wall_seconds:g} s"
        elif self._printed > MOST_PRINTED:
            self.stopped = f"it printed more than {MOST_PRINTED // MIB} MiB"
        elif memory_exceeds(family(self._pid), self._limits.memory):
            self.stopped = f"it used more than {self._limits.memory // MIB} MiB"
        else:
            self.stopped = self._launched.litter()
