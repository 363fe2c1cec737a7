"""The code files of one side, each with the name of its blob."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worker.changes.checkout import Checkout
from worker.changes.git import Git
from worker.changes.scope import Scope, environments
from worker.changes.shadow import object_name, store_blob
from worker.changes.texts import MAX_BYTES, is_code
from worker.changes.tree import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    Entry,
    Folder,
    leaves_tree,
    revision_entries,
    worktree_entries,
)


@dataclass(frozen=True, slots=True)
class File:
    """A code file of one side; ``refusal`` says why it is not read, if so."""

    blob: str
    refusal: str | None = None


Snapshot = Mapping[str, File]


def revision_snapshot(git: Git, revision: str, scope: Scope) -> Snapshot:
    """The code files of a commit or tree."""
    entries = [
        entry
        for entry in revision_entries(git, revision)
        if is_code(entry.path) and entry.mode != SUBMODULE
    ]
    refuse = _Refusals(scope, entries)
    return {
        entry.path: File(entry.blob or "", refuse(entry, entry.mode, entry.size))
        for entry in entries
    }


def worktree_snapshot(checkout: Checkout, git: Git, scope: Scope) -> Snapshot:
    """The code files of the working tree, as they stand on disk now.

    What differs from the index is written to the shadow repository.
    Untracked files out of scope are left out altogether.
    """
    entries = worktree_entries(checkout)
    refuse = _Refusals(scope, entries)
    folder = Folder(checkout.root)
    files: dict[str, File] = {}
    for entry in entries:
        if not is_code(entry.path) or entry.mode == SUBMODULE:
            continue
        if entry.absent:
            files[entry.path] = File(entry.blob or "", refuse(entry, entry.mode, None))
            continue
        file = _on_disk(entry, folder, refuse, git, checkout.object_format)
        if file is not None:
            files[entry.path] = file
    return files


class _Refusals:
    """Says of an entry why it is not read."""

    def __init__(self, scope: Scope, entries: Iterable[Entry]) -> None:
        self._scope = scope
        self._environments = tuple(environments(entry.path for entry in entries))

    def __call__(self, entry: Entry, mode: int, size: int | None) -> str | None:
        return (
            self._name(entry.path)
            or self._scope.exclusion(entry.path)
            or self._kind(entry.path, mode)
            or self._size(size)
        )

    def _name(self, path: str) -> str | None:
        if leaves_tree(path):
            return "its path leaves the tree"
        return None if path.isprintable() else "its name is not printable UTF-8"

    def _kind(self, path: str, mode: int) -> str | None:
        if path.startswith(self._environments):
            return "it lies in a virtual environment"
        if mode == SYMLINK:
            return "it is a symbolic link"
        return None

    def _size(self, size: int | None) -> str | None:
        if size is not None and size > MAX_BYTES:
            return f"it has {size:,} bytes, more than {MAX_BYTES:,}"
        return None


def _on_disk(
    entry: Entry,
    folder: Folder,
    refuse: _Refusals,
    git: Git,
    object_format: str,
) -> File | None:
    status = folder.status(entry.path)
    if status is None or stat.S_ISDIR(status.st_mode):
        return None
    refusal = refuse(entry, _mode(status), status.st_size)
    if refusal is not None and entry.blob is None:
        return None if status.st_size <= MAX_BYTES else File("", refusal)
    if status.st_size > MAX_BYTES:
        return File(f"{status.st_size}:{status.st_mtime_ns}", refusal)
    try:
        content = folder.read(entry.path, MAX_BYTES + 1)
    except OSError as error:
        return File("", f"it cannot be read ({error.strerror or error})")
    name = object_name(object_format, content)
    if name != entry.blob and not _only_line_ends(content, entry, object_format):
        if refusal is None:
            store_blob(git, object_format, content)
        return File(name, refusal)
    return File(entry.blob or name, refusal)


def _only_line_ends(content: bytes, entry: Entry, object_format: str) -> bool:
    return (
        b"\r\n" in content
        and object_name(object_format, content.replace(b"\r\n", b"\n")) == entry.blob
    )


def _mode(status: os.stat_result) -> int:
    if stat.S_ISLNK(status.st_mode):
        return SYMLINK
    return EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR
