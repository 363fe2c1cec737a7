"""The git command, run so that a hostile repository can make it run nothing."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from worker.errors import MachineError, UsageError
from worker.system.programs import environment, located, search_path

CHUNK = 1 << 16
MOST_SAID = 2 * CHUNK
"""Bytes of the end of what is said that are kept, in however many pieces it came."""
END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ProcessCall:
    """A program to run: fixed, without a shell, with ``environment`` and nothing else."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    stdin: IO[bytes] | None = None


class RunningProcess:
    """A process group of its own; ``stop`` ends all of it, and may be called from anywhere."""

    def __init__(self, call: ProcessCall) -> None:
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
        """Return whether it ends within so many seconds."""
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
        with self._guard, suppress(ProcessLookupError):
            if self._status is None:
                os.killpg(self._popen.pid, signal.SIGKILL)

    def _read_errors(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._errors.fileno(), CHUNK):
                self.complained += len(piece)
                self._last = (self._last + piece)[-MOST_SAID:]


@contextmanager
def run_bounded(call: ProcessCall, seconds: float) -> Generator[RunningProcess]:
    """Lend a process that is stopped when ``seconds`` are over, and at the end."""
    process = RunningProcess(call)
    clock = threading.Timer(seconds, process.stop, [f"did not end within {seconds:.0f} s"])
    clock.daemon = True
    clock.start()
    try:
        yield process
    finally:
        clock.cancel()
        process.close()


SECONDS = 120.0
MAX_OUTPUT = 256 << 20

OURS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
"""For a repository of our own: nobody else's configuration has a say."""

_KEPT = ("HOME", "XDG_CONFIG_HOME", "TMPDIR")
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_CONFIGURATION = (
    "advice.graftFileDeprecated=false",
    "core.bigFileThreshold=1m",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.precomposeUnicode=false",
    "submodule.recurse=false",
)


class GitError(MachineError):
    """Git ended with an error; ``message`` is what it said, in printable characters."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "Run git fsck; in a partial clone fetch what is missing.")


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one directory, without the caller's ``GIT_*``, protocols, hooks or file monitors."""

    directory: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        """Return the output; raise ``GitError``, ``UsageError`` (size), ``MachineError``."""
        with (
            self._input(stdin) as file,
            self.output(*arguments, stdin=file, environment=environment) as stream,
        ):
            said = stream.read(MAX_OUTPUT + 1)
        if len(said) > MAX_OUTPUT:
            raise UsageError(
                f"git {arguments[0]} says more than {MAX_OUTPUT:,} bytes about {self.directory}"
            )
        return said

    @contextmanager
    def output(
        self,
        *arguments: str,
        stdin: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Generator[IO[bytes]]:
        """Lend the standard output of a git command; leaving early ends it.  Raises as ``run``."""
        variables = self.variables | dict(environment or {})
        call = ProcessCall(self.command(*arguments), self.directory, variables, stdin)
        with run_bounded(call, SECONDS) as process:
            yield process.output
            complete = not process.output.read(1)
            status = process.close() if complete and process.ended(SECONDS) else 0
        if process.stopped:
            raise MachineError(
                f"git {arguments[0]} {process.stopped}",
                "Look whether the disk is slow or the repository damaged (git fsck).",
            )
        if status:
            raise GitError(process.said)

    def line(self, *arguments: str) -> str:
        """Run one git command and return its output without the last newline."""
        return os.fsdecode(self.run(*arguments)).removesuffix("\n")

    def command(self, *arguments: str) -> list[str]:
        """The command line of a hardened git."""
        program = located("git", self.directory)
        if program is None:
            raise MachineError("git is not installed", "Install git 2.30 or newer.")
        settings = [part for each in _CONFIGURATION for part in ("-c", each)]
        return [program, "--no-pager", *settings, *arguments]

    @property
    def variables(self) -> dict[str, str]:
        """The whole environment that git gets."""
        path = search_path(self.directory)
        return environment(*_KEPT, PATH=path) | _ENVIRONMENT | dict(self.environment)

    @staticmethod
    @contextmanager
    def _input(content: bytes) -> Generator[IO[bytes] | None]:
        if not content:
            yield None
            return
        with tempfile.TemporaryFile() as file:
            file.write(content)
            file.seek(0)
            yield file
