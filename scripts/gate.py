"""Run the checks and the tests, one process a core, up to four at once.

Usage: python scripts/gate.py                    every check, and the tests not marked slow
       python scripts/gate.py --slow [SECONDS]   the tests marked slow, as time permits

Test files run in groups that take about as long as each other, by the seconds in
``tests/durations.json``.  Neighbours stay together, for they share fixtures.  Each run
writes what it measured to ``build/durations.json`` and prints the slowest tests.
The last line sums up.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
DURATIONS = ROOT / "tests" / "durations.json"
MEASURED = ROOT / "build" / "durations.json"
PROGRAMS = Path(sys.executable).parent
CHECKS = (
    ("ruff", "check", "--output-format=concise", "."),
    ("ruff", "format", "--check", "--output-format=concise", "."),
    ("lint-imports", "--no-logo"),
    ("mypy",),
    ("pyright",),
)
# a shell starts background processes with SIGINT ignored, and tests of interruption inherit that
PYTEST = (
    "env",
    "--default-signal=INT,QUIT",
    sys.executable,
    "-m",
    "pytest",
    "-p",
    "no:cacheprovider",
)
GROUPS_PER_PROCESS = 5
LEAST_GROUP_SECONDS = 60.0
UNKNOWN_SECONDS = 0.5
GRACE_SECONDS = 30.0
NO_LIMIT = 24 * 3600.0
NOTHING_COLLECTED = 5
SLOWEST = 15


@dataclass
class Group:
    """Test files that one pytest process runs, and what came of it."""

    files: list[str]
    seconds: float
    status: int | None = None
    output: str = ""
    cases: list[ElementTree.Element] = field(default_factory=list)


class Processes:
    """The processes that run now, to be stopped together."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()

    def run(self, command: Sequence[str], seconds: float = NO_LIMIT) -> tuple[int | None, str]:
        """Return the exit status (``None`` if the time was up) and the output."""
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            self._running.add(process)
            try:
                output, _ = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                _stop(process)
                return None, ""
            finally:
                self._running.discard(process)
            return process.returncode, output

    def stop(self) -> None:
        """Interrupt all of them."""
        for process in list(self._running):
            process.send_signal(signal.SIGINT)


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for; return the exit status."""
    os.environ.setdefault("CI", "1")
    os.environ["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"
    os.environ["PATH"] = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"
    slow = "--slow" in arguments
    limits = [float(argument) for argument in arguments if argument != "--slow"]
    began = time.monotonic()
    _compile()
    files = _files()
    if slow:
        files = [file for file in files if "pytest.mark.slow" in (ROOT / file).read_text()]
    cores = min(os.cpu_count() or 1, 4)
    known = _known(slow=slow)
    groups = grouped(files, known, cores)
    limit = limits[0] if limits else NO_LIMIT
    groups = _rotated(groups, limit * cores) if slow else sorted(groups, key=_negative_seconds)
    failed = _run([] if slow else CHECKS, groups, cores, (slow, began + limit))
    _sum_up(groups, known, slow=slow)
    for name in failed:
        print(f"== failed: {name}")
    print(f"{_counted(groups)} in {time.monotonic() - began:.1f}s")
    return 1 if failed else 0


def _compile() -> None:
    """Compile what is tested once: guests write no bytecode, and there are hundreds of them."""
    folders = [folder for folder in ("analyzers", "app", "worker") if (ROOT / folder).is_dir()]
    command = [sys.executable, "-m", "compileall", "-q", "-j", "0", *folders]
    if folders:
        subprocess.run(command, cwd=ROOT, check=False)


def grouped(files: Iterable[str], known: dict[str, float], cores: int) -> list[Group]:
    """Return neighbouring files in groups that take about as long as each other."""
    timed = [(file, known.get(file, UNKNOWN_SECONDS)) for file in sorted(files)]
    most = sum(seconds for _, seconds in timed) / (cores * GROUPS_PER_PROCESS)
    most = max(most, LEAST_GROUP_SECONDS)
    groups: list[Group] = []
    for file, seconds in timed:
        if not groups or groups[-1].seconds + seconds > most:
            groups.append(Group([], 0.0))
        groups[-1].files.append(file)
        groups[-1].seconds += seconds
    return groups


def _run(
    checks: Sequence[Sequence[str]],
    groups: Sequence[Group],
    cores: int,
    tests: tuple[bool, float],
) -> list[str]:
    """Run all; return the names of what failed."""
    slow, deadline = tests
    processes = Processes()
    failed: list[str] = []

    def check(command: Sequence[str]) -> None:
        status, output = processes.run(command)
        if status:
            failed.append(" ".join(command))
        print(f"== {' '.join(command)}\n{output}", end="", flush=True)

    def test(group: Group) -> None:
        _test(group, processes, slow=slow, deadline=deadline)
        if group.status not in (0, None, NOTHING_COLLECTED):
            failed.append(f"{group.files[0]} to {group.files[-1]}")
        print(_told(group), end="", flush=True)

    with ThreadPoolExecutor(cores) as pool:
        started = [pool.submit(check, command) for command in reversed(checks)]
        started += [pool.submit(test, group) for group in groups]
        try:
            for each in started:
                each.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise
    return failed


def _test(group: Group, processes: Processes, *, slow: bool, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left < min(group.seconds, LEAST_GROUP_SECONDS):
        return
    report = MEASURED.with_name(f"{group.files[0].replace('/', '.')}.xml")
    report.unlink(missing_ok=True)
    only = "slow" if slow else "not slow"
    command = [*PYTEST, "-m", only, f"--junitxml={report}", *group.files]
    group.status, group.output = processes.run(command, left)
    if report.exists():
        group.cases = list(ElementTree.parse(report).iter("testcase"))


def _told(group: Group) -> str:
    name = f"{group.files[0]} to {group.files[-1]}"
    if group.status is None:
        return f"== left out, for the time was up: {' '.join(group.files)}\n"
    if group.status in (0, NOTHING_COLLECTED):
        return f"== {name}: {group.output.strip().splitlines()[-1]}\n"
    return f"== {name}\n{group.output}"


def _files() -> list[str]:
    found = (ROOT / "tests").rglob("test_*.py")
    return sorted(str(file.relative_to(ROOT)) for file in found)


def _known(*, slow: bool) -> dict[str, float]:
    return _durations(DURATIONS).get("slow" if slow else "everyday", {})


def _durations(path: Path) -> dict[str, dict[str, float]]:
    return dict(json.loads(path.read_text())) if path.exists() else {}


def _negative_seconds(group: Group) -> float:
    return -group.seconds


def _rotated(groups: list[Group], seconds: float) -> list[Group]:
    """Return the groups from the one on that an equally long run of the last commit left out."""
    counting = ["git", "rev-list", "--count", "HEAD"]
    counted = subprocess.run(counting, cwd=ROOT, capture_output=True, text=True, check=False)
    total = sum(group.seconds for group in groups)
    fitting = int(len(groups) * min(1.0, seconds / max(total, 1.0)))
    first = int(counted.stdout or 0) * max(fitting, 1) % max(len(groups), 1)
    return groups[first:] + groups[:first]


def _stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _sum_up(groups: Sequence[Group], known: dict[str, float], *, slow: bool) -> None:
    """Print the slowest tests; write the seconds of each file."""
    seconds = {file: 0.0 for group in groups if group.cases for file in group.files}
    tests: list[tuple[float, str]] = []
    for group in groups:
        for case in group.cases:
            file, took = _file_of(case, group), float(case.get("time", 0))
            seconds[file] = seconds.get(file, 0.0) + took
            tests.append((took, f"{case.get('classname')}::{case.get('name')}"))
    for took, name in sorted(tests, reverse=True)[:SLOWEST]:
        print(f"{took:7.1f} s {name}")
    measured = _durations(MEASURED) or _durations(DURATIONS)
    new = {**known, **seconds}
    measured["slow" if slow else "everyday"] = {
        file: round(took, 1)
        for file, took in sorted(new.items())
        if took >= UNKNOWN_SECONDS and (ROOT / file).exists()
    }
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.write_text(json.dumps(measured, indent=1) + "\n")


def _file_of(case: ElementTree.Element, group: Group) -> str:
    """Return the file of a test, which JUnit's form names as a module, maybe with a class."""
    name = str(case.get("classname")).replace(".", "/") + "/"
    return next((file for file in group.files if name.startswith(file[:-3] + "/")), name)


def _counted(groups: Sequence[Group]) -> str:
    """Return how many tests passed, failed and were skipped, as pytest's closing line does."""
    counts: Counter[str] = Counter()
    for case in (case for group in groups for case in group.cases):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        counts[kinds.pop() if kinds else "passed"] += 1
    words = (
        ("failure", "failed"),
        ("passed", "passed"),
        ("skipped", "skipped"),
        ("error", "errors"),
    )
    return ", ".join(f"{counts[k]} {word}" for k, word in words if counts[k]) or "no tests ran"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
