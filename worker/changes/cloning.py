"""A clone of what one pull request needs: base, head, and where they parted.

First the commits alone, as far back as it takes; then the three trees.
Nothing is checked out, so that no filter, hook or submodule has a say.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worker.changes.checkout import is_full_name
from worker.changes.git import Git, GitError
from worker.changes.regular import read_regular
from worker.changes.remote import Bounds, Origin, Store
from worker.errors import MachineError, UsageError
from worker.temporary import owned_folder, remove

DEPTHS = (64, 1024, 16_384, 0x7FFFFFFF)
MAX_SHALLOW = 16 << 20


@dataclass(frozen=True, slots=True)
class Cloned:
    """A bare repository that holds three commits without their history."""

    folder: Path
    base: str
    head: str
    merge_base: str


def clone(
    origin: Origin, base: str, head: str, destination: Path, bounds: Bounds | None = None
) -> Cloned:
    """Clone two commits of a server and the commit at which they parted.

    ``base`` and ``head`` are full names, ``destination`` a folder that does
    not exist or is empty; it is gone again where this fails.  Raises
    ``UsageError`` for names and addresses that are none, or commits without
    a common one, and ``MachineError`` where the server fails, sends broken
    objects, or exceeds the bounds.
    """
    for name in (base, head):
        if not is_full_name(name):
            raise UsageError(f"{name!r} is not the full name of a commit")
    if destination.exists() and any(destination.iterdir()):
        raise UsageError(f"{destination} is not empty")
    bounds = bounds or Bounds()
    deadline = time.monotonic() + bounds.seconds
    try:
        with owned_folder("history") as folder:
            history = Store(folder, origin, bounds.size, deadline)
            parted = _merge_base(history, base, head)
        store = Store(destination, origin, bounds.size, deadline)
        store.make(_object_format(base))
        wanted = {"base": base, "head": head, "merge-base": parted}
        store.fetch("--depth=1", "--end-of-options", origin.url, *dict.fromkeys(wanted.values()))
        for name, commit in wanted.items():
            store.git.run("update-ref", f"refs/assayer/{name}", commit)
    except OSError as error:
        remove(destination)
        raise MachineError(
            f"{origin.url} cannot be written to {destination}: {error.strerror or error}",
            "Free some disk space.",
        ) from error
    except BaseException:
        remove(destination)
        raise
    return Cloned(destination, base, head, parted)


def _object_format(name: str) -> str:
    return "sha1" if len(name) == 40 else "sha256"


def _merge_base(history: Store, base: str, head: str) -> str:
    """The commit at which two others parted, from commits without trees."""
    history.make(_object_format(base))
    for depth in DEPTHS:
        history.fetch(
            "--filter=tree:0", f"--depth={depth}", "--end-of-options",
            history.origin.url, *dict.fromkeys((base, head)),
        )  # fmt: skip
        found = next(_common(history.git, base, head), None)
        if found is not None and _complete(history, base, head):
            return found
    raise UsageError(f"{base} and {head} have no common commit")


def _common(git: Git, base: str, head: str) -> Iterator[str]:
    try:
        yield git.line("merge-base", base, head)
    except GitError as error:
        if error.message:
            raise


def _complete(history: Store, base: str, head: str) -> bool:
    """Whether history breaks off nowhere between the commits and their common one."""
    apart = set(history.git.line("rev-list", f"{base}...{head}").splitlines())
    shallow = history.folder / "shallow"
    if not shallow.exists():
        return True
    return apart.isdisjoint(read_regular(shallow, MAX_SHALLOW).decode("ascii").splitlines())
