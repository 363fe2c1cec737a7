"""Writing one side's whole tree to a folder, for the sandbox."""

from __future__ import annotations

import errno
import io
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO

from analyzers.vocabulary import Skipped
from worker.changes.checkout import open_checkout, open_regular, resolve
from worker.changes.git import Git
from worker.changes.shadow_repository import blob_stream, next_size, pass_over, shadow
from worker.changes.snapshot import installed
from worker.changes.tree_entries import (
    EXECUTABLE,
    SUBMODULE,
    SYMLINK,
    TreeEntry,
    TreeFolder,
    leaves_tree,
    revision_entries,
    worktree_entries,
)
from worker.errors import MachineError, UsageError

MAX_FILE_BYTES = 100_000_000
MAX_TREE_BYTES = 2_000_000_000
MAX_DEPTH = 100
MAX_LINK = 4096

_CHUNK = 1 << 20
_ODD = frozenset({errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP})


class TreeDestination:
    """Writes regular files first and symbolic links last, none through or out of the folder."""

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
        """Return whether a file may be written; notes the reason where not."""
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
        """Write the next ``size`` bytes of a stream and always consume them; raise ``OSError``."""
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


LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
LARGEST_POINTER = 1024


def materialise(repository: Path, revision: str | None, destination: Path) -> tuple[Skipped, ...]:
    """Write a revision's tree, or the working tree, into an empty folder; return what was left out.

    Links stay where they do not leave the tree.  Raises ``UsageError`` and ``MachineError``.
    """
    checkout = open_checkout(repository)
    if checkout.bare and revision is None:
        raise UsageError(f"{repository} is bare, so it has no working tree")
    try:
        destination.mkdir(parents=True, exist_ok=True)
        target = TreeDestination(destination)
        if revision is None:
            folder = TreeFolder(checkout.root)
            for entry in worktree_entries(checkout):
                if entry.mode == SUBMODULE:
                    target.leave_out(entry.path, "it is a submodule")
                elif not entry.absent and (entry.blob or not installed(entry.path)):
                    _copy(folder, entry.path, target)
        else:
            with shadow(checkout) as git:
                _write_revision(git, resolve(checkout, revision), target)
        return target.finish()
    except OSError as error:
        raise MachineError(
            f"the tree cannot be written to {destination}: {error.strerror or error}",
            "Free some disk space, or point TMPDIR at a larger disk.",
        ) from error


def _copy(folder: TreeFolder, path: str, target: TreeDestination) -> None:
    status = folder.status(path)
    if status is None or stat.S_ISDIR(status.st_mode):
        return
    if stat.S_ISLNK(status.st_mode):
        target.link(path, os.fsdecode(folder.read(path)))
        return
    try:
        source = open_regular(folder.root / path)
    except OSError as error:
        target.leave_out(path, f"it cannot be read ({error.strerror or error})")
        return
    with os.fdopen(source, "rb") as stream:
        if target.accepts(path, status.st_size):
            executable = bool(status.st_mode & stat.S_IXUSR)
            _write(path, stream, status.st_size, target, executable=executable)


def _write_revision(git: Git, revision: str, target: TreeDestination) -> None:
    wanted: list[TreeEntry] = []
    for entry in revision_entries(git, revision):
        if entry.mode == SUBMODULE:
            target.leave_out(entry.path, "it is a submodule")
        elif entry.size is None:
            target.leave_out(entry.path, "its content is missing from this clone")
        elif target.accepts(entry.path, entry.size):
            wanted.append(entry)
    with blob_stream(git, (entry.blob or "" for entry in wanted)) as stream:
        for entry in wanted:
            _write_entry(entry, stream, target)


def _write_entry(entry: TreeEntry, stream: IO[bytes], target: TreeDestination) -> None:
    size = next_size(stream)
    if size is None:
        target.leave_out(entry.path, "its content is missing from this clone")
        return
    if entry.mode == SYMLINK and size > MAX_LINK:
        pass_over(stream, size)
        target.leave_out(entry.path, "it is a symbolic link to no possible path")
    elif entry.mode == SYMLINK:
        target.link(entry.path, os.fsdecode(stream.read(size)))
    else:
        _write(entry.path, stream, size, target, executable=entry.mode == EXECUTABLE)
    stream.read(1)


def _write(
    path: str, stream: IO[bytes], size: int, target: TreeDestination, *, executable: bool
) -> None:
    """Write a regular file; where it only stands for its content, say so too."""
    if size <= LARGEST_POINTER:
        content = stream.read(size)
        if content.startswith(LFS_POINTER):
            target.leave_out(path, "it is a Git LFS pointer; what it stands for is not fetched")
        stream = io.BytesIO(content)
    target.write(path, stream, size, executable=executable)
