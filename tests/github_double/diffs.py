"""A diff as GitHub tells of it: files, their patches, and the lines one may comment on."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_STATUS = {
    "A": "added",
    "D": "removed",
    "M": "modified",
    "R": "renamed",
    "C": "copied",
    "T": "changed",
}


@dataclass(frozen=True)
class Hunk:
    """Lines that a diff shows together: ``left`` of the old file, ``right`` of the new one."""

    left: range
    right: range

    def lines(self, side: str) -> range:
        return self.left if side == "LEFT" else self.right


@dataclass(frozen=True)
class FileDiff:
    """One changed file; ``patch`` begins at the first ``@@``, ``None`` for a binary file."""

    path: str
    previous: str | None
    status: str
    sha: str
    patch: str | None
    additions: int
    deletions: int
    hunks: tuple[Hunk, ...]
    raw: str

    def hunk(self, side: str, line: int) -> Hunk | None:
        """The hunk that shows ``line`` on ``side``."""
        return next((hunk for hunk in self.hunks if line in hunk.lines(side)), None)

    def position(self, side: str, line: int) -> int | None:
        """How many lines below the first ``@@`` it stands."""
        old = new = 0
        for number, text in enumerate((self.patch or "").split("\n")):
            header = _HEADER.match(text)
            if header:
                old, new = int(header[1]), int(header[3])
                continue
            if text.startswith("\\"):
                continue
            if _shown(text, side) and (old if side == "LEFT" else new) == line:
                return number
            old += text[:1] in {" ", "-", ""}
            new += text[:1] in {" ", "+", ""}
        return None


def _shown(text: str, side: str) -> bool:
    return text[:1] in ({" ", "-", ""} if side == "LEFT" else {" ", "+", ""})


def parse(raw: bytes, text: bytes) -> tuple[FileDiff, ...]:
    """Read git's ``--raw -z`` output beside its patch."""
    patches = re.split(r"^(?=diff --git )", text.decode(errors="replace"), flags=re.MULTILINE)
    bodies = [patch for patch in patches if patch.startswith("diff --git ")]
    entries = list(_entries(raw))
    return tuple(_file(entry, body) for entry, body in zip(entries, bodies, strict=True))


def _entries(raw: bytes) -> list[tuple[str, str, str, str | None]]:
    parts = raw.decode(errors="replace").split("\0")
    found = []
    at = 0
    while at < len(parts) and parts[at]:
        if not parts[at].startswith(":"):
            at += 1
            continue
        _, _, old, new, status = parts[at].split(" ")
        if status[0] in "RC":
            found.append((_STATUS[status[0]], new, parts[at + 2], parts[at + 1]))
            at += 3
        else:
            found.append((_STATUS[status[0]], old if status == "D" else new, parts[at + 1], None))
            at += 2
    return found


def _file(entry: tuple[str, str, str, str | None], body: str) -> FileDiff:
    status, sha, path, previous = entry
    start = _HEADER.search(body)
    patch = body[start.start() :].removesuffix("\n") if start else None
    lines = _changed_lines(patch or "")
    hunks = tuple(
        Hunk(_range(found[1], found[2]), _range(found[3], found[4]))
        for found in _HEADER.finditer(patch or "")
    )
    return FileDiff(path, previous, status, sha, patch, lines[0], lines[1], hunks, body)


def _changed_lines(patch: str) -> tuple[int, int]:
    lines = patch.split("\n")
    return sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines)


def _range(start: str, count: str | None) -> range:
    length = int(count) if count is not None else 1
    return range(int(start), int(start) + length)
