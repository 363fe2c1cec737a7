"""Usage of a guest's writable folders, seen from outside."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.sandbox.command_lines import WRITABLE
from worker.sandbox.guest_limits import MIB, Limits

PAGE = os.sysconf("SC_PAGE_SIZE")
MOST = 4096


def started(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot (proc_pid_stat(5), field 22)."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(status.rpartition(")")[2].split()[19])


def family(pid: int) -> list[int]:
    """Return ``pid`` and all its living descendants, at most ``MOST``."""
    found: list[int] = []
    waiting = [pid]
    while waiting and len(found) < MOST:
        current = waiting.pop()
        found.append(current)
        children: list[int] = []
        try:
            for task in Path(f"/proc/{current}/task").iterdir():
                children.extend(map(int, (task / "children").read_text().split()))
        except OSError:  # it has ended meanwhile
            pass
        waiting.extend(children)
    return found


def memory_exceeds(pids: Iterable[int], limit: int) -> bool:
    """Say whether processes hold more than ``limit`` bytes, proportionally where it is close."""
    pids = list(pids)
    if sum(map(_resident, pids)) <= limit:
        return False
    return sum(map(_proportional, pids)) > limit


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return _resident(pid)
    for line in rollup.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


DEPTH = 64
RESERVE = 256 * MIB
BLOCK = 512


def files_made(pid: int) -> int:
    """Return how many files lie in the writable folders that ``pid`` sees."""
    made = 0
    for folder in WRITABLE:
        with suppress(OSError):
            status = os.statvfs(f"/proc/{pid}/root{folder}")
            made += status.f_files - status.f_ffree
    return made


def mounted_litter(pid: int, limits: Limits) -> str | None:
    """Say what a guest with size-limited mounts of its own has too much of."""
    too_many = files_made(pid) > limits.files
    return f"it made more than {limits.files} files" if too_many else None


def folder_litter(folder: Path, pid: int, limits: Limits) -> str | None:
    """Say what a guest with a mere folder has too much of; deleted files count while open."""
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize < RESERVE:
        return f"its disk has less than {RESERVE // MIB} MiB left"
    size = 0
    for count, status in enumerate(_files(folder, pid), start=1):
        if status is None:
            return f"it nested folders more than {DEPTH} deep"
        size += status.st_blocks * BLOCK
        if size > limits.scratch:
            return f"it wrote more than {limits.scratch // MIB} MiB"
        if count > limits.files:
            return f"it made more than {limits.files} files"
    return None


@dataclass(frozen=True, slots=True)
class _Level:
    descriptor: int
    names: Iterator[str]


def _files(folder: Path, pid: int) -> Iterator[os.stat_result | None]:
    """Yield every file once; ``None`` where folders are nested too deep."""
    yield from _named(folder)
    seen: set[tuple[int, int]] = set()
    device = folder.stat().st_dev
    for process in family(pid):
        for status in _nameless(process):
            identity = (status.st_dev, status.st_ino)
            if status.st_dev == device and identity not in seen:
                seen.add(identity)
                yield status


def _named(folder: Path) -> Iterator[os.stat_result | None]:
    levels = [_level(str(folder), None)]
    try:
        while levels:
            level = levels[-1]
            name = next(level.names, None) if level else None
            if level is None or name is None:
                _close(levels.pop())
                continue
            with suppress(OSError):
                status = os.stat(name, dir_fd=level.descriptor, follow_symlinks=False)
                yield status
                if stat.S_ISDIR(status.st_mode):
                    levels.append(_level(name, level.descriptor))
            if len(levels) > DEPTH:
                yield None
                return
    finally:
        for level in levels:
            _close(level)


def _level(name: str, parent: int | None) -> _Level | None:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=parent)
    except OSError:
        return None
    names = os.listdir(descriptor)  # noqa: PTH208 - by descriptor
    return _Level(descriptor, iter(names))


def _close(level: _Level | None) -> None:
    if level is not None:
        os.close(level.descriptor)


def _nameless(pid: int) -> Iterator[os.stat_result]:
    with suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                status = entry.stat()
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    yield status
