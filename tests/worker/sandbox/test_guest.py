import json
import os
import subprocess
import threading
import time
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from worker.errors import MachineError
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import MIB, Limits
from worker.sandbox.guest_process import GuestProcess, guest_program
from worker.sandbox.guest_usage import family
from worker.sandbox.isolation import TRUSTED
from worker.sandbox.protocol.channel import ChannelClosed, ChannelTimeout
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.uid_slots import UIDS

on_landlock = pytest.mark.parametrize("isolation", ["landlock"], indirect=True)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change its uid")


def facts(guest: GuestProcess) -> dict:
    return json.loads(guest.channel.receive(120)["reason"])


def host_uid(guest: GuestProcess) -> int:
    status = Path(f"/proc/{family(guest.pid)[-1]}/status").read_text()
    return int(status.partition("Uid:")[2].split()[0])


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_guest_sees_only_its_world(start, isolation, monkeypatch):
    monkeypatch.setenv("ASSAYER_SECRET", "canary")
    guest = start("describe")
    seen = facts(guest)
    namespaces = isolation.namespaces
    assert seen["uid"] == (1000 if namespaces else host_uid(guest))
    assert seen["project"] == ["module.py"]
    assert (seen["path"] == "/assayer") == namespaces
    assert seen["home"]
    needed = {"PATH", "HOME", "LANG", "PYTHONHASHSEED", "OMP_NUM_THREADS", "PWD"}
    assert set(seen["environ"]) == needed | (set() if namespaces else {"TMPDIR", "USER"})


def test_hashes_repeat_between_guests(start):
    assert facts(start("describe"))["hash"] == facts(start("describe"))["hash"]


def test_private_tree_is_readable(start, tmp_path):
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "secret.py").touch(mode=0o600)
    assert facts(start("describe", tree=private))["project"] == ["secret.py"]


@as_root
def test_concurrent_guests_have_own_uids(start):
    uids = {host_uid(start("silent")) for _ in range(3)}
    assert len(uids) == 3
    assert all(uid in UIDS for uid in uids)


def test_other_interpreter_runs(start):
    python = "/usr/bin/python3"
    if not Path(python).exists():
        pytest.skip("this system has no Python of its own")
    command = [python, "-c", "import sys; print(*sys.version_info[:2])"]
    expected = subprocess.check_output(command, text=True).split()
    assert facts(start("describe", python=python))["version"] == [int(n) for n in expected]


def test_exit_status_and_last_words_remain(start):
    guest = start("leave")
    assert guest.wait(120) == 7
    assert "last words" in guest.stderr_tail()
    with pytest.raises(ChannelClosed):
        guest.channel.receive(120)


def test_crash_closes_the_channel(start):
    guest = start("crash")
    with pytest.raises(ChannelClosed):
        guest.channel.receive(120)
    assert guest.wait(120) == 128 + 6


@pytest.mark.parametrize("behaviour", ["oversize", "garbage", "deep", "forged", "stream"])
def test_hostile_frame_is_refused(start, behaviour):
    guest = start(behaviour)
    with pytest.raises(BadFrame):
        guest.channel.receive(120)
    guest.close()
    assert not alive(guest.pid)


@pytest.mark.parametrize("behaviour", ["half", "drip", "silent"])
def test_unfinished_frame_times_out(start, behaviour):
    guest = start(behaviour)
    began = time.monotonic()
    with pytest.raises(ChannelTimeout):
        guest.channel.receive(0.5)
    assert time.monotonic() - began < 30


def test_guest_that_never_reads_times_out(start):
    guest = start("silent")
    with pytest.raises(ChannelTimeout):
        guest.channel.send({"type": "run", "blobs": {"": bytes(1 << 22)}}, timeout=0.5)


def test_chatter_is_cut(start):
    guest = start("chatter")
    deadline = time.monotonic() + 120
    while len(guest.stderr_tail()) < 64 * 1024 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(guest.stderr_tail()) == 64 * 1024


def test_wall_clock_ends_guest(start):
    guest = start("silent", Limits(wall_seconds=0.5))
    assert guest.wait(120) is not None
    assert guest.stopped == "it ran longer than 0.5 s"


def test_memory_ends_guest(start):
    guest = start("hoard", Limits(memory=100 * MIB))
    assert guest.wait(120) is not None
    assert guest.stopped == "it used more than 100 MiB"


def test_litter_ends_guest(start):
    guest = start("litter", Limits(files=1000))
    assert guest.wait(120) is not None
    assert guest.stopped == "it made more than 1000 files"


