"""A guest: the one process in which tested code runs."""

from __future__ import annotations

import compileall
import functools
import importlib.util
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from worker.errors import MachineError
from worker.sandbox.guest_launch import GuestProgram, LaunchedGuest, LaunchPlan, launch
from worker.sandbox.guest_limits import MIB, Limits
from worker.sandbox.guest_usage import family, memory_exceeds
from worker.sandbox.isolation import Isolation
from worker.sandbox.protocol.channel import Channel

PERIOD = 0.05
LOOKING = 10
SLOWEST = 1.0
TAIL = 64 * 1024
MOST_PRINTED = 256 * MIB


class GuestWatchdog(threading.Thread):
    """Reads what a guest prints, and kills it at a limit; the caller keeps the descriptors open."""

    def __init__(self, launched: LaunchedGuest, limits: Limits) -> None:
        super().__init__(name=f"watch-{launched.pid}", daemon=True)
        self.stopped: str | None = None
        self._pid = launched.pid
        self._process = launched.process
        self._output = launched.output
        self._limits = limits
        self._launched = launched
        self.renew(limits.wall_seconds)
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
                began = time.monotonic()
                if not self.stopped:
                    self._judge()
                if self.stopped:
                    self.kill()
                taken = time.monotonic() - began
                due = began + min(max(PERIOD, LOOKING * taken), SLOWEST)
        self._read()
        if not self.stopped and self._launched.group.out_of_memory():
            self.stopped = f"it used more than {self._limits.memory // MIB} MiB"

    def renew(self, seconds: float) -> None:
        """Let the guest run for ``seconds`` from now on."""
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

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

    def _judge(self) -> None:
        if time.monotonic() > self._deadline:
            self.stopped = f"it ran longer than {self._seconds:g} s"
        elif self._printed > MOST_PRINTED:
            self.stopped = f"it printed more than {MOST_PRINTED // MIB} MiB"
        elif memory_exceeds(family(self._pid), self._limits.memory):
            self.stopped = f"it used more than {self._limits.memory // MIB} MiB"
        else:
            self.stopped = self._launched.litter()


END_SECONDS = 10.0
ENDING_SECONDS = 1.0


@functools.cache
def guest_program() -> GuestProgram:
    """Return the guest half of the analyzers, without importing it; it is compiled by then.

    Guests write no bytecode, and installers need not.
    """
    spec = importlib.util.find_spec("analyzers.guest")
    if spec is None or not spec.submodule_search_locations:
        raise MachineError("The guest package is missing.", "Install Assayer again.")
    folder = Path(spec.submodule_search_locations[0])
    compileall.compile_dir(folder, quiet=2)
    return GuestProgram(folder, "_assayer_guest")


class GuestProcess:
    """One running guest; a context manager that leaves no process behind.

    The guest dies with the thread that started it: start it in the thread that uses it.
    """

    def __init__(self, plan: LaunchPlan) -> None:
        with ExitStack() as held:
            launched = launch(plan, held)
            self._held = held.pop_all()
        self.channel = Channel(launched.socket)
        self.root = launched.root
        self.pid = launched.pid
        self._popen = launched.popen
        self._process = launched.process
        self._closed = False
        self._watch = GuestWatchdog(launched, plan.limits)
        self._watch.start()

    @classmethod
    def start(
        cls,
        isolation: Isolation,
        *,
        tree: Path,
        python: Path | str = sys.executable,
        limits: Limits | None = None,
        program: GuestProgram | None = None,
        network: bool = False,
        layer: Path | None = None,
    ) -> Self:
        """Start a guest on ``tree``, a copy of ours; as root, open it to others.

        ``layer`` is one more readable folder; ``network`` lets it open IPv4 sockets in its own
        network namespace.  Raises ``MachineError`` where the guest does not start.
        """
        plan = LaunchPlan(
            isolation,
            tree.resolve(),
            Path(python),
            limits or Limits(),
            program or guest_program(),
            network,
            layer,
        )
        return cls(plan)

    def renew(self, seconds: float) -> None:
        """Let it run for ``seconds`` from now on."""
        self._watch.renew(seconds)

    def stop(self, reason: str) -> None:
        """Kill it for a reason."""
        self._watch.stopped = self._watch.stopped or reason
        self._watch.kill()

    @property
    def exit_status(self) -> int | None:
        """The exit status, ``None`` while it runs."""
        return self._popen.poll()

    @property
    def stopped(self) -> str | None:
        """Return why we stopped it (memory or time), ``None`` if we did not."""
        return self._watch.stopped

    def why_stopped(self) -> str | None:
        """Return :attr:`stopped` of a guest that has closed its channel, once that is known."""
        self._watch.join(ENDING_SECONDS)
        return self.stopped

    def wait(self, seconds: float) -> int | None:
        """Wait until it ends by itself and its output is read; ``None`` if it has not ended."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
            self._watch.join(ENDING_SECONDS)
        return self._popen.returncode

    def stderr_tail(self) -> str:
        """Return the end of what it has printed, at most 64 KiB."""
        return self._watch.tail()

    def close(self) -> None:
        """Kill every process of the guest, wait for them, free what it held."""
        if self._closed:
            return
        self._watch.kill()
        select.select([self._process], [], [], END_SECONDS)
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(END_SECONDS)
        self._watch.join(END_SECONDS)
        self._held.close()
        self._closed = True

    def __enter__(self) -> Self:
        """Return the running guest."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it, whatever has happened."""
        self.close()
