"""A child process whose output, errors and time are bounded."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

CHUNK = 1 << 16
MOST_SAID = 2 * CHUNK
"""Bytes of the end of what is said that are kept, in however many pieces it came."""
END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Call:
    """What to run: fixed program, no shell, ``environment`` and nothing else."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    stdin: IO[bytes] | None = None


class Running:
    """A process group of its own; ``stop`` ends all of it, and may be called from anywhere."""

    def __init__(self, call: Call) -> None:
        self._popen = subprocess.Popen(  # noqa: S603 - fixed program, no shell
            call.command,
            stdin=call.stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=call.folder,
            env=dict(call.environment),
            start_new_session=True,
        )
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        self.output: IO[bytes] = self._popen.stdout
        self.stopped: str | None = None
        self.complained = 0
        self._errors = self._popen.stderr
        self._bond = os.pidfd_open(self._popen.pid)
        self._guard = threading.Lock()
        self._status: int | None = None
        self._last = b""
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process's id, also its group's."""
        return self._popen.pid

    @property
    def said(self) -> str:
        """The end of what it wrote to standard error, in printable characters."""
        text = self._last.decode(errors="replace").strip()
        return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)

    def stop(self, reason: str) -> None:
        """Kill the group; the first reason stands in ``stopped``."""
        self.stopped = self.stopped or reason
        self._kill()

    def ended(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        return bool(select.select([self._bond], [], [], seconds)[0])

    def close(self) -> int:
        """End it, free what it held, and return its exit status."""
        if self._status is None:
            self._kill()
            with self._guard:
                self._status = self._popen.wait()
            self._reader.join(END_SECONDS)
            self.output.close()
            self._errors.close()
            os.close(self._bond)
        return self._status

    def _kill(self) -> None:
        """Kill the group, whose number is nobody else's before it was waited for."""
        with self._guard, suppress(ProcessLookupError):
            if self._status is None:
                os.killpg(self._popen.pid, signal.SIGKILL)

    def _read_errors(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._errors.fileno(), CHUNK):
                self.complained += len(piece)
                self._last = (self._last + piece)[-MOST_SAID:]


@contextmanager
def running(call: Call, seconds: float) -> Generator[Running]:
    """Lend a process that is stopped when ``seconds`` are over, and at the end."""
    process = Running(call)
    clock = threading.Timer(seconds, process.stop, [f"did not end within {seconds:.0f} s"])
    clock.daemon = True
    clock.start()
    try:
        yield process
    finally:
        clock.cancel()
        process.close()
