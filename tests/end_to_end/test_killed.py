"""SIGKILL in the middle: nothing runs on, and the next start removes what is left."""

import fcntl
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.commandline import AMPLE, ASSAYER, Home
from tests.end_to_end.test_interrupted import Process, descendants

PATIENCE = 600
STATE = Path("/run/assayer")
ON_SMALL_DISK = """
mount -t tmpfs -o size=60k,mode=1777 tmpfs "$1" || exit
shift
"$@"
echo "$?"
find "$TMPDIR"
"""
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")


@dataclass(frozen=True)
class CheckHome:
    """Checks with a temporary folder and sandbox users of their own."""

    home: Home
    temporary: Path
    first: int

    def environment(self) -> dict:
        return self.home.environment(
            TMPDIR=str(self.temporary),
            ASSAYER_SANDBOX__UID_FIRST=str(self.first),
            ASSAYER_SANDBOX__UID_COUNT="16",
        )

    @property
    def folders(self) -> list[str]:
        return [str(path) for path in self.temporary.glob("assayer-*/*")]

    @property
    def locks(self) -> list[Path]:
        places = [STATE / f"{uid}.lock" for uid in range(self.first, self.first + 16)]
        return [place for place in places if place.exists()]

    def start(self, repository: Path, said: Path, *arguments: str) -> subprocess.Popen:
        command = [ASSAYER, "check", repository, *AMPLE, "--base", "main", "--head", "planted"]
        with said.open("w") as errors:
            return subprocess.Popen(
                [*command, *arguments],
                env=self.environment(),
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )

    def sweep(self, repository: Path) -> None:
        """A start that has nothing else to do."""
        done = subprocess.run(
            [ASSAYER, "check", repository, "--base", "main", "--head", "main", "--quiet"],
            env=self.environment(), capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


@pytest.fixture
def machine(desk, tmp_path):
    (tmp_path / "tmp").mkdir()
    return CheckHome(desk.home, tmp_path / "tmp", 20_000 + os.getpid() % 2000 * 16)


def killed(process: subprocess.Popen, said: Path, after: str) -> list[Process]:
    """What ran below a check when it was killed, once it had said ``after``."""
    deadline = time.monotonic() + PATIENCE
    while after not in said.read_text() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    below = descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)
    return below


def wait_for_the_end_of(processes: list[Process]) -> None:
    deadline = time.monotonic() + PATIENCE
    while alive := [process for process in processes if process.alive]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.05)


def free(lock: Path) -> bool:
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def wait_until_free(locks: list[Path]) -> None:
    """Wait for processes too that began between the look at them and the kill."""
    deadline = time.monotonic() + PATIENCE
    while held := [lock for lock in locks if not free(lock)]:
        assert time.monotonic() < deadline, held
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "arguments"),
    [("functions to test", ()), ("[1/", ()), ("[1/", ("--trust",))],
)  # fmt: skip
def test_killed_check_leaves_nothing(desk, machine, tmp_path, after, arguments):
    mounts = Path("/proc/self/mountinfo").read_text().count("assayer")
    said = tmp_path / "said"
    below = killed(machine.start(desk.repository, said, *arguments), said, after)
    wait_for_the_end_of(below)
    wait_until_free(machine.locks)
    assert machine.folders or "[" not in after
    machine.sweep(desk.repository)
    assert machine.folders == []
    assert machine.locks == []
    assert Path("/proc/self/mountinfo").read_text().count("assayer") <= mounts


@pytest.mark.slow
def test_living_check_is_not_swept(desk, machine, tmp_path):
    said = tmp_path / "said"
    process = machine.start(desk.repository, said, "--target", "desk/archive.py::shelf")
    deadline = time.monotonic() + PATIENCE
    while "[1/" not in said.read_text() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    machine.sweep(desk.repository)
    assert process.wait(PATIENCE) == 0, said.read_text()
    assert (machine.folders, machine.locks) == ([], [])


@root
def test_check_on_a_full_disk_leaves_nothing(desk, machine):
    command = [ASSAYER, "check", desk.repository, "--base", "main", "--head", "planted", "--quiet"]
    prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ON_SMALL_DISK, "sh"]
    done = subprocess.run(
        [*prefix, machine.temporary, *command],
        env=machine.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    if "mount:" in done.stderr or done.stderr.startswith("unshare:"):
        pytest.skip(f"nothing can be mounted here: {done.stderr}")
    status, *left = done.stdout.splitlines()
    assert status == "3", done.stderr
    assert "No space left on device" in done.stderr
    assert [path for path in left if Path(path).parent.name.startswith("assayer-")] == []


@pytest.mark.slow
@root
def test_check_may_be_the_first_process_of_a_container(desk, machine):
    command = [ASSAYER, "check", desk.repository, *AMPLE, "--base", "main", "--head", "planted"]
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    done = subprocess.run(
        [*alone, *command, "--target", "desk/archive.py::shelf"],
        env=machine.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    if done.stderr.startswith("unshare:"):
        pytest.skip(f"no process namespace can be made here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert (machine.folders, machine.locks) == ([], [])
