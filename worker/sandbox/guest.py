"""A guest: the one process in which tested code runs."""

from __future__ import annotations

import importlib.util
import select
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from worker.errors import MachineError
from worker.sandbox.channel import Channel
from worker.sandbox.isolation import Isolation
from worker.sandbox.launch import Plan, Program, launch
from worker.sandbox.limits import Limits
from worker.sandbox.watch import Watch

END_SECONDS = 10.0
ENDING_SECONDS = 1.0


def guest_program() -> Program:
    """Return the guest half of the analyzers, without importing it."""
    spec = importlib.util.find_spec("analyzers.guest")
    if spec is None or not spec.submodule_search_locations:
        raise MachineError("The guest package is missing.", "Install Assayer again.")
    return Program(Path(spec.submodule_search_locations[0]), "_assayer_guest")


class GuestProcess:
    """One running guest; a context manager that leaves no process behind.

    The guest dies with the thread that started it, so that it dies with the
    host however the host ends: start it in the thread that uses it.
    """

    def __init__(self, plan: Plan) -> None:
        with ExitStack() as held:
            launched = launch(plan, held)
            self._held = held.pop_all()
        self.channel = Channel(launched.socket)
        self.root = launched.root
        self.pid = launched.pid
        self._popen = launched.popen
        self._process = launched.process
        self._closed = False
        self._watch = Watch(launched, plan.limits)
        self._watch.start()

    @classmethod
    def start(
        cls,
        isolation: Isolation,
        *,
        tree: Path,
        python: Path | str = sys.executable,
        limits: Limits | None = None,
        program: Program | None = None,
        network: bool = False,
        layer: Path | None = None,
    ) -> Self:
        """Start a guest on ``tree``, a copy of a checkout that is ours.

        ``python`` is the tested project's interpreter; ``root`` of the result
        is where the guest sees the tree.  As root, a tree that others cannot
        read is opened to them.  ``layer`` is one more folder that it reads,
        at the place where it lies.  ``network`` lets it open IPv4 sockets, which
        reach nothing but its own network namespace.  Raises ``MachineError`` where the guest does
        not start.
        """
        plan = Plan(
            isolation,
            tree.resolve(),
            Path(python),
            limits or Limits(),
            program or guest_program(),
            network,
            layer,
        )
        return cls(plan)

    @property
    def exit_status(self) -> int | None:
        """The exit status, ``None`` while it runs."""
        return self._popen.poll()

    @property
    def stopped(self) -> str | None:
        """Why we stopped it (memory or time), ``None`` if we did not."""
        return self._watch.stopped

    def why_stopped(self) -> str | None:
        """Return :attr:`stopped` of a guest that has closed its channel, once that is known."""
        self._watch.join(ENDING_SECONDS)
        return self.stopped

    def wait(self, seconds: float) -> int | None:
        """Wait for it to end by itself; ``None`` if it has not."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
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
