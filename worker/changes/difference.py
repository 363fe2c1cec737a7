"""Changed lines, renames and deletions between two small trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.vocabulary import Change
from worker.changes.git import Git

_FILE = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def changes_between(git: Git, base: str, head: str) -> tuple[Change, ...]:
    """The changes from one tree to another, in the order of their paths."""
    output = git.run(
        "diff-tree", "-r", "-z", "--raw", "--patch", "-M", "-U0", "--text",
        "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", base, head,
    )  # fmt: skip
    if not output:
        return ()
    raw, _, patch = output.partition(b"\0\0")
    records = list(_records(raw + b"\0"))
    patches = _FILE.split(patch)[1:]
    return tuple(_change(record, hunks) for record, hunks in zip(records, patches, strict=True))


@dataclass(frozen=True, slots=True)
class _Record:
    status: str
    old: str
    new: str


def _records(raw: bytes) -> Iterator[_Record]:
    fields = iter(raw.decode().split("\0")[:-1])
    for about in fields:
        status = about.rsplit(" ", 1)[1][0]
        old = next(fields)
        yield _Record(status, old, next(fields) if status in "RC" else old)


def _change(record: _Record, patch: bytes) -> Change:
    if record.status == "D":
        return Change(record.old, frozenset(), deleted=True)
    lines: set[int] = set()
    removed_at: set[int] = set()
    for hunk in _HUNK.finditer(patch):
        removed, start, added = (int(b"1" if g is None else g) for g in hunk.groups())
        first = start if added else start + 1
        lines.update(range(first, first + added))
        if removed:
            removed_at.add(first - 1)
    return Change(
        record.new,
        frozenset(lines),
        old_path=record.old if record.old != record.new else None,
        removed_at=frozenset(removed_at),
    )
