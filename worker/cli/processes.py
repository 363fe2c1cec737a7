"""Processes beside the one that was asked for."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from types import FrameType

from worker.programs import SEARCH_PATH

FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0
STEADY_SECONDS = 60.0
END_SECONDS = 60.0
_LOOK_SECONDS = 0.2

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Program:
    """What to start; the variables ``unseen`` are kept from it."""

    name: str
    command: tuple[str, ...]
    unseen: frozenset[str] = frozenset()

    @property
    def environment(self) -> dict[str, str]:
        """Its whole environment."""
        return {name: value for name, value in os.environ.items() if name not in self.unseen}


def assayer(name: str, *arguments: str, unseen: frozenset[str] = frozenset()) -> Program:
    """Another ``assayer``."""
    return Program(name, (sys.executable, "-P", "-m", "worker.cli", *arguments), unseen)


def stopped_by_signals() -> Event:
    """An event that SIGINT and SIGTERM set."""
    stop = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    return stop


def supervise(main: Program, others: Sequence[Program], stop: Event) -> int:
    """Run ``main``, and ``others`` beside it, until it ends or ``stop`` is set.

    Others that end are started again.  Returns the exit status of ``main``,
    0 where it was asked to end.  Call it in the main thread: its children
    end with it.
    """
    first = _Child(main)
    children = [_Child(program) for program in others]
    try:
        first.start()
        while not stop.wait(_LOOK_SECONDS) and first.is_alive:
            for child in children:
                child.look_after()
    finally:
        for child in (first, *children):
            child.ask_to_end()
        deadline = time.monotonic() + END_SECONDS
        for child in (first, *children):
            child.end(deadline)
    return 0 if stop.is_set() else max(0, first.status)


class _Child:
    """A process that is started again when it ends, later each time."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._wait = FIRST_WAIT
        self._began = self._next = time.monotonic()

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def status(self) -> int:
        return 0 if self._process is None else self._process.returncode or 0

    def start(self) -> None:
        self._began = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - Assayer itself
            [*_bond(), *self._program.command], env=self._program.environment
        )

    def look_after(self) -> None:
        """Start it where it does not run and its pause is over."""
        now = time.monotonic()
        if self.is_alive:
            return
        if self._process is not None:
            self._rest(now)
        if now >= self._next:
            self.start()

    def _rest(self, now: float) -> None:
        """It has ended: make it wait, longer if it did not live long."""
        assert self._process is not None
        steady = now - self._began > STEADY_SECONDS
        self._wait = FIRST_WAIT if steady else self._wait
        status = self._process.returncode
        _log.error("the %s ended with %d; again in %.0f s", self._program.name, status, self._wait)
        self._next, self._process = now + self._wait, None
        self._wait = min(self._wait * 2, LONGEST_WAIT)

    def ask_to_end(self) -> None:
        if self._process is not None and self.is_alive:
            self._process.terminate()

    def end(self, deadline: float) -> None:
        """Wait for its end until ``deadline``, then kill it."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _bond() -> tuple[str, ...]:
    """The prefix of a command that ends with us, however we end."""
    program = shutil.which("setpriv", path=SEARCH_PATH)
    return () if program is None else (program, "--pdeathsig", "TERM", "--")