@pytest.mark.slow
def test_processor_time_ends_guest(start):
    guest = start("burn", Limits(cpu_seconds=1))
    assert guest.wait(120) == 128 + 9
    assert guest.stopped is None


def test_processes_are_bounded(start):
    guest = start("breed", Limits(processes=20))
    assert 0 < int(guest.channel.receive(120)["reason"]) < 20


def test_close_leaves_no_process(start):
    guest = start("breed", Limits(processes=10))
    guest.channel.receive(120)
    processes = family(guest.pid)
    assert len(processes) > 5
    guest.close()
    assert not any(map(alive, processes))


def test_close_twice_is_harmless(start):
    guest = start("silent")
    guest.close()
    guest.close()


def test_guests_start_in_threads(start):
    seen: list[dict] = []

    def work() -> None:
        seen.append(facts(start("describe")))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each["project"] for each in seen] == [["module.py"]] * 4


def test_no_descriptor_is_left_open(start):
    start("silent").close()
    before = open_descriptors()
    for _ in range(3):
        start("silent").close()
    assert open_descriptors() == before


def test_missing_tree_is_our_error(start, tmp_path):
    with pytest.raises(MachineError, match="absent"):
        start("describe", tree=tmp_path / "absent")


@as_root
def test_unreadable_interpreter_is_named(start, tmp_path):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    (tmp_path / "pyvenv.cfg").touch()
    tmp_path.chmod(0o700)
    with pytest.raises(MachineError, match=f"cannot read {tmp_path}"):
        start("describe", python=python)


def test_broken_interpreter_is_our_error(start, public):
    python = public / "bin" / "python"
    python.parent.mkdir()
    (public / "pyvenv.cfg").touch()
    python.write_text("#!/bin/sh\necho no python here >&2; exit 3\n")
    python.chmod(0o755)
    with pytest.raises(MachineError, match="no python here"):
        start("describe", python=python)


def test_trusted_guest_runs_in_place(tree):
    program = GuestProgram(Path(__file__).parent / "guests", "guests")
    with GuestProcess.start(TRUSTED, tree=tree, program=program) as guest:
        assert guest.root == str(tree)
        guest.channel.send({"type": "prepare", "behaviour": "leave"})
        assert guest.wait(120) == 7
        assert "last words" in guest.stderr_tail()


def test_guest_program_is_the_analyzers_own():
    program = guest_program()
    assert program.name == "_assayer_guest"
    assert (program.folder / "main.py").is_file()


@pytest.mark.parametrize("network", [False, True])
def test_network_is_opened_in_its_own_namespace_alone(start, isolation, network):
    said = facts(start("sockets", network=network))
    assert (said.pop("AF_INET") is None) == (network and isolation.namespaces)
    assert all(refused == "EAFNOSUPPORT" for refused in said.values())


@pytest.mark.parametrize("way", ["spill", "hide_spilt"])
def test_scratch_folder_is_bounded(start, isolation, way):
    guest = start(way, Limits(scratch=16 * MIB))
    status = guest.wait(120)
    if isolation.namespaces:
        assert status == 1
        assert "No space left on device" in guest.stderr_tail()
    else:
        assert guest.stopped == "it wrote more than 16 MiB"


@pytest.mark.parametrize("trusted", [False, True])
def test_daemon_goes_with_its_guest(start, isolation, trusted):
    guest = start("daemonise", isolation=TRUSTED if trusted else isolation)
    guest.channel.receive(120)
    processes = family(guest.pid)
    assert len(processes) >= 2
    guest.close()
    assert not any(map(alive, processes))


@on_landlock
def test_guest_without_namespaces_cannot_leave_its_group(start):
    said = facts(start("leave_group"))
    assert said == ["EPERM", "EPERM", -1]


@on_landlock
def test_folders_nested_without_end_end_the_guest(start):
    guest = start("nest", Limits(files=1_000_000))
    assert guest.wait(120) is not None
    assert guest.stopped == "it nested folders more than 64 deep"


def test_trusted_code_keeps_its_hands_off_other_children_of_the_host(tree):
    program = GuestProgram(Path(__file__).parent / "guests", "guests")
    with subprocess.Popen(["sleep", "60"]) as other:
        GuestProcess.start(TRUSTED, tree=tree, program=program).close()
        assert other.poll() is None
        other.kill()


def test_guest_program_is_compiled():
    files = list(guest_program().folder.rglob("*.py"))
    assert files
    assert [file for file in files if not Path(cache_from_source(str(file))).exists()] == []
