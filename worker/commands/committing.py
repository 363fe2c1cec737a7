"""A commit that puts suggestions in place, made of git's objects alone.

Nothing is checked out, and no filter, hook or attribute of the repository
has a say.  The same suggestions make the same commit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from analyzers.vocabulary import Suggestion
from worker.changes.git import Git, GitError
from worker.errors import UsageError

_FILES = frozenset({"100644", "100755"})
_LINE_STARTS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(frozen=True, slots=True)
class Message:
    """Who commits, and what the commit says."""

    name: str
    email: str
    text: str
    at: datetime


def overlap(one: Suggestion, other: Suggestion) -> bool:
    """Whether two suggestions replace the same line."""
    return (
        one.path == other.path
        and one.start_line <= other.end_line
        and other.start_line <= one.end_line
    )


def edited(text: str, suggestions: Sequence[Suggestion]) -> str:
    """A file with suggestions that do not overlap put in place, with its own line ends.

    Raises ``UsageError`` where it has no such lines.
    """
    lines = _LINE_STARTS.split(text)
    for one in sorted(suggestions, key=lambda each: each.start_line, reverse=True):
        replaced = lines[one.start_line - 1 : one.end_line]
        if len(replaced) != one.end_line - one.start_line + 1 or not replaced[-1]:
            raise UsageError(f"{one.path} has no lines {one.start_line} to {one.end_line}")
        newline = "\r\n" if replaced[0].endswith("\r\n") else "\n"
        new = one.replacement.replace("\r\n", "\n").split("\n")
        lines[one.start_line - 1 : one.end_line] = [line + newline for line in new]
    return "".join(lines)


def commit(
    git: Git, scratch: Path, parent: str, suggestions: Sequence[Suggestion], message: Message
) -> str:
    """Make the commit in a bare repository that holds ``parent``; returns its full name.

    ``scratch`` is a folder for the index.  Raises ``UsageError`` where a
    suggestion does not fit, ``MachineError`` where git fails.
    """
    index = {"GIT_INDEX_FILE": str(scratch / "index")}
    by_path = {one.path: [s for s in suggestions if s.path == one.path] for one in suggestions}
    git.run("read-tree", parent, environment=index)
    for path, fitting in by_path.items():
        mode, content = _content(git, parent, path)
        text = edited(_decoded(content, path), fitting)
        blob = _line(git.run("hash-object", "-w", "--stdin", "--no-filters", stdin=_encoded(text)))
        entry = f"{mode} {blob}\t".encode() + path.encode() + b"\0"
        git.run("update-index", "-z", "--index-info", stdin=entry, environment=index)
    tree = _line(git.run("write-tree", environment=index))
    if tree == git.line("rev-parse", f"{parent}^{{tree}}"):
        raise UsageError("the branch has this change already")
    said = git.run(
        "commit-tree", "--no-gpg-sign", "-p", parent, tree,
        stdin=_encoded(message.text), environment=_identity(message),
    )  # fmt: skip
    return _line(said)


def _content(git: Git, parent: str, path: str) -> tuple[str, bytes]:
    """The mode and content of a regular file."""
    no_file = UsageError(f"{path} is no file of the pull request's branch")
    try:
        listed = git.run("ls-tree", "-z", parent, "--", path).split(b"\0")[0]
        described, _, name = listed.partition(b"\t")
        parts = described.decode("ascii").split()
        if name != path.encode() or len(parts) != 3 or parts[0] not in _FILES:
            raise no_file
        return parts[0], git.run("cat-file", "blob", parts[2])
    except GitError:
        raise no_file from None


def _decoded(content: bytes, path: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8") from None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _identity(message: Message) -> Mapping[str, str]:
    at = f"{int(message.at.timestamp())} +0000"
    both = {"NAME": message.name, "EMAIL": message.email, "DATE": at}
    return {f"GIT_{who}_{what}": of for who in ("AUTHOR", "COMMITTER") for what, of in both.items()}


def _line(said: bytes) -> str:
    return said.decode("ascii").strip()
