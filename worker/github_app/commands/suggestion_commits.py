"""Committing verified suggestions to a pull request's branch, once."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from analyzers.vocabulary import Suggestion
from worker.changes.git import Git, GitError
from worker.changes.remote_clone import FetchBounds, ObjectStore, RefusedPushError, RemoteOrigin
from worker.errors import MachineError, UsageError
from worker.github_app import messages
from worker.github_app.client.errors import (
    ForbiddenError,
    GithubError,
    NotFoundError,
    RefusedError,
    UncertainError,
)
from worker.github_app.client.objects import listed
from worker.github_app.commands.command_context import CommandContext, Finding
from worker.github_app.context import bot_login
from worker.report.stored_report import suggestion_of
from worker.report.suggested_edits import edited, overlap
from worker.store.records import RunRecord
from worker.system.temporary_files import owned_folder

_FILES = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """The author and the text of a commit."""

    name: str
    email: str
    text: str
    at: datetime


def commit(
    git: Git, scratch: Path, parent: str, suggestions: Sequence[Suggestion], message: CommitMessage
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


def _identity(message: CommitMessage) -> Mapping[str, str]:
    at = f"{int(message.at.timestamp())} +0000"
    both = {"NAME": message.name, "EMAIL": message.email, "DATE": at}
    return {f"GIT_{who}_{what}": of for who in ("AUTHOR", "COMMITTER") for what, of in both.items()}


def _line(said: bytes) -> str:
    return said.decode("ascii").strip()


WRITE = {"contents": "write"}
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?")
_STALE_PUSH = "stale info"
_PLAIN = re.compile(r"[A-Za-z0-9_./-]{1,200}")
"""Paths that are told in a commit's message; GitHub reads "closes #1" and "@name" there."""


class NotAppliedError(Exception):
    """Nothing was committed; says why, as Markdown for who asked."""


@dataclass(frozen=True, slots=True)
class Change:
    """Suggestions of findings of a run, and who wants them on the branch."""

    findings: Sequence[Finding]
    run: RunRecord
    login: str

    @property
    def chosen(self) -> list[tuple[str, Suggestion]]:
        """The fingerprints and suggestions that were verified; of two that overlap the first."""
        chosen: list[tuple[str, Suggestion]] = []
        for finding in self.findings:
            found = finding["suggestion"]
            if found and found["verified"]:
                one = suggestion_of(found)
                if not any(overlap(one, other) for _, other in chosen):
                    chosen.append((finding["fingerprint"], one))
        return chosen

    @property
    def suggestions(self) -> list[Suggestion]:
        """Return what is put in place."""
        return [suggestion for _, suggestion in self.chosen]

    @property
    def names(self) -> str:
        """The fingerprints, so that each is committed once for each asking."""
        return ",".join(finding["fingerprint"] for finding in self.findings[:5])


def apply_change(change: Change, command_context: CommandContext) -> str:
    """Commit and push; returns the commit's full name.

    Raises ``NotAppliedError``, and ``GithubError`` where another try may help.
    """
    key = f"apply:{command_context.key}:{change.names}"
    with command_context.context.store.read() as unit:
        idempotency_record = unit.idempotency.get(key)
    if idempotency_record is not None and idempotency_record.made is not None:
        return idempotency_record.made
    if not change.suggestions:
        raise NotAppliedError(messages.NO_SUGGESTION)
    if idempotency_record is None and command_context.pull.head != change.run.job.head:
        raise NotAppliedError(messages.MOVED_ON)
    _require_branch(command_context)
    try:
        return _pushed(key, change, command_context, _token(command_context))
    except UsageError as error:
        raise NotAppliedError(messages.does_not_fit(error.message)) from error
    except RefusedError as error:
        said = (
            messages.MOVED_ON
            if _STALE_PUSH in error.message
            else messages.refused_push(error.message)
        )
        raise NotAppliedError(said) from error


