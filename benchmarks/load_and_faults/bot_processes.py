"""Real processes: started, killed, started again, and looked at from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process held at a time (seconds, monotonic): bytes, descriptors, threads."""

    at: float
    memory: int
    descriptors: int
    threads: int


def _children(pid: int) -> list[int]:
    tasks = (Path("/proc") / str(pid) / "task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


@dataclass
class Life:
    """One process from its start on."""

    pid: int
    began: float
    samples: list[Sample] = field(default_factory=list)

    def look(self) -> None:
        """Add a sample of it and its children together, if it lives."""
        memory = descriptors = threads = 0
        with suppress(OSError):
            for pid in (self.pid, *_children(self.pid)):
                place = Path("/proc") / str(pid)
                memory += PAGE * int((place / "statm").read_text().split()[1])
                descriptors += len(list((place / "fd").iterdir()))
                threads += len(list((place / "task").iterdir()))
            self.samples.append(Sample(time.monotonic(), memory, descriptors, threads))


@dataclass
class Program:
    """A program that can be killed with everything it started, and started again."""

    name: str
    command: Sequence[str | Path]
    folder: Path
    variables: Mapping[str, str]
    lives: list[Life] = field(default_factory=list)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(word) for word in self.command],
                env=dict(self.variables),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.lives.append(Life(self._process.pid, time.monotonic()))

    def kill(self) -> None:
        """End it and its children at once, as the end of a machine would."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def end(self, seconds: float = 30.0) -> None:
        """Ask it to end, and kill it where it does not."""
        if self._process is not None and self.alive:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        self.kill()

    def look(self) -> None:
        if self.alive:
            self.lives[-1].look()
