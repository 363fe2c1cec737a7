"""A folder that a tree is written into, and nothing outside it."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO

from analyzers.vocabulary import Skipped
from worker.changes.tree import leaves_tree

MAX_FILE_BYTES = 100_000_000
MAX_TREE_BYTES = 2_000_000_000
MAX_DEPTH = 100
MAX_LINK = 4096

_CHUNK = 1 << 20
_ODD = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP})


class Destination:
    """Writes regular files first and symbolic links last.

    No write passes through a link, and no link leads out of the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._bytes = 0
        self._folders = {self.root}
        self._links: list[tuple[str, str]] = []
        self._left_out: list[Skipped] = []

    def leave_out(self, path: str, reason: str) -> None:
        """Note that a path of the tree is not written, or not what it stands for."""
        name = path.encode(errors="backslashreplace").decode()
        self._left_out.append(Skipped("changes", name, reason))

    def accepts(self, path: str, size: int) -> bool:
        """Whether a file may be written; notes the reason where not."""
        if leaves_tree(path):
            self.leave_out(path, "its path leaves the tree")
        elif path.count("/") > MAX_DEPTH:
            self.leave_out(path, f"it lies deeper than {MAX_DEPTH} folders")
        elif size > MAX_FILE_BYTES:
            self.leave_out(path, f"it has {size:,} bytes, more than {MAX_FILE_BYTES:,}")
        elif self._bytes + size > MAX_TREE_BYTES:
            self.leave_out(path, f"the tree has more than {MAX_TREE_BYTES:,} bytes")
        else:
            self._bytes += size
            return True
        return False

    def write(self, path: str, stream: IO[bytes], size: int, *, executable: bool) -> None:
        """Write the next ``size`` bytes of a stream to a path.

        The bytes are consumed in any case.  Raises ``OSError`` when the disk
        is full or the folder cannot be written.
        """
        try:
            descriptor = self._create(path, 0o755 if executable else 0o644)
        except OSError as error:
            if error.errno not in _ODD:
                raise
            self.leave_out(path, f"it cannot stand in a tree ({error.strerror})")
            descriptor = os.open(os.devnull, os.O_WRONLY)
        with os.fdopen(descriptor, "wb") as file:
            while size > 0 and (chunk := stream.read(min(size, _CHUNK))):
                file.write(chunk)
                size -= len(chunk)

    def link(self, path: str, target: str) -> None:
        """Keep a symbolic link for the end."""
        if self.accepts(path, 0):
            self._links.append((path, target))

    def finish(self) -> tuple[Skipped, ...]:
        """Write the links; return everything that was left out."""
        made = [path for path, target in self._links if self._symlink(path, target)]
        while leading_out := [path for path in made if not self._inside(path)]:
            for path in leading_out:
                (self.root / path).unlink()
                self.leave_out(path, "it is a symbolic link out of the tree")
                made.remove(path)
        return tuple(self._left_out)

    def _create(self, path: str, mode: int) -> int:
        place = self.root / path
        self._folder(place.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(place, flags, mode)
        os.fchmod(descriptor, mode)
        return descriptor

    def _folder(self, place: Path) -> None:
        if place in self._folders:
            return
        self._folder(place.parent)
        with suppress(FileExistsError):
            place.mkdir()
            place.chmod(0o755)
        if not stat.S_ISDIR(place.lstat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, "its folder is none")
        self._folders.add(place)

    def _symlink(self, path: str, target: str) -> bool:
        place = self.root / path
        try:
            self._folder(place.parent)
            place.symlink_to(target)
        except (OSError, ValueError) as error:
            self.leave_out(path, f"it cannot stand in a tree ({error})")
            return False
        return True

    def _inside(self, path: str) -> bool:
        try:
            real = Path(os.path.realpath(self.root / path))
        except (OSError, ValueError):
            return False
        absolute = (self.root / path).readlink().is_absolute()
        return not absolute and real.is_relative_to(self.root)
