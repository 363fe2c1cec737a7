"""What dead runs have left is removed; what lives and what is others' is not."""

import fcntl
import os
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

import worker.check.leftovers
from worker.check.leftovers import RemovedLeftovers, remove_leftovers
from worker.environments.folder_cache import BUILDING
from worker.sandbox import command_lines
from worker.sandbox.seccomp_filter import FilterOptions, filter_descriptor
from worker.sandbox.supervisor.supervisor import SupervisorOrders
from worker.settings.operator_settings import read_settings
from worker.sources.download_cache import pictures_folder
from worker.system.temporary_files import PARTS, folder_of_all, mounts_below, owned_folder

UIDS = range(1_900_000_000, 1_900_000_004)
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
    monkeypatch.setenv("ASSAYER_SANDBOX__UID_FIRST", str(UIDS.start))
    monkeypatch.setenv("ASSAYER_SANDBOX__UID_COUNT", str(len(UIDS)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker.check.leftovers, "sweep_cgroups", list)
    return read_settings(None)


@pytest.fixture
def state(tmp_path):
    (tmp_path / "run" / "stage").mkdir(parents=True)
    return tmp_path / "run"


def test_nothing_is_found_where_nothing_was_left(settings, state):
    with owned_folder("mine"):
        swept = remove_leftovers(settings, state)
    assert swept == RemovedLeftovers()
    assert str(swept) == "nothing was left behind"


def test_absent_folders_are_no_trouble(settings, tmp_path):
    assert remove_leftovers(settings, tmp_path / "nowhere") == RemovedLeftovers()


def test_folders_and_parts_are_removed_and_counted(settings, state):
    (folder_of_all() / "git-1").mkdir(parents=True)
    (settings.environments.folder / BUILDING / "key-1").mkdir(parents=True)
    for kept in (pictures_folder(), settings.recordings_folder):
        (kept / PARTS).mkdir(parents=True)
        (kept / PARTS / "half").touch()
    swept = remove_leftovers(settings, state)
    assert (swept.folders, swept.parts) == (("git-1", "key-1"), ("half", "half"))
    assert str(swept) == "removed what dead runs had left: folders 2, parts 2"
    assert remove_leftovers(settings, state) == RemovedLeftovers()


@root
def test_free_slots_are_removed_and_held_ones_stay(settings, state):
    for uid in UIDS[:2]:
        (state / f"{uid}.lock").touch()
    with (state / f"{UIDS[1]}.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_leftovers(settings, state).slots == (str(UIDS[0]),)
    assert [path.name for path in state.glob("*.lock")] == [f"{UIDS[1]}.lock"]


@root
def test_mount_that_became_visible_is_unmounted(settings, state):
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", state / "stage"], check=False)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        assert remove_leftovers(settings, state).mounts == (str(state / "stage"),)
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
            "--pid",
            "--fork",
            "--kill-child",
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
    yield process, _first(process), uid
    process.kill()
    process.communicate()


def _first(process: subprocess.Popen) -> int:
    """The first process of the sandbox, once it is what it will be."""
    deadline = time.monotonic() + 120
    while process.poll() is None:
        assert time.monotonic() < deadline
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            with suppress(OSError):
                if Path(f"/proc/{child}/comm").read_text() == "sleep\n":
                    return int(child)
        time.sleep(0.02)
    return pytest.skip(f"no sandbox can be made here: {process.stderr.read()}")


@root
def test_stray_of_a_free_slot_is_killed(settings, state, sandboxed):
    process, first, uid = sandboxed
    with (state / f"{uid}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_leftovers(settings, state).processes == ()
        assert process.poll() is None
    assert remove_leftovers(settings, state).processes == (f"{first} of uid {uid}",)
    process.wait(120)


@root
def test_stray_without_namespaces_is_killed(settings, state):
    uid = settings.sandbox.uids[-1]
    seccomp = filter_descriptor(FilterOptions(namespaces=False))
    orders = SupervisorOrders(
        parent=os.getpid(),
        uid=uid,
        limits={},
        cgroups=[],
        folder="/",
        environment={},
        confinement=None,
        filter=seccomp,
        command=["/bin/sleep", "600"],
    )
    with subprocess.Popen(command_lines.supervisor_command(orders), pass_fds=(seccomp,)) as keeper:
        os.close(seccomp)
        first = _first(keeper)
        assert remove_leftovers(settings, state).processes == (f"{first} of uid {uid}",)
        assert keeper.wait(120) == 128 + 9


@root
def test_other_programs_under_a_slots_uid_live(settings, state):
    uid = settings.sandbox.uids[-2]
    command = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "sleep", "600"]
    with subprocess.Popen(command) as process:
        try:
            assert remove_leftovers(settings, state).processes == ()
            assert process.poll() is None
        finally:
            process.kill()


def test_sweeping_nothing_is_quick(settings, state):
    remove_leftovers(settings, state)
    began = time.process_time()
    for _ in range(10):
        remove_leftovers(settings, state)
    assert time.process_time() - began < 10 * 0.2
