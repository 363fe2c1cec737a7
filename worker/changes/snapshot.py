"""The code files of one side, each with the name of its blob."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from pathspec import PathSpec
from pathspec.pattern import Pattern

from worker.changes.checkout import Checkout, merge_base, open_checkout, resolve
from worker.changes.git import Git
from worker.changes.python_source import MAX_BYTES, is_code
from worker.changes.shadow_repository import object_name, shadow, store_blob
from worker.changes.tree_entries import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    TreeEntry,
    TreeFolder,
    leaves_tree,
    revision_entries,
    worktree_entries,
)
from worker.errors import UsageError

ENVIRONMENTS = (
    ".venv/", "venv/", ".virtualenv/", "virtualenv/", "site-packages/",
    "dist-packages/", "lib/python[23].*/", "__pypackages__/", ".tox/", ".nox/",
    ".eggs/", ".conda/", ".pixi/", "node_modules/", "bower_components/",
    "__pycache__/",
)  # fmt: skip
VENDORED = (
    "vendor/", "vendored/", "_vendor/", "_vendored/", "third_party/",
    "third-party/", "thirdparty/", "3rdparty/",
)  # fmt: skip
GENERATED = (
    "*_pb2.py", "*_pb2_grpc.py", "_generated/", "*.generated.py", "build/lib*/",
    "/build/", "/dist/", "docs/_build/", ".ipynb_checkpoints/",
)  # fmt: skip
DEFAULT_EXCLUDES = ENVIRONMENTS + VENDORED + GENERATED


@dataclass(frozen=True)
class ProjectScope:
    """The globs of the configuration, as gitignore patterns; empty ``include`` means everything."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def exclusion(self, path: str) -> str | None:
        """Return why a path is out of scope, or ``None`` when it is in."""
        if path not in self._known:
            self._known[path] = self._exclusion(path)
        return self._known[path]

    def _exclusion(self, path: str) -> str | None:
        found = self._excluded.check_file(path)
        if found.include and found.index is not None:
            return f"it matches the exclusion `{self._excludes[found.index]}`"
        if self.include and not self._included.match_file(path):
            return "it matches no `include` pattern"
        return None

    @property
    def _excludes(self) -> Sequence[str]:
        return DEFAULT_EXCLUDES + self.exclude

    @cached_property
    def _known(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _excluded(self) -> PathSpec[Pattern]:
        return PathSpec.from_lines("gitignore", self._excludes)

    @cached_property
    def _included(self) -> PathSpec[Pattern]:
        return PathSpec.from_lines("gitignore", self.include)


WHOLE_PROJECT = ProjectScope()


def environments(paths: Iterable[str]) -> frozenset[str]:
    """The folders that are virtual environments, by their ``pyvenv.cfg``."""
    return frozenset(
        str(PurePosixPath(path).parent) + "/" for path in paths if path.endswith("/pyvenv.cfg")
    )


def installed(path: str) -> bool:
    """Return whether a path lies in a tree that a package manager made."""
    return _INSTALLED.match_file(path)


_INSTALLED = PathSpec.from_lines("gitignore", ENVIRONMENTS)


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """A code file of one side; ``refusal`` says why it is not read, if so."""

    blob: str
    refusal: str | None = None


Snapshot = Mapping[str, SnapshotFile]


def revision_snapshot(git: Git, revision: str, scope: ProjectScope) -> Snapshot:
    """The code files of a commit or tree."""
    entries = [
        entry
        for entry in revision_entries(git, revision)
        if is_code(entry.path) and entry.mode != SUBMODULE
    ]
    refuse = _Refusals(scope, entries)
    return {
        entry.path: SnapshotFile(entry.blob or "", refuse(entry, entry.mode, entry.size))
        for entry in entries
    }


def worktree_snapshot(checkout: Checkout, git: Git, scope: ProjectScope) -> Snapshot:
    """Return the working tree's code files; differences go to the shadow repository."""
    entries = worktree_entries(checkout)
    refuse = _Refusals(scope, entries)
    folder = TreeFolder(checkout.root)
    files: dict[str, SnapshotFile] = {}
    for entry in entries:
        if not is_code(entry.path) or entry.mode == SUBMODULE:
            continue
        if entry.absent:
            files[entry.path] = SnapshotFile(entry.blob or "", refuse(entry, entry.mode, None))
            continue
        file = _on_disk(entry, folder, refuse, git, checkout.object_format)
        if file is not None:
            files[entry.path] = file
    return files


class _Refusals:
    """Says of an entry why it is not read."""

    def __init__(self, scope: ProjectScope, entries: Iterable[TreeEntry]) -> None:
        self._scope = scope
        self._environments = tuple(environments(entry.path for entry in entries))

    def __call__(self, entry: TreeEntry, mode: int, size: int | None) -> str | None:
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
    entry: TreeEntry,
    folder: TreeFolder,
    refuse: _Refusals,
    git: Git,
    object_format: str,
) -> SnapshotFile | None:
    status = folder.status(entry.path)
    if status is None or stat.S_ISDIR(status.st_mode):
        return None
    refusal = refuse(entry, _mode(status), status.st_size)
    if refusal is not None and entry.blob is None:
        return None if status.st_size <= MAX_BYTES else SnapshotFile("", refusal)
    if status.st_size > MAX_BYTES:
        return SnapshotFile(f"{status.st_size}:{status.st_mtime_ns}", refusal)
    try:
        content = folder.read(entry.path, MAX_BYTES + 1)
    except OSError as error:
        return SnapshotFile("", f"it cannot be read ({error.strerror or error})")
    name = object_name(object_format, content)
    if name != entry.blob and not (
        b"\r\n" in content
        and object_name(object_format, content.replace(b"\r\n", b"\n")) == entry.blob
    ):
        if refusal is None:
            store_blob(git, object_format, content)
        return SnapshotFile(name, refusal)
    return SnapshotFile(entry.blob or name, refusal)


