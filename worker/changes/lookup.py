"""Single questions to a checkout: its base, and one file of one side."""

from __future__ import annotations

import stat
from pathlib import Path

from worker.changes.checkout import Checkout, merge_base, open_checkout, resolve
from worker.changes.git import Git
from worker.changes.shadow import shadow
from worker.changes.texts import MAX_BYTES
from worker.changes.tree import SYMLINK, Folder, revision_entries
from worker.errors import UsageError


def base_of(repository: Path, base: str | None = None, head: str | None = None) -> str:
    """The full name of the base commit; the merge base where none is given.

    ``head`` is the revision that is tested, ``None`` for the working tree.
    Raises ``UsageError``.
    """
    checkout = open_checkout(repository)
    if base is not None:
        return resolve(checkout, base)
    commit = resolve(checkout, head) if head is not None else None
    with shadow(checkout) as git:
        return merge_base(checkout, git, commit)


def read_text(repository: Path, revision: str | None, path: str) -> str | None:
    """The UTF-8 text of a file at a revision, or in the working tree.

    ``None`` where it does not exist.  Raises
    ``UsageError`` where it cannot be read.
    """
    checkout = open_checkout(repository)
    if revision is None:
        content = _on_disk(checkout, path)
    else:
        with shadow(checkout) as git:
            content = _in_tree(git, resolve(checkout, revision), path)
    if content is None:
        return None
    if len(content) > MAX_BYTES:
        raise UsageError(f"has more than {MAX_BYTES:,} bytes", file=path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("is not UTF-8", file=path) from error


def _on_disk(checkout: Checkout, path: str) -> bytes | None:
    folder = Folder(checkout.root)
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
