"""Test files in groups, each run by one pytest process."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .processes import Ended, Processes
from .records import Case, Record, read

# a shell starts background processes with SIGINT ignored, and tests of interruption inherit that
PYTEST = (
    *("env", "--default-signal=INT,QUIT", sys.executable, "-m", "pytest"),
    *("-p", "no:cacheprovider", "-p", "scripts.gating.recorder"),
    "--continue-on-collection-errors",
)
GROUPS_PER_PROCESS = 8
LEAST_GROUP_SECONDS = 100.0
UNKNOWN_SECONDS = 0.5
NOTHING_COLLECTED = 5


@dataclass
class Group:
    """Test files that one pytest process runs, and what came of it."""

    files: list[str]
    seconds: float
    started: bool = False
    cut: bool = False
    output: str = ""
    record: Record = field(default_factory=Record)
    crashed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first and the last file."""
        return " to ".join(dict.fromkeys((self.files[0], self.files[-1])))

    @property
    def left_out(self) -> list[str]:
        """The files that were not run to their end because the time was up."""
        if not self.started:
            return self.files
        unfinished = {case.partition("::")[0] for case in self.record.running + self.record.waiting}
        uncollected = not self.record.collected
        return [f for f in self.files if f in unfinished or uncollected] if self.cut else []

    @property
    def bad(self) -> list[Case]:
        """The tests that failed."""
        return [case for case in self.record.cases.values() if case.bad]


@dataclass(frozen=True)
class Pytest:
    """A way to run pytest: the tests, the least limit of a test, and the end of the time."""

    root: Path
    processes: Processes
    only: str
    least_limit: float
    deadline: float | None

    def run(self, group: Group) -> None:
        """Run the group if there is time; after a crash, run once more what had not run."""
        left = self._left()
        if left is not None and left < min(group.seconds, LEAST_GROUP_SECONDS):
            return
        group.started = True
        ended, group.record = self.run_files(group.files, left)
        group.output, group.cut = ended.output, ended.status is None
        crash = self._take(group, ended, group.record)
        rest = sorted({case.partition("::")[0] for case in group.record.waiting})
        if not crash or not rest:
            return
        left = self._left()
        again, record = self.run_files(rest, left, deselected=group.crashed)
        group.output += again.output
        group.cut = again.status is None
        self._take(group, again, record)
        group.record.merge(record)

    def run_files(
        self, files: Sequence[str], seconds: float | None = None, deselected: Iterable[str] = ()
    ) -> tuple[Ended, Record]:
        """Run the files in one process."""
        stem = self.root / "build" / "gate" / files[0].replace("/", ".")
        path, log = stem.with_suffix(".jsonl"), stem.with_suffix(".log")
        path.unlink(missing_ok=True)
        options = [
            f"--gate-record={path}",
            f"--gate-durations={self.root / 'tests' / 'durations.json'}",
            f"--gate-limit={self.least_limit}",
            *(f"--deselect={each}" for each in deselected),
        ]
        ended = self.processes.run([*PYTEST, "-m", self.only, *options, *files], log, seconds)
        return ended, read(path, ended.at)

    def _left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @staticmethod
    def _take(group: Group, ended: Ended, record: Record) -> bool:
        """Note a crash, and a failure that no test tells; return whether it was a crash."""
        if ended.status is None:
            return False
        if record.running or record.waiting or ended.status < 0:
            how = _signal(ended.status)
            group.broken += [f"CRASHED {each} ({how})" for each in record.running]
            group.crashed += record.running
            if not record.running:
                group.broken.append(f"CRASHED {group.name} ({how}), between tests")
            return True
        told = any(case.bad for case in record.cases.values())
        if ended.status not in (0, NOTHING_COLLECTED) and not told:
            group.broken.append(f"FAILED {group.name}: pytest ended with {ended.status}")
        return False


def _signal(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"its process ended with {status}"


def grouped(files: Iterable[str], known: dict[str, float], cores: int) -> list[Group]:
    """Return neighbouring files in groups that take about as long as each other, longest first."""
    timed = [(file, known.get(file, UNKNOWN_SECONDS)) for file in sorted(files)]
    most = sum(seconds for _, seconds in timed) / (cores * GROUPS_PER_PROCESS)
    most = max(most, LEAST_GROUP_SECONDS)
    groups: list[Group] = []
    for file, seconds in timed:
        if not groups or groups[-1].seconds + seconds > most:
            groups.append(Group([], 0.0))
        groups[-1].files.append(file)
        groups[-1].seconds += seconds
    return sorted(groups, key=lambda group: -group.seconds)