def _mode(status: os.stat_result) -> int:
    if stat.S_ISLNK(status.st_mode):
        return SYMLINK
    return EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR


def base_of(repository: Path, base: str | None = None, head: str | None = None) -> str:
    """Return the base's full name (default: merge base with ``head``); raise ``UsageError``."""
    checkout = open_checkout(repository)
    if base is not None:
        return resolve(checkout, base)
    commit = resolve(checkout, head) if head is not None else None
    with shadow(checkout) as git:
        return merge_base(checkout, git, commit)


def read_texts(repository: Path, revision: str | None, paths: Sequence[str]) -> dict[str, str]:
    """Return the UTF-8 texts of files, at a revision or on disk, by path; raise ``UsageError``."""
    checkout = open_checkout(repository)
    if revision is None:
        contents = {path: _file_on_disk(checkout, path) for path in paths}
    else:
        commit = resolve(checkout, revision)
        with shadow(checkout) as git:
            contents = {path: _in_tree(git, commit, path) for path in paths}
    return {
        path: _decoded(content, path) for path, content in contents.items() if content is not None
    }


def _decoded(content: bytes, path: str) -> str:
    if len(content) > MAX_BYTES:
        raise UsageError(f"has more than {MAX_BYTES:,} bytes", file=path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("is not UTF-8", file=path) from error


def _file_on_disk(checkout: Checkout, path: str) -> bytes | None:
    folder = TreeFolder(checkout.root)
    status = folder.status(path)
    if checkout.bare or status is None:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise _linked(path)
    try:
        return folder.read(path, MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", file=path) from error


def _in_tree(git: Git, revision: str, path: str) -> bytes | None:
    for entry in revision_entries(git, revision, path):
        if entry.mode == SYMLINK:
            raise _linked(path)
        if entry.path == path and entry.blob and entry.size is not None:
            if entry.size > MAX_BYTES:
                raise UsageError(f"has more than {MAX_BYTES:,} bytes", file=path)
            return git.run("cat-file", "blob", entry.blob)
    return None


def _linked(path: str) -> UsageError:
    return UsageError("is a symbolic link, which is not followed", file=path)
