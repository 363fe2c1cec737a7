"""Writing one side's whole tree to a folder, for the sandbox."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import IO

from analyzers.vocabulary import Skipped
from worker.changes.checkout import Checkout, open_checkout, resolve
from worker.changes.destination import MAX_LINK, Destination
from worker.changes.git import Git
from worker.changes.regular import open_regular
from worker.changes.scope import installed
from worker.changes.shadow import blob_stream, next_size, pass_over, shadow
from worker.changes.tree import (
    EXECUTABLE,
    SUBMODULE,
    SYMLINK,
    Entry,
    Folder,
    revision_entries,
    worktree_entries,
)
from worker.errors import MachineError, UsageError

LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
LARGEST_POINTER = 1024


def materialise(repository: Path, revision: str | None, destination: Path) -> tuple[Skipped, ...]:
    """Write the tree of a revision, or the working tree, into an empty folder.

    Regular files get mode 0644 or 0755; symbolic links are kept where they
    stay in the tree.  Of the working tree, untracked files come along unless
    git ignores them or a package manager made them.  Returns what was left
    out, with the reason.  Raises ``UsageError`` for an unknown revision and
    ``MachineError`` when the disk is full.
    """
    checkout = open_checkout(repository)
    if checkout.bare and revision is None:
        raise UsageError(f"{repository} is bare, so it has no working tree")
    try:
        destination.mkdir(parents=True, exist_ok=True)
        target = Destination(destination)
        if revision is None:
            _copy_worktree(checkout, target)
        else:
            with shadow(checkout) as git:
                _write_revision(git, resolve(checkout, revision), target)
        return target.finish()
    except OSError as error:
        raise MachineError(
            f"the tree cannot be written to {destination}: {error.strerror or error}",
            "Free some disk space, or point TMPDIR at a larger disk.",
        ) from error


def _copy_worktree(checkout: Checkout, target: Destination) -> None:
    folder = Folder(checkout.root)
    for entry in worktree_entries(checkout):
        if entry.mode == SUBMODULE:
            target.leave_out(entry.path, "it is a submodule")
        elif not entry.absent and (entry.blob or not installed(entry.path)):
            _copy(folder, entry.path, target)


def _copy(folder: Folder, path: str, target: Destination) -> None:
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


def _write_revision(git: Git, revision: str, target: Destination) -> None:
    wanted: list[Entry] = []
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


def _write_entry(entry: Entry, stream: IO[bytes], target: Destination) -> None:
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
    path: str, stream: IO[bytes], size: int, target: Destination, *, executable: bool
) -> None:
    """Write a regular file; where it only stands for its content, say so too."""
    if size <= LARGEST_POINTER:
        content = stream.read(size)
        if content.startswith(LFS_POINTER):
            target.leave_out(path, "it is a Git LFS pointer; what it stands for is not fetched")
        stream = io.BytesIO(content)
    target.write(path, stream, size, executable=executable)
