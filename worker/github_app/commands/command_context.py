"""A command or a pressed button: who asks for it, where, and of which commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from worker.github_app.client import comments, pulls, repositories
from worker.github_app.client.api import Api
from worker.github_app.client.errors import NotFoundError
from worker.github_app.client.repositories import LEVELS, Level, Permission
from worker.github_app.command_grammar import (
    AUTHOR_COMMANDS,
    WRITE_COMMANDS,
    Command,
    Rerun,
    Unknown,
)
from worker.github_app.context import PULL_PERMISSIONS, TaskContext, bot_login
from worker.github_app.events.pull_request_events import pull_request_of
from worker.github_app.publishing.comment_marks import has_mark, marked
from worker.github_app.rate_limited_writer import RateLimitedWriter
from worker.report.markdown_report import COMMENT_LIMIT
from worker.store.records import (
    OutboxTaskRecord,
    Policy,
    PullRecord,
    RepositoryRecord,
    RunRecord,
    RunState,
)
from worker.store.store import UnitOfWork


@dataclass(frozen=True, slots=True)
class Person:
    """A login at the time of asking; ``id``, if known, outlives the login."""

    login: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Requester:
    """A person who asks, and their rights; ``author``: of this very pull request."""

    login: str
    author: bool
    writes: bool
    commands: bool

    def may(self, command: Command, policy: Policy) -> bool:
        """Return whether they may give a command; an unknown one is answered for anybody."""
        if isinstance(command, Unknown):
            return True
        if isinstance(command, WRITE_COMMANDS):
            return self.commands and self.writes
        return self.commands or (self.author and _is_authors(command, policy))


def find_requester(
    api: Api, repository: str, who: Person, author: str | None, policy: Policy
) -> Requester:
    """Ask GitHub what somebody may do in a repository.

    ``author`` is who opened the pull request.  Who took over a login since
    may nothing.  Raises ``GithubError``.
    """
    login = who.login
    permission = _permission(api, repository, login)
    now = permission.user
    if who.id is not None and now is not None and now.id != who.id:
        return Requester(login, author=False, writes=False, commands=False)
    return Requester(
        login=login,
        author=author is not None and login.lower() == author.lower(),
        writes=permission.allows("write"),
        commands=_commands(login, permission, policy.commands),
    )


def _permission(api: Api, repository: str, login: str) -> Permission:
    try:
        return repositories.permission(api, repository, login)
    except NotFoundError:
        return Permission(permission="none")


def _commands(login: str, permission: Permission, who: str | tuple[str, ...]) -> bool:
    if isinstance(who, tuple):
        return login.lower() in {each.lower() for each in who}
    return permission.allows(_level(who))


def _level(name: str) -> Level:
    """The level that the configuration names; an unknown one lets only admins in."""
    known: dict[str, Level] = {level: level for level in LEVELS if level != "none"}
    return known.get(name, "admin")


def _is_authors(command: Command, policy: Policy) -> bool:
    """Return whether an author may: nothing that tests less, or picks a seed."""
    if not isinstance(command, Rerun):
        return isinstance(command, AUTHOR_COMMANDS)
    inputs, seed = command.options.inputs, command.options.seed
    return seed is None and (inputs is None or inputs >= policy.inputs)


Finding = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CommandContext:
    """The place where a command was given; ``key`` identifies the command.

    ``pull`` is the pull request as GitHub has it now, ``asked_at`` when we
    heard of it (UTC), ``head`` the head that we knew then.
    """

    context: TaskContext
    key: str
    asked_at: datetime
    where: RepositoryRecord
    pull: PullRecord
    policy: Policy
    head: str | None = None

    @property
    def api(self) -> Api:
        """GitHub, for comments and reactions in the pull request."""
        return self.context.api(self.where.installation, self.where.id, **PULL_PERMISSIONS)

    @property
    def writer(self) -> RateLimitedWriter:
        """Return what writes to this installation."""
        return self.context.writer(self.where.installation)

    def reports(self, unit: UnitOfWork) -> list[tuple[RunRecord, Mapping[str, Any]]]:
        """The runs of the pull request that have a report, the newest first."""
        runs = unit.runs.of_pull(self.where.id, self.pull.number)
        done = (run for run in runs if run.state is RunState.DONE)
        return [(run, report) for run in done if (report := unit.runs.report(run.id)) is not None]

    def found(self, fingerprint: str) -> tuple[RunRecord, Mapping[str, Any], Finding] | None:
        """The newest run that found something, its report, and what it says of it."""
        with self.context.store.read() as unit:
            for run, report in self.reports(unit):
                for finding in report["findings"]:
                    if finding["fingerprint"] == fingerprint:
                        return run, report, finding
        return None


def open_command_context(
    record: OutboxTaskRecord, number: int, context: TaskContext
) -> CommandContext | None:
    """Return the context of a task about a pull request; ``None`` where the App has left.

    Raises ``GithubError``.
    """
    task = record.task
    repository = int(task.order["repository_id"])
    with context.store.read() as unit:
        where = unit.installations.repository(repository)
        latest = unit.runs.latest(repository, number)
        policy = unit.runs.policy_of(repository) if latest is None else unit.runs.policy(latest.id)
    if where is None:
        return None
    api = context.api(where.installation, where.id, **PULL_PERMISSIONS)
    found = pulls.get(api, where.full_name, number)
    if found.base.repo and found.base.repo.id != repository:
        return None  # its name is another repository's by now
    pull = pull_request_of(found, repository)
    return CommandContext(
        context, task.key, record.created_at, where, pull, policy, task.order.get("head")
    )


MAX_REPLY_BYTES = COMMENT_LIMIT - 200
"""Bytes of an answer, beside its mark."""


@dataclass(frozen=True, slots=True)
class SourceComment:
    """The comment that something was asked in; ``None``: a button was pressed."""

    comment: int | None
    review: bool = False


def acknowledge(command_context: CommandContext, source: SourceComment) -> bool:
    """Show that a comment was read; false where it was deleted since."""
    comment = source.comment
    if comment is None:
        return True
    name, review = command_context.where.full_name, source.review
    try:
        command_context.writer.edit(
            lambda: comments.react(
                command_context.api, name, comment, "eyes", review_comment=review
            )
        )
    except NotFoundError:
        return False
    return True


def reply(command_context: CommandContext, source: SourceComment, text: str) -> int:
    """Answer once, below the comment or in the conversation; returns the answer's id."""
    name, number = command_context.where.full_name, command_context.pull.number
    mark = f"<!-- assayer:reply:{command_context.key} -->"
    body = marked(text, mark)

    def send() -> str:
        if source.review and source.comment is not None:
            first = _first_of_thread(command_context, source.comment)
            return str(comments.reply(command_context.api, name, number, first, body).id)
        return str(comments.create(command_context.api, name, number, body).id)

    return int(
        command_context.writer.create(
            f"reply:{command_context.key}", send, lambda: _find_reply(command_context, source, mark)
        )
    )


def edit(command_context: CommandContext, source: SourceComment, answer: int, text: str) -> None:
    """Put another text in place of an answer."""
    name = command_context.where.full_name
    change = comments.edit_review_comment if source.review else comments.edit
    body = marked(text, f"<!-- assayer:reply:{command_context.key} -->")
    command_context.writer.edit(lambda: change(command_context.api, name, answer, body))


def _first_of_thread(command_context: CommandContext, comment: int) -> int:
    """GitHub takes replies to the first comment of a thread alone."""
    found = comments.get_review_comment(
        command_context.api, command_context.where.full_name, comment
    )
    return found.in_reply_to_id or comment


def _find_reply(command_context: CommandContext, source: SourceComment, mark: str) -> str | None:
    """The answer that an earlier try made."""
    name, number = command_context.where.full_name, command_context.pull.number
    bot = bot_login(command_context.context)
    found = (
        comments.of_pull(command_context.api, name, number)
        if source.review
        else comments.of_issue(command_context.api, name, number)
    )
    mine = (c for c in found if c.user and c.user.login == bot and has_mark(c.body, mark))
    return next((str(comment.id) for comment in mine), None)
