"""What a revision or a working tree holds, file by file."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from worker.changes.checkout import Checkout
from worker.changes.git import Git

REGULAR, EXECUTABLE, SYMLINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a tree: its git mode and the name of its object.

    ``size`` in bytes, ``None`` where it is not known.  In a working tree
    ``blob`` is what the index says, or ``None`` for an untracked file;
    ``absent`` marks a tracked file that a sparse checkout leaves out.
    """

    path: str
    mode: int
    blob: str | None
    size: int | None = None
    absent: bool = False


def revision_entries(git: Git, revision: str, *paths: str) -> list[Entry]:
    """Every path of a commit or tree (or those given), in a shadow repository."""
    listing = git.run("ls-tree", "-r", "-z", "-l", "--full-tree", revision, "--", *paths)
    entries: list[Entry] = []
    for record in listing.split(b"\0")[:-1]:
        about, path = record.split(b"\t", 1)
        mode, _, name, size = about.decode().split()
        known = int(size) if size.isdigit() else None
        entries.append(Entry(os.fsdecode(path), int(mode, 8), name, known))
    return entries


def worktree_entries(checkout: Checkout) -> list[Entry]:
    """Every tracked path, and every untracked one that git does not ignore."""
    tracked: dict[str, Entry] = {}
    for record in checkout.git.run("ls-files", "-z", "-t", "-s").split(b"\0")[:-1]:
        about, name = record.split(b"\t", 1)
        tag, mode, blob, _ = about.decode().split()
        path = os.fsdecode(name)
        tracked[path] = Entry(path, int(mode, 8), blob, absent=tag == "S")
    others = checkout.git.run("ls-files", "-z", "--others", "--exclude-standard")
    untracked = (os.fsdecode(name) for name in others.split(b"\0")[:-1])
    return [
        *tracked.values(),
        *(Entry(path, REGULAR, None) for path in untracked if path[-1] != "/"),
    ]


class Folder:
    """A working tree on disk, read without ever following a symbolic link."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._real = {"": True}

    def status(self, path: str) -> os.stat_result | None:
        """What lies at a path, or ``None`` where nothing of this tree does."""
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
        with os.fdopen(open_regular(place), "rb") as file:
            return file.read(most)

    def _is_real(self, folder: str) -> bool:
        if folder not in self._real:
            parent = os.path.dirname(folder)  # noqa: PTH120
            try:
                mode = os.lstat(self.root / folder).st_mode
            except (OSError, ValueError):
                mode = 0
            self._real[folder] = self._is_real(parent) and stat.S_ISDIR(mode)
        return self._real[folder]


def open_regular(place: Path) -> int:
    """Open a regular file for reading, nothing else; ``OSError`` otherwise."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{place} is not a regular file")
    return descriptor


def leaves_tree(path: str) -> bool:
    """Whether a path from a tree points out of it, or into git's own folder."""
    return any(part.lower() in {"", ".", "..", ".git"} for part in path.split("/"))
