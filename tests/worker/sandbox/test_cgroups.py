"""Control groups, where this machine lets us make them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from worker.sandbox import cgroups
from worker.sandbox.cgroups import (
    CgroupHierarchy,
    make_group,
    sweep_cgroups,
    usable_hierarchies,
)
from worker.sandbox.command_lines import cgroup_prefix
from worker.sandbox.guest_limits import MIB, Limits
from worker.sandbox.guest_usage import started

BOMB = """
import os, time
children = 0
try:
    while children < 200:
        if os.fork() == 0:
            time.sleep(60)
        children += 1
except OSError:
    pass
print(children, flush=True)
time.sleep(60)
"""
HOARD = "print(len(bytearray(b'x') * (400 << 20)), flush=True)"
SPIN = "while True: pass"
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(60)
"""
HOST = """
import subprocess, sys, time
from worker.sandbox import cgroups
from worker.sandbox.cgroups import make_group, usable_hierarchies
from worker.sandbox.command_lines import cgroup_prefix
from worker.sandbox.guest_limits import Limits

cgroups.PREFIX = sys.argv[1]
group = make_group(usable_hierarchies(), Limits())
left = subprocess.Popen([*cgroup_prefix(group.folders), "sleep", "60"], start_new_session=True)
while not all((folder / "cgroup.procs").read_text() for folder in group.folders):
    time.sleep(0.01)
print(group.folders[0].name, left.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def places() -> tuple[CgroupHierarchy, ...]:
    places = usable_hierarchies()
    if not places:
        pytest.skip("no cgroup in which groups can be made")
    return places


@pytest.fixture(autouse=True)
def own_groups(monkeypatch):
    """A check beside the tests sweeps none of their groups."""
    monkeypatch.setattr(cgroups, "PREFIX", f"test-{os.getpid()}-")


@pytest.fixture
def grouped(places):
    """Runs Python source in a group of its own, with all its bounds."""
    made = []

    def run(source: str, limits: Limits, *needed: str):
        offered = {name for place in places for name in place.controllers}
        if not offered.issuperset(needed):
            pytest.skip(f"no cgroup bounds {needed[0]} here, only: {sorted(offered)}")
        group = make_group(places, limits)
        process = subprocess.Popen(
            [*cgroup_prefix(group.folders), sys.executable, "-c", source],
            stdout=subprocess.PIPE,
            text=True,
        )
        made.append((group, process))
        return group, process

    yield run
    for group, process in made:
        group.remove()
        process.communicate()
        assert not any(folder.exists() for folder in group.folders)


@pytest.mark.parametrize(
    ("unified", "bounds"),
    [
        (False, {"memory.limit_in_bytes": "ALL", "memory.memsw.limit_in_bytes": "ALL"}),
        (True, {"memory.max": "ALL", "memory.swap.max": "0", "memory.oom.group": "1"}),
    ],
)
def test_memory_is_bounded_with_swap(unified, bounds, tmp_path, monkeypatch):
    mkdir = Path.mkdir

    def make(folder):
        mkdir(folder)
        for name in bounds:
            (folder / name).touch()

    monkeypatch.setattr(Path, "mkdir", make)
    limits = Limits()
    everything = limits.memory + 2 * limits.scratch + cgroups.SHARED_MEMORY
    (folder,) = make_group(
        [CgroupHierarchy(tmp_path, unified, frozenset({"memory"}))], limits
    ).folders
    written = {name: (folder / name).read_text().replace(str(everything), "ALL") for name in bounds}
    assert written == bounds


def eventually(fact) -> bool:
    deadline = time.monotonic() + 120
    while not fact():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_fork_bomb_stops_at_its_group(grouped):
    _, process = grouped(BOMB, Limits(processes=10), "pids")
    assert 0 < int(process.stdout.readline()) < 20


def test_memory_bomb_ends_in_its_group(grouped):
    group, process = grouped(HOARD, Limits(memory=64 * MIB, scratch=MIB), "memory")
    assert process.wait(120) == -9
    assert process.stdout.read() == ""
    assert group.out_of_memory()


def test_processor_is_throttled(grouped):
    group, _ = grouped(SPIN, Limits(processors=0.1), "cpu")
    (file,) = [path / "cpu.stat" for path in group.folders if throttles(path)]
    assert eventually(lambda: int(dict(map(str.split, file.open()))["nr_throttled"]) > 0)


def throttles(folder: Path) -> bool:
    try:
        return "nr_throttled" in (folder / "cpu.stat").read_text()
    except FileNotFoundError:
        return False


def test_killing_a_group_reaches_its_daemons(grouped):
    group, process = grouped(DAEMON, Limits())
    daemon = int(process.stdout.readline())
    group.kill()
    assert eventually(lambda: gone(daemon))


def gone(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


def test_groups_are_gone_after_their_guest(places, start):
    guest = start("silent")
    ours = f"{cgroups.PREFIX}*-{os.getpid()}-*"
    assert all(list(place.folder.glob(ours)) for place in places)
    guest.close()
    assert not any(list(place.folder.glob(ours)) for place in places)


def test_guest_that_exhausts_its_group_is_told_so(places, start):
    if not any("memory" in place.controllers for place in places):
        pytest.skip("no cgroup bounds memory here")
    guest = start("hoard", Limits(memory=100 * MIB, scratch=MIB))
    assert guest.wait(120) is not None
    assert guest.stopped == "it used more than 100 MiB"


def test_groups_of_dead_hosts_are_swept(places):
    living = make_group(places, Limits())
    try:
        with subprocess.Popen(
            [sys.executable, "-c", HOST, cgroups.PREFIX], stdout=subprocess.PIPE
        ) as host:
            name, left = host.stdout.readline().decode().split()
            assert name not in sweep_cgroups()
            host.kill()
        born = started(int(left))
        assert name in sweep_cgroups()
        assert eventually(lambda: gone(int(left)) or started(int(left)) != born)
        assert not any((place.folder / name).exists() for place in places)
        assert all(folder.exists() for folder in living.folders)
    finally:
        living.remove()
