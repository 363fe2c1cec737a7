"""A control group for each guest, where this machine lets us make one.

Version 2 is used where the host's group is ours to divide: the root of the
hierarchy or of a cgroup namespace, or a group that systemd has delegated
(``Delegate=yes``).  Version 1 knows no delegation, so there only a hierarchy
in whose root the host sits is used.  Source: the kernel's
Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.programs import environment
from worker.sandbox.command import joining
from worker.sandbox.hierarchies import Hierarchy, hierarchies, prepared
from worker.sandbox.limits import SHARED_MEMORY, Limits
from worker.sandbox.processes import started

PREFIX = "assayer-"
OWN_PROCESSES = 8  # what the layers themselves start around a guest
PERIOD = 100_000  # microseconds, the kernel's default
TRIAL_SECONDS = 20.0
REMOVAL_SECONDS = 10.0
PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class Group:
    """The folders of one guest, one in each hierarchy."""

    folders: tuple[Path, ...]

    def kill(self) -> None:
        """Kill every process in it."""
        for folder in self.folders:
            _kill(folder)

    def out_of_memory(self) -> bool:
        """Say whether the kernel has killed in it for want of memory."""
        return any(_killed_for_memory(folder) for folder in self.folders)

    def remove(self) -> None:
        """Kill what is in it and remove it."""
        for folder in self.folders:
            _remove(folder)


def usable_hierarchies() -> tuple[Hierarchy, ...]:
    """Return the hierarchies in which a program has been started in a group."""
    usable: list[Hierarchy] = []
    for place in hierarchies():
        with suppress(OSError, subprocess.SubprocessError):
            ready = prepared(place)
            group = make_group((ready,), Limits())
            try:
                _start_in(group)
            finally:
                group.remove()
            usable.append(ready)
    return tuple(usable)


def _start_in(group: Group) -> None:
    subprocess.run(  # noqa: S603 - our own command line
        [*joining(group.folders), "/bin/true"],
        env=environment(),
        stderr=subprocess.DEVNULL,
        timeout=TRIAL_SECONDS,
        check=True,
    )


def make_group(places: Sequence[Hierarchy], limits: Limits) -> Group:
    """Make a group with the bounds of one guest.  Raises ``OSError``.

    ``limits.memory`` and what the writable folders may hold in memory bound
    its memory, swap included.
    """
    name = f"{PREFIX}{_namespace()}-{os.getpid()}-{started(os.getpid())}-{secrets.token_hex(4)}"
    group = Group(tuple(place.folder / name for place in places))
    try:
        for place, folder in zip(places, group.folders, strict=True):
            folder.mkdir()
            for file, value in _bounds(place, limits):
                if (folder / file).exists():
                    (folder / file).write_text(value)
    except OSError:
        group.remove()
        raise
    return group


def sweep_cgroups() -> list[str]:
    """Remove the groups whose host is dead, with what runs in them; return their names."""
    swept: list[str] = []
    for place in hierarchies():
        for folder in sorted(place.folder.glob(f"{PREFIX}*-*-*-*")):
            if _orphaned(folder.name):
                _remove(folder)
                swept.append(folder.name)
    return swept


def _bounds(place: Hierarchy, limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield the files of a group and what is written there, in this order."""
    processes = str(limits.processes + OWN_PROCESSES)
    memory = str(limits.memory + 2 * limits.scratch + SHARED_MEMORY)
    time_slice = str(int(limits.processors * PERIOD))
    if "pids" in place.controllers:
        yield "pids.max", processes
    if "memory" in place.controllers and place.unified:
        yield "memory.max", memory
        yield "memory.swap.max", "0"
        yield "memory.oom.group", "1"
    elif "memory" in place.controllers:
        yield "memory.limit_in_bytes", memory
        yield "memory.memsw.limit_in_bytes", memory
    if "cpu" in place.controllers and place.unified:
        yield "cpu.max", f"{time_slice} {PERIOD}"
    elif "cpu" in place.controllers:
        yield "cpu.cfs_period_us", str(PERIOD)
        yield "cpu.cfs_quota_us", time_slice


def _namespace() -> int:
    """The number of our process namespace, in which our pid means something."""
    return Path("/proc/self/ns/pid").stat().st_ino


def _orphaned(name: str) -> bool:
    """Say whether the host that made a group has died; never for another namespace's."""
    numbers = name.removeprefix(PREFIX).split("-")[:3]
    if not all(number.isdecimal() for number in numbers):
        return False
    namespace, pid, born = map(int, numbers)
    return namespace == _namespace() and started(pid) != born


def _kill(folder: Path) -> None:
    """Kill at one stroke (Linux 5.14, version 2), else one by one."""
    try:
        with (folder / "cgroup.kill").open("r+") as file:
            file.write("1")
    except OSError:
        for pid in _inside(folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _inside(folder: Path) -> list[int]:
    try:
        return [int(pid) for pid in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []


def _remove(folder: Path) -> None:
    """Kill what is inside until the folder goes; a dying process keeps it for a moment."""
    deadline = time.monotonic() + REMOVAL_SECONDS
    while time.monotonic() < deadline:
        _kill(folder)
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(PAUSE)
        else:
            return


def _killed_for_memory(folder: Path) -> bool:
    for file in ("memory.events", "memory.oom_control"):
        with suppress(OSError):
            for line in (folder / file).read_text().splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill" and int(count):
                    return True
    return False
