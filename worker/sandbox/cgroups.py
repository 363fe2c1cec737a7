"""A control group for each guest, where this machine lets us make one.

Version 2 is used where the host's group is ours to divide (a root, or ``Delegate=yes``),
version 1 where the host sits in a hierarchy's root.  Source: the kernel's
Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from worker.sandbox.command_lines import cgroup_prefix
from worker.sandbox.guest_limits import SHARED_MEMORY, Limits
from worker.sandbox.guest_usage import started
from worker.system.programs import environment

CONTROLLERS = ("pids", "memory", "cpu")
HOSTS = "assayer-hosts"
DELEGATED = ("trusted.delegate", "user.delegate")
MOVES = 20
MOUNTS = Path("/proc/self/mountinfo")
OWN = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class CgroupHierarchy:
    """A folder for groups; ``unified`` is version 2, ``shared``: the host's processes sit in it."""

    folder: Path
    unified: bool
    controllers: frozenset[str]
    shared: bool = False


def find_hierarchies() -> list[CgroupHierarchy]:
    """Return the hierarchies in which we may make groups; nothing is changed."""
    own = _own_groups()
    return [place for mount in _mounts() if (place := _place(mount, own)) is not None]


def prepared(place: CgroupHierarchy) -> CgroupHierarchy:
    """Make bounds available in a hierarchy and return what it offers; raise ``OSError``.

    In version 2 a group with processes cannot bound groups in it: the host's move beside them.
    """
    if not place.unified:
        return place
    wanted = place.controllers - set(_words(place.folder / "cgroup.subtree_control"))
    if wanted and place.shared:
        _step_aside(place.folder)
    for controller in sorted(wanted):
        with suppress(OSError):
            (place.folder / "cgroup.subtree_control").write_text(f"+{controller}")
    offered = place.controllers & set(_words(place.folder / "cgroup.subtree_control"))
    return replace(place, controllers=frozenset(offered), shared=False)


@dataclass(frozen=True, slots=True)
class _Mount:
    """``root`` is the group that is seen at ``folder``."""

    root: str
    folder: Path
    controllers: frozenset[str]
    unified: bool


def _mounts() -> Iterator[_Mount]:
    """Yield what is mounted, by proc_pid_mountinfo(5)."""
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, folder = left.split()[3:5]
            yield _Mount(root, Path(folder), frozenset(options.split(",")), kind == "cgroup2")


def _own_groups() -> Mapping[str, str]:
    """Our group in each hierarchy, by controller; version 2 is ``""``."""
    try:
        lines = OWN.read_text().splitlines()
    except OSError:
        return {}
    groups: dict[str, str] = {}
    for line in lines:
        _, names, group = line.split(":", 2)
        groups.update(dict.fromkeys(names.split(","), group))
    return groups


def _place(mount: _Mount, own: Mapping[str, str]) -> CgroupHierarchy | None:
    if mount.unified:
        here = _seen(mount, own.get("", ""))
        return None if here is None else _unified(mount, here)
    controllers = mount.controllers & set(CONTROLLERS)
    at_root = all(_seen(mount, own.get(name, "")) == mount.folder for name in controllers)
    if controllers and at_root and os.access(mount.folder, os.W_OK):
        return CgroupHierarchy(mount.folder, unified=False, controllers=frozenset(controllers))
    return None


def _seen(mount: _Mount, group: str) -> Path | None:
    try:
        return mount.folder / Path(group).relative_to(mount.root)
    except ValueError:
        return None


def _unified(mount: _Mount, here: Path) -> CgroupHierarchy | None:
    folder = here.parent if here.name == HOSTS or _delegated(here.parent) else here
    is_root = not (folder / "cgroup.type").exists()
    ours = is_root or here.name == HOSTS or folder == mount.folder or _delegated(folder)
    if not (ours and os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)):
        return None
    controllers = frozenset(_words(folder / "cgroup.controllers")) & frozenset(CONTROLLERS)
    return CgroupHierarchy(
        folder, unified=True, controllers=controllers, shared=folder == here and not is_root
    )


def _delegated(folder: Path) -> bool:
    for name in DELEGATED:
        with suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


def _step_aside(folder: Path) -> None:
    """Move all processes of a group into one below it; new ones may come meanwhile."""
    hosts = folder / HOSTS
    hosts.mkdir(exist_ok=True)
    for _ in range(MOVES):
        pids = _words(folder / "cgroup.procs")
        if not pids:
            return
        for pid in pids:
            with suppress(ProcessLookupError):
                (hosts / "cgroup.procs").write_text(pid)


PREFIX = "assayer-"
OWN_PROCESSES = 8  # what the layers themselves start around a guest
PERIOD = 100_000  # microseconds, the kernel's default
TRIAL_SECONDS = 20.0
REMOVAL_SECONDS = 10.0
PAUSE = 0.01


@dataclass(frozen=True, slots=True)
class ControlGroup:
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


def usable_hierarchies() -> tuple[CgroupHierarchy, ...]:
    """Return the hierarchies in which a program has been started in a group."""
    usable: list[CgroupHierarchy] = []
    for place in find_hierarchies():
        with suppress(OSError, subprocess.SubprocessError):
            ready = prepared(place)
            group = make_group((ready,), Limits())
            try:
                _start_in(group)
            finally:
                group.remove()
            usable.append(ready)
    return tuple(usable)


def _start_in(group: ControlGroup) -> None:
    subprocess.run(  # noqa: S603 - our own command line
        [*cgroup_prefix(group.folders), "/bin/true"],
        env=environment(),
        stderr=subprocess.DEVNULL,
        timeout=TRIAL_SECONDS,
        check=True,
    )


def make_group(places: Sequence[CgroupHierarchy], limits: Limits) -> ControlGroup:
    """Make a group with the bounds of one guest, scratch included; raise ``OSError``."""
    name = f"{PREFIX}{_namespace()}-{os.getpid()}-{started(os.getpid())}-{secrets.token_hex(4)}"
    group = ControlGroup(tuple(place.folder / name for place in places))
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
    for place in find_hierarchies():
        for folder in sorted(place.folder.glob(f"{PREFIX}*-*-*-*")):
            if _orphaned(folder.name):
                _remove(folder)
                swept.append(folder.name)
    return swept


def _bounds(place: CgroupHierarchy, limits: Limits) -> Iterator[tuple[str, str]]:
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
