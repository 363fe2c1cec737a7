"""Run the checks and the tests, about one process a core, up to four at once.

Every check and the tests not marked slow; with ``--slow`` the tests marked slow instead, with
``--touched`` those of them that depend on what changed.  Test files run in groups that take about
as long as each other, by the seconds in ``tests/durations.json``.  Neighbours stay together, for
they share fixtures.  Each run writes what it measured to ``build/durations.json``.

Files with failed tests are run once more, alone, at the end.  The last lines name the slowest
tests, what was left out and every test that failed, hung or crashed, and the last one sums up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gating.groups import UNKNOWN_SECONDS, Group, Pytest, grouped
from gating.processes import Processes
from gating.records import Case, counted, of_security, security_tests, unaccepted
from gating.touched import fitting, ranked, recent

ROOT = Path(__file__).resolve().parent.parent
DURATIONS = ROOT / "tests" / "durations.json"
ACCEPTED_SKIPS = ROOT / "tests" / "accepted_skips.toml"
SECURITY = ROOT / "docs" / "security.md"
BUILD = ROOT / "build"
MEASURED = BUILD / "durations.json"
PASSED, PASSED_ALL = BUILD / "passed", BUILD / "passed-all"
PROGRAMS = Path(sys.executable).parent
CHECKS = (
    ("ruff", "check", "--output-format=concise", "."),
    ("ruff", "format", "--check", "--output-format=concise", "."),
    ("lint-imports", "--no-logo"),
    ("mypy",),
)
LEAST_LIMIT = 120.0
TOUCHED_SECONDS = 300.0
# one more file with a flaky test and the run fails
MOST_FLAKY_FILES = 2
SLOWEST = 15
INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for; return the exit status."""
    os.environ.setdefault("CI", "1")
    os.environ["PATH"] = f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}"
    options = _options(arguments)
    (BUILD / "gate").mkdir(parents=True, exist_ok=True)
    return Gate(options).run()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("gate.py", description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--slow", action="store_true", help="run the tests marked slow")
    add(
        "--touched",
        nargs="?",
        const="",
        metavar="SINCE",
        help="run the slow tests that depend on what changed since this commit "
        "(by default the last fifty commits or two days, whichever is less), nearest first",
    )
    add("--seconds", type=float, help="stop then; with --touched 300 by default")
    add("--strict", action="store_true", help="fail for skips not in tests/accepted_skips.toml")
    many = "run so many at once (by default one a core, for everyday tests one more, at most four)"
    add("--processes", type=int, help=many)
    add("--limit", type=float, default=LEAST_LIMIT, help="the least limit of a test, in seconds")
    return parser.parse_args(arguments)


class Gate:
    """One run."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._began = time.monotonic()
        self._strict: bool = options.strict
        self._since: str | None = options.touched
        self._slow: bool = options.slow or self._since is not None
        default = None if self._since is None else TOUCHED_SECONDS
        self._seconds: float | None = options.seconds or default
        # everyday tests wait for a tenth of their time
        self._cores: int = options.processes or min((os.cpu_count() or 1) + (not self._slow), 4)
        self._known = _durations(DURATIONS).get("slow" if self._slow else "everyday", {})
        self._processes = Processes(ROOT)
        self._left_out: list[str] = []
        self._groups: list[Group] = []
        self._failed: list[str] = []
        self._flaky: list[str] = []
        self._unaccepted: list[str] = []
        self._passed = PASSED_ALL if self._slow else PASSED
        self._pytest = Pytest(
            ROOT,
            self._processes,
            "slow" if self._slow else "not slow",
            options.limit,
            None if self._seconds is None else self._began + self._seconds,
        )

    def run(self) -> int:
        """Run all; return the exit status."""
        tree = _clean_tree()
        if self._since is None:
            self._passed.unlink(missing_ok=True)
        _compile()
        self._groups = self._chosen()
        try:
            self._run()
            self._repeat()
        except KeyboardInterrupt:
            self._processes.stop()
        self._sum_up()
        self._judge()
        for line in self._flaky + self._failed:
            print(line)
        print(self._leave(tree), end="")
        print(f"{counted(self._cases)} in {time.monotonic() - self._began:.1f}s")
        if self._processes.stopped:
            return INTERRUPTED
        return 1 if self._failed else 0

    @property
    def _cases(self) -> list[Case]:
        return [case for group in self._groups for case in group.record.cases.values()]

    def _chosen(self) -> list[Group]:
        found = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob("test_*.py"))
        if not self._slow:
            return grouped(found, self._known, self._cores)
        slow = [file for file in found if "pytest.mark.slow" in (ROOT / file).read_text()]
        if self._since is None:
            return grouped(slow, self._known, self._cores)
        since = self._since or recent(ROOT)
        ranks = ranked(ROOT, slow, since)
        near = sum(distance is not None for distance in ranks.values())
        print(
            f"== of {len(slow)} files with slow tests, {near} depend on what changed since {since}"
        )
        seconds = self._seconds or TOUCHED_SECONDS
        groups, self._left_out = fitting(ranks, self._known, self._cores, seconds)
        return groups

    def _run(self) -> None:
        def check(command: Sequence[str]) -> None:
            ended = self._processes.run(command, BUILD / "gate" / f"{' '.join(command)}.log")
            if ended.status:
                self._failed.append(f"FAILED {' '.join(command)}")
            print(f"== {' '.join(command)}\n{ended.output}", end="", flush=True)

        def test(group: Group) -> None:
            self._pytest.run(group)
            print(_told(group), end="", flush=True)

        with ThreadPoolExecutor(self._cores) as pool:
            checks = () if self._slow else reversed(CHECKS)
            started = [pool.submit(check, command) for command in checks]
            started += [pool.submit(test, group) for group in self._groups]
            try:
                for each in started:
                    each.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self._processes.stop()
                raise

    def _repeat(self) -> None:
        """Run files with failed tests once more, alone."""
        files = sorted({case.file for case in self._cases if case.bad and not case.hung})
        if len(files) > MOST_FLAKY_FILES:
            print(f"== tests failed in {len(files)} files, too many to be run again")
            return
        security = security_tests(SECURITY)
        for file in files:
            print(f"== again, alone: {file}", flush=True)
            ended, record = self._pytest.run_files([file])
            print(ended.output if ended.status else "", end="", flush=True)
            [group] = [group for group in self._groups if file in group.files]
            for case in group.bad:
                again = record.cases.get(case.id)
                if again and again.outcome == "passed" and not case.hung:
                    self._flaky.append(f"FLAKY {case.id}")
                    if of_security(case, security):
                        case.reason = ", for it tests security: it failed once and passed alone"
                    else:
                        case.outcome = "passed"
            group.record.cases |= {each.id: each for each in record.cases.values() if each.bad}

    def _judge(self) -> None:
        """Note each test that failed, each crash, and each skip that is not accepted."""
        for case in self._cases:
            if case.bad:
                self._failed.append(f"{'HUNG' if case.hung else 'FAILED'} {case.id}{case.reason}")
        self._failed += [line for group in self._groups for line in group.broken]
        self._unaccepted = [
            f"SKIPPED {case.id}: {case.reason} (not in tests/{ACCEPTED_SKIPS.name})"
            for case in unaccepted(self._cases, ACCEPTED_SKIPS)
        ]
        if self._strict:
            self._failed += self._unaccepted

    def _sum_up(self) -> None:
        """Print the slowest tests and what was left out; write the seconds of each file."""
        cases = sorted(self._cases, key=lambda case: -case.seconds)
        for case in cases[:SLOWEST]:
            print(f"{case.seconds:7.1f} s {case.id}")
        out = sorted(
            {*self._left_out, *(file for group in self._groups for file in group.left_out)}
        )
        for file in out:
            print(f"== left out, for lack of time: {file}")
        for group in self._groups:
            for running in group.record.running if group.cut else ():
                print(f"== cut while it ran: {running}")
        self._left_out = out
        seconds = {file: 0.0 for group in self._groups for file in group.files if file not in out}
        for case in cases:
            if case.file in seconds:
                seconds[case.file] += case.seconds
        measured = _durations(MEASURED) or _durations(DURATIONS)
        measured["slow" if self._slow else "everyday"] = {
            file: round(took, 1)
            for file, took in sorted({**self._known, **seconds}.items())
            if took >= UNKNOWN_SECONDS and (ROOT / file).exists()
        }
        MEASURED.write_text(json.dumps(measured, indent=1) + "\n")

    def _leave(self, tree: str | None) -> str:
        """Write which tree passed, if all of it did; return why not."""
        if self._since is not None:
            return ""
        if self._failed or self._processes.stopped:
            PASSED_ALL.unlink(missing_ok=True)
            return ""
        if self._unaccepted:
            skips = "\n".join(self._unaccepted)
            return f"{skips}\nno build/{self._passed.name}: CI does not accept these skips\n"
        if tree is None or tree != _clean_tree():
            return f"no build/{self._passed.name}: the tree is not clean\n"
        everyday = PASSED.read_text().strip() if PASSED.exists() else ""
        if self._slow and (self._left_out or everyday != tree):
            return "no build/passed-all: not every test of this tree ran\n"
        self._passed.write_text(f"{tree}\n")
        return ""


def _clean_tree() -> str | None:
    """Return the hash of the tree, if nothing differs from what is committed."""
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if status.returncode or status.stdout:
        return None
    hashed = ["git", "rev-parse", "HEAD^{tree}"]
    done = subprocess.run(hashed, cwd=ROOT, check=False, capture_output=True, text=True)
    return done.stdout.strip() or None


def _compile() -> None:
    """Compile what is tested once: guests write no bytecode, and there are hundreds of them."""
    folders = [folder for folder in ("analyzers", "app", "worker") if (ROOT / folder).is_dir()]
    command = [sys.executable, "-m", "compileall", "-q", "-j", "0", *folders]
    if folders:
        subprocess.run(command, cwd=ROOT, check=False)


def _told(group: Group) -> str:
    if not group.started:
        return ""
    if group.bad or group.broken:
        return f"== {group.name}\n{group.output}"
    last = (group.output.strip().splitlines() or [""])[-1]
    return f"== {group.name}: {'cut' if group.cut else last}\n"


def _durations(path: Path) -> dict[str, dict[str, float]]:
    return dict(json.loads(path.read_text())) if path.exists() else {}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
