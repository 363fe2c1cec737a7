"""Committing verified suggestions to a pull request's branch, once."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analyzers.vocabulary import Suggestion
from worker.changes.remote import Bounds, Origin, RefusedPushError, Store
from worker.commands import answers
from worker.commands.committing import Message, commit, overlap
from worker.commands.occasion import Finding, Occasion
from worker.errors import MachineError, UsageError
from worker.github import pulls
from worker.github.errors import (
    ForbiddenError,
    GithubError,
    NotFoundError,
    RefusedError,
    UncertainError,
)
from worker.publishing.place import bot_login
from worker.report.stored import suggestion_of
from worker.store.records import RunRecord
from worker.temporary import owned_folder

WRITE = {"contents": "write"}
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?")
_STALE = "stale info"
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
        """What is put in place."""
        return [suggestion for _, suggestion in self.chosen]

    @property
    def names(self) -> str:
        """The fingerprints, so that each is committed once for each asking."""
        return ",".join(finding["fingerprint"] for finding in self.findings[:5])


def apply_change(change: Change, occasion: Occasion) -> str:
    """Commit and push; returns the commit's full name.

    Raises ``NotAppliedError``, and ``GithubError`` where another try may help.
    """
    key = f"apply:{occasion.key}:{change.names}"
    with occasion.desk.store.look() as books:
        writing = books.writings.get(key)
    if writing is not None and writing.made is not None:
        return writing.made
    if not change.suggestions:
        raise NotAppliedError(answers.NO_SUGGESTION)
    if writing is None and occasion.pull.head != change.run.job.head:
        raise NotAppliedError(answers.MOVED_ON)
    _require_branch(occasion)
    try:
        return _pushed(key, change, occasion, _token(occasion))
    except UsageError as error:
        raise NotAppliedError(answers.does_not_fit(error.message)) from error
    except RefusedError as error:
        said = answers.MOVED_ON if _STALE in error.message else answers.refused(error.message)
        raise NotAppliedError(said) from error


def _require_branch(occasion: Occasion) -> None:
    pull = occasion.pull
    if not pull.open:
        raise NotAppliedError(answers.CLOSED)
    if pull.head_name is None:
        raise NotAppliedError(answers.FORK_GONE)
    if pull.fork and not pull.maintainers_edit:
        raise NotAppliedError(answers.NO_EDITS)


def _token(occasion: Occasion) -> str:
    """A token that may push, for this repository alone."""
    where = occasion.where
    try:
        token = occasion.desk.app.token(where.installation, where.id, WRITE)
    except (ForbiddenError, NotFoundError) as error:
        raise NotAppliedError(answers.NO_CONTENTS) from error
    if token.permissions.get("contents") != "write":
        raise NotAppliedError(answers.NO_CONTENTS)
    return token.token.get_secret_value()


def _pushed(key: str, change: Change, occasion: Occasion, token: str) -> str:
    """Make the commit and push it, unless an earlier try did."""
    head = change.run.job.head
    assert head is not None
    with owned_folder("applied") as folder:
        store = _fetched(folder / "clone", head, occasion, token)
        made = commit(store.git, folder, head, change.suggestions, _message(change, occasion))
        return occasion.pen.create(
            key,
            lambda: _push(store, made, head, occasion, token),
            lambda: _there(made, occasion),
        )


def _fetched(folder: Path, head: str, occasion: Occasion, token: str) -> Store:
    """The run's head; a fork's lies in the repository itself too."""
    bounds = Bounds()
    origin = _origin(occasion, occasion.where.full_name, token)
    store = Store(folder, origin, bounds.size, time.monotonic() + bounds.seconds)
    try:
        store.make("sha1" if len(head) == 40 else "sha256")
        store.fetch("--depth=1", "--end-of-options", origin.url, head)
    except MachineError as error:
        raise GithubError(error.message) from None
    return store


def _push(store: Store, made: str, head: str, occasion: Occasion, token: str) -> str:
    pull, seconds = occasion.pull, occasion.desk.settings.github.timeout
    assert pull.head_name is not None
    origin = _origin(occasion, pull.head_name, token)
    pushing = replace(store, origin=origin, deadline=time.monotonic() + seconds)
    try:
        pushing.push(made, pull.head_ref, head)
    except RefusedPushError as error:
        raise RefusedError(error.message) from None
    except MachineError as error:
        raise UncertainError(error.message) from None
    return made


def _there(made: str, occasion: Occasion) -> str | None:
    """Whether the branch has the commit, maybe below others."""
    api, name, number = occasion.api, occasion.where.full_name, occasion.pull.number
    if occasion.pull.head == made:
        return made
    return made if made in pulls.commits(api, name, number) else None


def _origin(occasion: Occasion, name: str, token: str) -> Origin:
    github = occasion.desk.settings.github
    return Origin(f"{github.web_url}/{name}.git", token, loopback=github.local)


def _counted(paths: Sequence[str]) -> str:
    return "one file" if len(paths) == 1 else f"{len(paths)} files"


def _message(change: Change, occasion: Occasion) -> Message:
    """By the bot, with whoever asked beside it; the same for every try."""
    bot = bot_login(occasion.desk)
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
    return Message(bot, email, "\n".join(lines) + "\n", occasion.asked_at)
