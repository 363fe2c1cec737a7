"""What dead runs have left is removed; what lives and what is others' is not."""

import fcntl
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from worker.mounts import mounts_below
from worker.settings.server import read_settings
from worker.sources.kept import pictures_folder
from worker.sweeping import Swept, sweep
from worker.temporary import PARTS, folder_of_all, owned_folder

root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has slots and mount points")
SANDBOX = """
set -e
mount -t tmpfs tmpfs "$1"; cd "$1"
for folder in usr bin sbin lib lib64 proc scratch old; do mkdir $folder; done
for folder in usr bin sbin lib lib64; do [ ! -e /$folder ] || mount --rbind /$folder $folder; done
mount -t tmpfs tmpfs scratch
mount -t proc proc proc
exec chroot "$1" setpriv --reuid "$2" --regid "$2" --clear-groups sleep 600
"""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return read_settings(None)


@pytest.fixture
def state(tmp_path):
    (tmp_path / "run" / "stage").mkdir(parents=True)
    return tmp_path / "run"


def test_nothing_is_found_where_nothing_was_left(settings, state):
    with owned_folder("mine"):
        swept = sweep(settings, state)
    assert swept == Swept()
    assert str(swept) == "nothing was left behind"


def test_absent_folders_are_no_trouble(settings, tmp_path):
    assert sweep(settings, tmp_path / "nowhere") == Swept()


def test_folders_and_parts_are_removed_and_counted(settings, state):
    (folder_of_all() / "git-1").mkdir(parents=True)
    (pictures_folder() / PARTS).mkdir(parents=True)
    (pictures_folder() / PARTS / "half").touch()
    swept = sweep(settings, state)
    assert (swept.folders, swept.parts) == (("git-1",), ("half",))
    assert str(swept) == "removed what dead runs had left: 1 folders, 1 parts"
    assert sweep(settings, state) == Swept()


@root
def test_free_slots_are_removed_and_held_ones_stay(settings, state):
    for uid in (61184, 61185):
        (state / f"{uid}.lock").touch()
    with (state / "61185.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sweep(settings, state).slots == ("61184",)
    assert [path.name for path in state.glob("*.lock")] == ["61185.lock"]


@root
def test_mount_that_became_visible_is_unmounted(settings, state):
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", state / "stage"], check=False)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        assert sweep(settings, state).mounts == (str(state / "stage"),)
        assert mounts_below(state) == []
    finally:
        subprocess.run(["umount", state / "stage"], check=False, capture_output=True)


@pytest.fixture
def sandboxed(tmp_path, settings):
    """A process that looks like a guest whose host is gone."""
    place = tmp_path / "root"
    place.mkdir()
    uid = settings.sandbox.uids[-1]
    process = subprocess.Popen(
        [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            SANDBOX,
            "sh",
            place,
            str(uid),
        ],
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while process.poll() is None and "sleep" not in _name(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    if process.poll() is not None:
        pytest.skip(f"no sandbox can be made here: {process.stderr.read()}")
    yield process, uid
    process.kill()
    process.communicate()


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


@root
def test_stray_of_a_free_slot_is_killed(settings, state, sandboxed):
    process, uid = sandboxed
    with (state / f"{uid}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sweep(settings, state).processes == ()
        assert process.poll() is None
    assert sweep(settings, state).processes == (f"{process.pid} of uid {uid}",)
    assert process.wait(30) == -9


@root
def test_other_programs_under_a_slots_uid_live(settings, state):
    uid = settings.sandbox.uids[-2]
    command = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "sleep", "600"]
    with subprocess.Popen(command) as process:
        try:
            assert sweep(settings, state).processes == ()
            assert process.poll() is None
        finally:
            process.kill()


def test_sweeping_nothing_is_quick(settings, state):
    sweep(settings, state)
    began = time.process_time()
    for _ in range(10):
        sweep(settings, state)
    assert time.process_time() - began < 10 * 0.2
