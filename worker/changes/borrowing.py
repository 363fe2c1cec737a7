"""Repositories that borrow objects from other repositories."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from worker.changes.regular import read_regular

MOST = 100
MOST_BYTES = 1 << 20


def foreign_objects(store: Path) -> Path | None:
    """A folder of objects that a repository borrows from another user, if any.

    Git itself asks whose a checkout is (safe.directory), but not whose the
    objects are that it names in ``objects/info/alternates``.
    """
    owners = {os.geteuid(), store.stat().st_uid}
    return next((folder for folder in _borrowed(store) if _owner(folder) not in owners), None)


def _borrowed(store: Path) -> set[Path]:
    """The folders that exist, and those that they borrow from in turn."""
    found: set[Path] = set()
    waiting = [store / "objects"]
    while waiting and len(found) < MOST:
        objects = waiting.pop()
        for line in _lines(objects / "info" / "alternates"):
            folder = objects / os.fsdecode(line)
            if folder not in found and _owner(folder) is not None:
                found.add(folder)
                waiting.append(folder)
    return found


def _owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except (OSError, ValueError):
        return None


def _lines(place: Path) -> list[bytes]:
    try:
        lines = read_regular(place, MOST_BYTES).split(b"\n")
    except OSError:
        return []
    return [_unquoted(line) for line in lines if line and not line.startswith(b"#")]


def _unquoted(line: bytes) -> bytes:
    """A path as git reads it, which may stand in quotes as in C."""
    if not line.startswith(b'"'):
        return line
    try:
        return bytes(codecs.escape_decode(line[1:].rpartition(b'"')[0])[0])
    except ValueError:
        return line
