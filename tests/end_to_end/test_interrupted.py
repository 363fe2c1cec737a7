"""A signal in the middle: nothing is left running, and what was found is kept."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.commandline import AMPLE, ASSAYER, Checked, Ended

PATIENCE = 600


@dataclass(frozen=True)
class Process:
    """A process; its start time tells it from a later one of the same id."""

    pid: int
    parent: int
    started: str
    state: str

    @classmethod
    def read(cls, pid: int) -> "Process | None":
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return cls(pid, int(fields[1]), fields[19], fields[0])

    @property
    def alive(self) -> bool:
        now = Process.read(self.pid)
        return now is not None and now.started == self.started and now.state != "Z"


def descendants(pid: int) -> list[Process]:
    known = [Process.read(int(entry.name)) for entry in Path("/proc").iterdir() if _is_pid(entry)]
    below, found = {pid}, []
    while fresh := [p for p in known if p and p.parent in below and p not in found]:
        found += fresh
        below |= {process.pid for process in fresh}
    return found


def _is_pid(entry: Path) -> bool:
    return entry.name.isdigit()


def interrupted(
    desk, folder: Path, after: str, count: int = 1, number: int = signal.SIGINT, jobs: int = 2
) -> tuple[Checked, list[Process]]:
    """A check that gets a signal, as a terminal sends it, once it has said ``after``."""
    folder.mkdir()
    said = folder / "stderr"
    with said.open("w") as errors:
        process = subprocess.Popen(
            [
                *(ASSAYER, "check", desk.repository, "--base", "main", "--head", "planted"),
                *("--format", "json", "--output", folder / "report.json", "--artifacts", folder),
                *("--jobs", str(jobs), "--fresh", *AMPLE),
            ],
            env=desk.home.environment(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    began = time.monotonic()
    while after not in said.read_text() and process.poll() is None:
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.02)
    time.sleep(0.5)
    children = descendants(process.pid)
    for _ in range(count):
        os.killpg(process.pid, number)
        time.sleep(0.05)
    status = process.wait(timeout=PATIENCE)
    return Checked(Ended(status, "", said.read_text(), time.monotonic() - began), folder), children


def survivors(children: list[Process]) -> list[Process]:
    """Those that live on, when they had time to end."""
    deadline = time.monotonic() + PATIENCE
    while any(child.alive for child in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    return [child for child in children if child.alive]


@pytest.fixture(scope="module")
def stopped(desk, tmp_path_factory):
    """A check stopped by an impatient user while two functions were examined, side by side."""
    return interrupted(desk, tmp_path_factory.mktemp("stopped") / "run", "[2/", count=4)


@pytest.mark.slow
def test_interruption_has_a_status_of_its_own(stopped):
    assert stopped[0].status == 128 + signal.SIGINT
    assert "Interrupted; partial results" in stopped[0].ended.err
    assert "Traceback" not in stopped[0].ended.err


def test_partial_report_is_kept(stopped):
    report = stopped[0].report
    assert (report["partial"], report["interrupted"]) == (True, True)
    assert report["verdict"] == "neutral"
    assert len(report["targets"]) == 12


def test_children_are_gone(stopped):
    assert stopped[1]
    assert survivors(stopped[1]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_killed_check_leaves_a_partial_report(desk, tmp_path, number, status):
    checked, children = interrupted(desk, tmp_path / "run", "[2/", number=number, jobs=1)
    failed = number is signal.SIGTERM and checked.report["verdict"] == "failure"
    assert checked.status == (1 if failed else status)
    assert checked.report["interrupted"] is True
    assert checked.report["partial"] is True
    executed = [target for target in checked.report["targets"] if target["executions"]]
    assert 1 <= len(executed) <= 2
    others = [target for target in checked.report["targets"] if not target["executions"]]
    assert {"the run was interrupted"} <= {reason for t in others for reason in t["reasons"]}
    assert survivors(children) == []


@pytest.mark.parametrize("after", [pytest.param("", marks=pytest.mark.slow), "functions to test"])
def test_no_moment_shows_a_traceback(desk, tmp_path, after):
    checked, children = interrupted(desk, tmp_path / "run", after)
    assert checked.status == 130
    assert "Traceback" not in checked.ended.err
    assert survivors(children) == []
