"""A command or a pressed button: who asks for it, where, and of which commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from github.Issue import Issue
from github.IssueComment import IssueComment
from github.PullRequest import PullRequest
from github.PullRequestComment import PullRequestComment

from worker.github_app.client.api import Api, quoted
from worker.github_app.client.errors import NotFoundError
from worker.github_app.client.objects import (
    Model,
    completed,
    issue_comments,
    made,
    pull_request,
    read,
    review_comments,
)
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

LEVELS = ("none", "read", "triage", "write", "maintain", "admin")


class GithubUser(Model):
    """An account."""

    id: int
    login: str


class Permission(Model):
    """The permission of a user: ``permission`` is admin, write, read or none.

    ``role_name`` is finer (triage, maintain) and may be a custom role's name.
    ``user`` is whose login it is today.
    """

    permission: str
    role_name: str | None = None
    user: GithubUser | None = None

    @property
    def level(self) -> str:
        """Return the finest level that we know of."""
        return next((n for n in (self.role_name, self.permission) if n in LEVELS), None) or "none"

    def allows(self, needed: str) -> bool:
        """Return whether it is at least ``needed``, one of ``LEVELS``."""
        return LEVELS.index(self.level) >= LEVELS.index(needed)


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
    """Return what a user may do; many bots are no users, and may nothing.

    PyGithub returns the level or the role, and never whose they are.
    """
    path = f"{api.repository(repository).url}/collaborators/{quoted(login)}/permission"
    try:
        return read(Permission, api.send("GET", path))
    except NotFoundError:
        return Permission(permission="none")


def _commands(login: str, permission: Permission, who: str | tuple[str, ...]) -> bool:
    if isinstance(who, tuple):
        return login.lower() in {each.lower() for each in who}
    # a level that the configuration misspells lets only admins in
    return permission.allows(who if who in LEVELS[1:] else "admin")


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
    def github_pull(self) -> PullRequest:
        """The pull request, which GitHub was not asked for."""
        return self.api.repository(self.where.full_name).get_pull(self.pull.number)

    @property
    def github_issue(self) -> Issue:
        """The pull request as the issue that its conversation belongs to."""
        return self.api.repository(self.where.full_name).get_issue(self.pull.number)

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
    found = pull_request(api, where.full_name, number)
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
    if source.comment is None:
        return True
    comment = _comment(command_context, source.comment, review=source.review)
    try:
        command_context.writer.edit(lambda: comment.create_reaction("eyes"))
    except NotFoundError:
        return False
    return True


def reply(command_context: CommandContext, source: SourceComment, text: str) -> int:
    """Answer once, below the comment or in the conversation; returns the answer's id."""
    mark = f"<!-- assayer:reply:{command_context.key} -->"
    body = marked(text, mark)

    def send() -> str:
        if source.review and source.comment is not None:
            pull = command_context.github_pull
            # GitHub takes replies to the first comment of a thread alone
            there = completed(pull.get_review_comment(source.comment), "id")
            first = there.in_reply_to_id or source.comment
            return str(made(pull.create_review_comment_reply(first, body)).id)
        return str(made(command_context.github_issue.create_comment(body)).id)

    return int(
        command_context.writer.create(
            f"reply:{command_context.key}", send, lambda: _find_reply(command_context, source, mark)
        )
    )


def edit(command_context: CommandContext, source: SourceComment, answer: int, text: str) -> None:
    """Put another text in place of an answer."""
    comment = _comment(command_context, answer, review=source.review)
    body = marked(text, f"<!-- assayer:reply:{command_context.key} -->")
    command_context.writer.edit(lambda: comment.edit(body))


def _comment(
    command_context: CommandContext, comment: int, *, review: bool
) -> IssueComment | PullRequestComment:
    if review:
        return command_context.github_pull.get_review_comment(comment)
    return command_context.github_issue.get_comment(comment)


def _find_reply(command_context: CommandContext, source: SourceComment, mark: str) -> str | None:
    """The answer that an earlier try made."""
    bot = bot_login(command_context.context)
    found = (
        review_comments(command_context.github_pull)
        if source.review
        else issue_comments(command_context.github_issue)
    )
    mine = (c for c in found if c.user and c.user.login == bot and has_mark(c.body, mark))
    return next((str(comment.id) for comment in mine), None)
