"""The cgroup hierarchies of this machine, and where in them we may make groups."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

CONTROLLERS = ("pids", "memory", "cpu")
HOSTS = "assayer-hosts"
DELEGATED = ("trusted.delegate", "user.delegate")
MOVES = 20
MOUNTS = Path("/proc/self/mountinfo")
OWN = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A folder in which groups may be made, and what bounds they can have.

    ``unified`` is version 2.  ``shared``: the host's own processes sit in the
    folder itself, which must become empty before its groups get bounds.
    """

    folder: Path
    unified: bool
    controllers: frozenset[str]
    shared: bool = False


def hierarchies() -> list[Hierarchy]:
    """Return the hierarchies in which we may make groups; nothing is changed."""
    own = _own_groups()
    return [place for mount in _mounts() if (place := _place(mount, own)) is not None]


def prepared(place: Hierarchy) -> Hierarchy:
    """Make bounds available in a hierarchy; what it offers then.  Raises ``OSError``.

    In version 2 a group with processes of its own cannot give bounds to the
    groups in it, so the host's move into one beside the guests'.
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


def _place(mount: _Mount, own: Mapping[str, str]) -> Hierarchy | None:
    if mount.unified:
        here = _seen(mount, own.get("", ""))
        return None if here is None else _unified(mount, here)
    controllers = mount.controllers & set(CONTROLLERS)
    at_root = all(_seen(mount, own.get(name, "")) == mount.folder for name in controllers)
    if controllers and at_root and os.access(mount.folder, os.W_OK):
        return Hierarchy(mount.folder, unified=False, controllers=frozenset(controllers))
    return None


def _seen(mount: _Mount, group: str) -> Path | None:
    """Where a group is seen in a mount."""
    try:
        return mount.folder / Path(group).relative_to(mount.root)
    except ValueError:
        return None


def _unified(mount: _Mount, here: Path) -> Hierarchy | None:
    folder = here.parent if here.name == HOSTS or _delegated(here.parent) else here
    is_root = not (folder / "cgroup.type").exists()
    ours = is_root or here.name == HOSTS or folder == mount.folder or _delegated(folder)
    if not (ours and os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)):
        return None
    controllers = frozenset(_words(folder / "cgroup.controllers")) & frozenset(CONTROLLERS)
    return Hierarchy(
        folder, unified=True, controllers=controllers, shared=folder == here and not is_root
    )


def _delegated(folder: Path) -> bool:
    """Say whether systemd has marked a group as its service's own to divide."""
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
