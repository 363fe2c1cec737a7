"""Fetch the two commits of a bug, and make a pull request of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from io import BytesIO
from pathlib import Path

from benchmarks.real_bugs.bug_list import Bug

GITHUB = "https://github.com"
LARGEST = 2**20
IDENTITY = {
    "GIT_AUTHOR_NAME": "Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00+0000",
    "GIT_COMMITTER_NAME": "Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00+0000",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *words: str) -> bytes:
    """Run git in a folder and return its output; raise ``CalledProcessError`` if it fails."""
    command = ["git", "-C", str(folder), *words]
    environment = {**os.environ, **IDENTITY}
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


def fetched(bug: Bug, folder: Path, mirrors: Path | None) -> Path:
    """Return a bare clone that has both commits of a bug, fetching what it lacks from GitHub.

    Where there is a folder of mirrors (``owner+name`` or ``owner/name``, a git directory or
    a checkout), the clone borrows the mirror's objects.
    """
    clone = folder / "clones" / bug.repository.replace("/", "+")
    if not clone.is_dir():
        clone.mkdir(parents=True)
        git(clone, "init", "-q", "--bare")
    if mirrors is not None:
        borrowed = _objects(bug, mirrors)
        (clone / "objects" / "info" / "alternates").write_text(f"{borrowed}\n")
    lacking = [commit for commit in (bug.fix, bug.parent) if not _has(clone, commit)]
    if lacking:
        git(clone, "fetch", "-q", "--depth", "1", f"{GITHUB}/{bug.repository}.git", *lacking)
    return clone


def _objects(bug: Bug, mirrors: Path) -> Path:
    for folder in (mirrors / bug.repository.replace("/", "+"), mirrors / bug.repository):
        for place in (folder, folder / "repo"):
            for objects in (place / "objects", place / ".git" / "objects"):
                if objects.is_dir():
                    return objects.resolve()
    raise FileNotFoundError(f"{bug.repository} is not among the mirrors in {mirrors}")


def _has(clone: Path, commit: str) -> bool:
    try:
        git(clone, "cat-file", "-e", f"{commit}^{{commit}}")
    except subprocess.CalledProcessError:
        return False
    return True


def extract(clone: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder, but for links and what is larger than 1 MiB.

    Pictures and notebooks are of no use here, and a mirror may lack them.
    """
    listed = git(clone, "ls-tree", "-r", "-l", "-z", commit).decode().rstrip("\0").split("\0")
    wanted: dict[str, str] = {}
    for entry in listed:
        about, _, path = entry.partition("\t")
        mode, kind, name, size = about.split()
        if kind == "blob" and mode != "120000" and size.isdigit() and int(size) <= LARGEST:
            wanted[path] = name
    command = ["git", "-C", str(clone), "cat-file", "--batch"]
    names = "\n".join(wanted.values()).encode()
    blobs = BytesIO(subprocess.run(command, input=names, check=True, capture_output=True).stdout)
    for path in wanted:
        size = int(blobs.readline().split()[2])
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(blobs.read(size))
        blobs.read(1)


def file_at(clone: Path, commit: str, path: str) -> str:
    """Return a file's text at a commit."""
    return git(clone, "show", f"{commit}:{path}").decode()


def pull_request(bug: Bug, clone: Path, folder: Path) -> tuple[Path, str, str]:
    """Return a new checkout, its base (the fix) and its head (the commit before it)."""
    checkout = folder / "pulls" / bug.id
    shutil.rmtree(checkout, ignore_errors=True)
    checkout.mkdir(parents=True)
    git(checkout, "init", "-q", "-b", "main")
    base = _commit(checkout, clone, bug.fix, "Base")
    return checkout, base, _commit(checkout, clone, bug.parent, "Change")


def _commit(checkout: Path, clone: Path, commit: str, message: str) -> str:
    git(checkout, "rm", "-r", "-q", "--ignore-unmatch", ".")
    extract(clone, commit, checkout)
    git(checkout, "add", "-A", "-f")
    git(checkout, "commit", "-q", "-m", message)
    return git(checkout, "rev-parse", "HEAD").decode().strip()
