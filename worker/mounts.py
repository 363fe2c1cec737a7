"""What is mounted, as a process sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of ``/proc/PID/mountinfo`` (proc(5))."""

    place: Path
    kind: str


def mounts(process: int | str = "self") -> list[Mount]:
    """The mounts of a process; none where it has ended or may not be looked at."""
    try:
        lines = Path(f"/proc/{process}/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []
    return [_mount(line) for line in lines if " - " in line]


def mounts_below(folder: Path) -> list[Path]:
    """Where something is mounted at or below a folder, the newest first."""
    return [mount.place for mount in reversed(mounts()) if mount.place.is_relative_to(folder)]


def _mount(line: str) -> Mount:
    before, _, after = line.partition(" - ")
    place = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), before.split(" ")[4])
    return Mount(Path(place), after.split(" ")[0])
