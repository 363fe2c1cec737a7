"""Entries of a revision or a working tree, file by file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from worker.changes.checkout import Checkout, read_regular
from worker.changes.git import Git
from worker.errors import UsageError

REGULAR, EXECUTABLE, SYMLINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
MAX_PATHS = 500_000
MAX_NAMES = 128 << 20

_CHUNK = 1 << 18
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a tree: its git mode, its object and its ``size`` in bytes, if known.

    ``blob`` is ``None`` for an untracked file; ``absent`` marks what a sparse checkout leaves out.
    """

    path: str
    mode: int
    blob: str | None
    size: int | None = None
    absent: bool = False


def revision_entries(git: Git, revision: str, *paths: str) -> list[TreeEntry]:
    """Return every path of a commit or tree (or those given), in a shadow repository.

    Raises ``UsageError`` above ``MAX_PATHS`` or ``MAX_NAMES``: small trees may hold billions.
    """
    arguments = ("ls-tree", "-r", "-z", "-l", "--full-tree", revision, "--", *paths)
    with git.output(*arguments) as listing:
        return [_entry(record) for record in _records(listing, revision)]


def _records(listing: IO[bytes], revision: str) -> Iterator[bytes]:
    rest, count, size = b"", 0, 0
    while piece := listing.read(_CHUNK):
        *whole, rest = (rest + piece).split(b"\0")
        count, size = count + len(whole), size + len(piece)
        if count > MAX_PATHS or size > MAX_NAMES:
            raise UsageError(f"the tree of {revision} has more than {MAX_PATHS:,} paths")
        yield from whole


def _entry(record: bytes) -> TreeEntry:
    about, path = record.split(b"\t", 1)
    mode, _, name, size = about.decode().split()
    return TreeEntry(os.fsdecode(path), int(mode, 8), name, int(size) if size.isdigit() else None)


def worktree_entries(checkout: Checkout) -> list[TreeEntry]:
    """Every tracked path, and every untracked one that git does not ignore."""
    tracked: dict[str, TreeEntry] = {}
    for record in checkout.git.run("ls-files", "-z", "-t", "-s").split(b"\0")[:-1]:
        about, name = record.split(b"\t", 1)
        tag, mode, blob, _ = about.decode().split()
        path = os.fsdecode(name)
        tracked[path] = TreeEntry(path, int(mode, 8), blob, absent=tag == "S")
    others = checkout.git.run("ls-files", "-z", "--others", "--exclude-standard")
    untracked = (os.fsdecode(name) for name in others.split(b"\0")[:-1])
    return [
        *tracked.values(),
        *(TreeEntry(path, REGULAR, None) for path in untracked if path[-1] != "/"),
    ]


class TreeFolder:
    """A working tree on disk, read without ever following a symbolic link."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = {"": True}

    def status(self, path: str) -> os.stat_result | None:
        """Return what lies at a path, or ``None`` where nothing of this tree does."""
        if not self._is_real(os.path.dirname(path)):  # noqa: PTH120 - bytes-safe str
            return None
        try:
            return os.lstat(self.root / path)
        except (OSError, ValueError):
            return None

    def read(self, path: str, most: int = -1) -> bytes:
        """The first bytes of a regular file, or the target of a link; ``OSError``."""
        place = self.root / path
        found = self.status(path)
        if found is not None and stat.S_ISLNK(found.st_mode):
            return os.fsencode(place.readlink())
        return read_regular(place, most)

    def _is_real(self, folder: str) -> bool:
        if folder not in self._real:
            parts = folder.split("/")
            above = True
            for length in range(1, len(parts) + 1):
                part = "/".join(parts[:length])
                above = self._real[part] = above and self._is_folder(part)
        return self._real[folder]

    def _is_folder(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self.root / path).st_mode)
        except (OSError, ValueError):
            return False


def leaves_tree(path: str) -> bool:
    """Return whether a path leaves the tree or enters git's own folder, on any file system."""
    return any(
        _plain(part) in {"", ".", "..", ".git", "git~1"}
        for part in path.replace("\\", "/").split("/")
    )


def _plain(part: str) -> str:
    if part in {"", ".", ".."}:
        return part
    seen = _IGNORED.sub("", part).partition(":")[0].lower()
    return seen.rstrip(" .") or seen
