"""The processes below one process, and the memory they hold."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
MOST = 4096


def started(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; ``None`` if it is gone.

    With the pid it names a process for good (proc_pid_stat(5), field 22).
    """
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
        waiting.extend(_children(current))
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            children.extend(map(int, (task / "children").read_text().split()))
    except OSError:  # it has ended meanwhile
        pass
    return children


def memory_exceeds(pids: Iterable[int], limit: int) -> bool:
    """Say whether processes together hold more than ``limit`` bytes.

    Resident sizes count shared pages once for each process and are cheap;
    only where they exceed are the proportional ones read.
    """
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
    """Return the proportional set size in bytes, or the resident one if hidden."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return _resident(pid)
    for line in rollup.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
