"""A git checkout on this machine: where it is, and which revisions it knows."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from worker.changes.git import Git, GitError
from worker.errors import MachineError, UsageError


def open_regular(place: Path) -> int:
    """Open a regular file for reading, nothing else; ``OSError`` otherwise."""
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{place} is not a regular file")
    return descriptor


def read_regular(place: Path, most: int = -1) -> bytes:
    """The first bytes of a regular file; ``OSError`` where there is none."""
    with os.fdopen(open_regular(place), "rb") as file:
        return file.read(most)


MOST = 100
MOST_BYTES = 1 << 20


def foreign_object_stores(store: Path) -> Path | None:
    """Return another user's folder of objects that a repository borrows from, if any."""
    owners = {os.geteuid(), store.stat().st_uid}
    return next((folder for folder in _borrowed(store) if _owner(folder) not in owners), None)


def _borrowed(store: Path) -> set[Path]:
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
    if not line.startswith(b'"'):
        return line
    try:
        return bytes(codecs.escape_decode(line[1:].rpartition(b'"')[0])[0])
    except ValueError:
        return line


_FULL_NAME = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/heads/main",
    "refs/remotes/origin/master",
    "refs/heads/master",
)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A repository: ``root`` is the top of its tree (its git folder if bare)."""

    root: Path
    store: Path
    bare: bool
    object_format: str

    @property
    def git(self) -> Git:
        """Git in this checkout, under the checkout's own configuration."""
        return Git(self.root)

    @property
    def shallow(self) -> bool:
        """Return whether a part of the history is missing."""
        return (self.store / "shallow").exists()


def open_checkout(repository: Path) -> Checkout:
    """Return the checkout that holds a path; raise ``UsageError`` where none can be trusted."""
    if not repository.is_dir():
        raise UsageError(f"{repository} is not a directory")
    git = Git(repository)
    try:
        asked = ("--is-bare-repository", "--show-object-format", "--path-format=absolute")
        told = git.line("rev-parse", *asked, "--git-common-dir")
        is_bare, object_format, store = told.split("\n", 2)
        bare = is_bare == "true"
        root = store if bare else git.line("rev-parse", "--show-toplevel")
    except GitError as error:
        raise _unusable(repository, error) from error
    checkout = Checkout(Path(root), Path(store), bare, object_format)
    folder = foreign_object_stores(checkout.store)
    if folder is not None:
        raise UsageError(
            f"{checkout.root} borrows objects from {str(folder)!r}, which belongs to"
            " another user; copy them with git repack -a -d, then remove"
            " objects/info/alternates"
        )
    if not bare and not os.path.lexists(checkout.root / ".git"):
        raise UsageError(
            f"{repository} belongs to a repository whose work tree is set to"
            f" {root}; check the checkout itself"
        )
    return checkout


def _unusable(repository: Path, error: GitError) -> UsageError:
    if "dubious ownership" in error.message:
        return UsageError(
            f"{repository} belongs to another user; if you trust it, run"
            f" git config --global --add safe.directory {repository.resolve()}"
        )
    if "must be run in a work tree" in error.message:
        return UsageError(f"{repository} is a git folder, not a checkout")
    if "not a git repository" in error.message:
        return UsageError(f"{repository} is not a git repository")
    return UsageError(f"git cannot read {repository}: {error.message}")


def resolve(checkout: Checkout, revision: str) -> str:
    """Return the full name of a revision's commit, or the empty tree's; raise ``UsageError``."""
    if revision == empty_tree(checkout.object_format):
        return revision
    with suppress(GitError, ValueError):
        name = checkout.git.line(
            "rev-parse", "--verify", "--quiet", "--end-of-options",
            f"{revision}^{{commit}}",
        )  # fmt: skip
        if is_full_name(name):
            return name
    hint = (
        "; this clone is shallow, so fetch it first: git fetch --unshallow"
        if checkout.shallow
        else ""
    )
    raise UsageError(f"unknown revision {revision!r}{hint}")


def is_full_name(name: str) -> bool:
    """Return whether a text is the full name of an object: nothing else, no option."""
    return _FULL_NAME.fullmatch(name) is not None


def empty_tree(object_format: str) -> str:
    """The name of the tree without files, which every repository knows."""
    return hashlib.new(object_format, b"tree 0\0").hexdigest()


def default_branch(checkout: Checkout) -> str | None:
    """Return the default branch's ref: the remote's word, ``main``, ``master``, the only one."""
    refs = checkout.git.line("for-each-ref", "--format=%(refname)").splitlines()
    for name in _DEFAULT_BRANCHES:
        if name in refs:
            return name
    heads = [name for name in refs if name.startswith("refs/heads/")]
    return heads[0] if len(heads) == 1 else None


def has_commits(checkout: Checkout) -> bool:
    """Return whether HEAD names a commit."""
    try:
        checkout.git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitError:
        return False
    return True


def merge_base(checkout: Checkout, shadow: Git, head: str | None) -> str:
    """Return the commit at which ``head`` left the default branch; raise ``UsageError``."""
    if not has_commits(checkout) and head is None:
        raise UsageError(f"{checkout.root} has no commits to compare with; commit, or pass --all")
    branch = default_branch(checkout)
    if branch is None:
        raise UsageError(
            "cannot tell the default branch (looked for origin/HEAD, main and"
            " master); pass --base, or run git remote set-head origin --auto"
        )
    tip = resolve(checkout, branch)
    head = head or resolve(checkout, "HEAD")
    try:
        return shadow.line("merge-base", tip, head)
    except GitError as error:
        raise _unrelated(checkout, branch, error) from error


def _unrelated(checkout: Checkout, branch: str, error: GitError) -> UsageError | MachineError:
    name = branch.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    if checkout.shallow:
        return UsageError(
            f"this clone is shallow and does not reach back to where the change left"
            f" {name}; run git fetch --unshallow, or pass --base"
        )
    if error.message:
        return MachineError(
            f"git cannot walk the history: {error.message}",
            "Run git fsck; in a partial clone fetch what is missing.",
        )
    return UsageError(f"the change and {name} have no common commit; pass --base")