def _require_branch(command_context: CommandContext) -> None:
    pull = command_context.pull
    if not pull.open:
        raise NotAppliedError(messages.CLOSED)
    if pull.head_name is None:
        raise NotAppliedError(messages.FORK_GONE)
    if pull.fork and not pull.maintainers_edit:
        raise NotAppliedError(messages.NO_EDITS)


def _token(command_context: CommandContext) -> str:
    """A token that may push, for this repository alone."""
    where = command_context.where
    try:
        token = command_context.context.app.token(where.installation, where.id, WRITE)
    except (ForbiddenError, NotFoundError) as error:
        raise NotAppliedError(messages.NO_CONTENTS) from error
    if token.permissions.get("contents") != "write":
        raise NotAppliedError(messages.NO_CONTENTS)
    return token.token.get_secret_value()


def _pushed(key: str, change: Change, command_context: CommandContext, token: str) -> str:
    """Make the commit and push it, unless an earlier try did."""
    head = change.run.job.head
    assert head is not None
    with owned_folder("applied") as folder:
        store = _fetched(folder / "clone", head, command_context, token)
        made = commit(
            store.git, folder, head, change.suggestions, _message(change, command_context)
        )
        return command_context.writer.create(
            key,
            lambda: _push(store, made, head, command_context, token),
            lambda: _find_commit(made, command_context),
        )


def _fetched(folder: Path, head: str, command_context: CommandContext, token: str) -> ObjectStore:
    """The run's head; a fork's lies in the repository itself too."""
    bounds = FetchBounds()
    origin = _origin(command_context, command_context.where.full_name, token)
    store = ObjectStore(folder, origin, bounds.size, time.monotonic() + bounds.seconds)
    try:
        store.make("sha1" if len(head) == 40 else "sha256")
        store.fetch("--depth=1", "--end-of-options", origin.url, head)
    except MachineError as error:
        raise GithubError(error.message) from None
    return store


def _push(
    store: ObjectStore, made: str, head: str, command_context: CommandContext, token: str
) -> str:
    pull, seconds = command_context.pull, command_context.context.settings.github.timeout
    assert pull.head_name is not None
    origin = _origin(command_context, pull.head_name, token)
    pushing = replace(store, origin=origin, deadline=time.monotonic() + seconds)
    try:
        pushing.push(made, pull.head_ref, head)
    except RefusedPushError as error:
        raise RefusedError(error.message) from None
    except MachineError as error:
        raise UncertainError(error.message) from None
    return made


def _find_commit(made: str, command_context: CommandContext) -> str | None:
    if command_context.pull.head == made:
        return made
    commits = listed(command_context.github_pull.get_commits(), "sha")  # GitHub tells of 250
    return made if made in {commit.sha for commit in commits} else None


def _origin(command_context: CommandContext, name: str, token: str) -> RemoteOrigin:
    github = command_context.context.settings.github
    return RemoteOrigin(f"{github.web_url}/{name}.git", token, loopback=github.local)


def _counted(paths: Sequence[str]) -> str:
    return "one file" if len(paths) == 1 else f"{len(paths)} files"


def _message(change: Change, command_context: CommandContext) -> CommitMessage:
    """By the bot, with whoever asked beside it; the same for every try."""
    bot = bot_login(command_context.context)
    paths = sorted({one.path for one in change.suggestions})
    where = paths[0] if len(paths) == 1 and _PLAIN.fullmatch(paths[0]) else _counted(paths)
    lines = [
        f"Apply what Assayer suggests for {where}",
        "",
        "It was run again on the inputs that showed the defect, which went away.",
        "",
        *(f"Assayer-Finding: {fingerprint}" for fingerprint, _ in change.chosen),
    ]
    if _LOGIN.fullmatch(change.login):
        lines.append(f"Co-authored-by: {change.login} <{change.login}@users.noreply.github.com>")
    email = f"{bot}@users.noreply.github.com"
    return CommitMessage(bot, email, "\n".join(lines) + "\n", command_context.asked_at)
