"""The nouns of the double: what GitHub would remember."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.github_double.bare import BareRepository

ROLES = ("none", "read", "triage", "write", "maintain", "admin")


def now() -> str:
    """The time as GitHub writes it: UTC, whole seconds."""
    return stamp(time.time())


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(eq=False)
class Account:
    id: int
    login: str
    type: str = "User"


@dataclass(eq=False)
class Installation:
    id: int
    account: Account
    permissions: dict[str, str]
    repositories: set[int]
    selection: str = "all"
    suspended_at: str | None = None
    created_at: str = field(default_factory=now)
    blocked_until: float = 0.0
    deleted: bool = False
    spent: int = 0
    window: float = field(default_factory=time.time)


@dataclass(eq=False)
class Token:
    value: str
    installation: Installation
    permissions: dict[str, str]
    repositories: set[int] | None
    expires: float


@dataclass(eq=False)
class Repository:
    id: int
    owner: Account
    name: str
    private: bool
    git: BareRepository
    default_branch: str = "main"
    parent: Repository | None = None
    roles: dict[str, str] = field(default_factory=dict)
    created_at: str = field(default_factory=now)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    deleted: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"


@dataclass(eq=False)
class Issue:
    """An issue, or the conversation of a pull request."""

    id: int
    number: int
    repository: Repository
    user: Account
    title: str
    body: str | None
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    created_at: str = field(default_factory=now)
    updated_at: str = field(default_factory=now)
    closed_at: str | None = None
    pull: Pull | None = None
    by_app: bool = False


@dataclass(eq=False)
class Pull:
    id: int
    number: int
    issue: Issue
    repository: Repository
    base_ref: str
    base_sha: str
    head_repository: Repository | None
    head_owner: Account
    head_ref: str
    head_sha: str
    draft: bool = False
    maintainers_edit: bool = False
    merged_at: str | None = None
    heads: list[str] = field(default_factory=list)

    @property
    def fork(self) -> bool:
        return self.head_repository is not self.repository

    @property
    def user(self) -> Account:
        return self.issue.user

    @property
    def open(self) -> bool:
        return self.issue.state == "open"

    @property
    def updated_at(self) -> str:
        return self.issue.updated_at


@dataclass(eq=False)
class CheckSuite:
    id: int
    repository: Repository
    head_sha: str
    head_branch: str | None
    created_at: str = field(default_factory=now)
    updated_at: str = field(default_factory=now)
    reset: bool = False


@dataclass(eq=False)
class CheckRun:
    id: int
    suite: CheckSuite
    name: str
    status: str = "queued"
    conclusion: str | None = None
    details_url: str | None = None
    external_id: str = ""
    started_at: str | None = None
    completed_at: str | None = None
    output: dict[str, Any] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)
    history: list[tuple[float, str, str | None]] = field(default_factory=list)

    @property
    def head_sha(self) -> str:
        return self.suite.head_sha

    @property
    def repository(self) -> Repository:
        return self.suite.repository

    @property
    def title(self) -> str | None:
        return self.output.get("title")

    @property
    def summary(self) -> str | None:
        return self.output.get("summary")

    @property
    def text(self) -> str | None:
        return self.output.get("text")


@dataclass(eq=False)
class Review:
    id: int
    pull: Pull
    user: Account
    body: str
    state: str
    commit_id: str
    submitted_at: str | None


@dataclass(eq=False)
class ReviewComment:
    id: int
    thread: Thread
    review: Review
    user: Account
    body: str
    created_at: str = field(default_factory=now)
    updated_at: str = field(default_factory=now)
    minimized: str | None = None
    deleted: bool = False

    @property
    def pull(self) -> Pull:
        return self.thread.pull

    @property
    def pending(self) -> bool:
        return self.review.state == "PENDING"

    @property
    def reply(self) -> bool:
        return self.thread.comments[0] is not self


@dataclass(eq=False)
class Thread:
    """A place in a pull request's diff and what was said there.

    ``start`` and ``line`` are those at ``commit``; where they are in the
    newest head is asked of ``anchors.now_at``.
    """

    id: int
    pull: Pull
    path: str
    commit: str
    line: int | None
    start: int | None
    side: str
    start_side: str | None
    hunk: str
    comments: list[ReviewComment] = field(default_factory=list)
    resolved_by: Account | None = None

    @property
    def resolved(self) -> bool:
        return self.resolved_by is not None

    @property
    def file(self) -> bool:
        return self.line is None


@dataclass(eq=False)
class IssueComment:
    id: int
    issue: Issue
    user: Account
    body: str
    by_app: bool
    created_at: str = field(default_factory=now)
    updated_at: str = field(default_factory=now)
    minimized: str | None = None


@dataclass(eq=False)
class Reaction:
    id: int
    user: Account
    content: str
    created_at: str = field(default_factory=now)


@dataclass(eq=False)
class Status:
    id: int
    repository: Repository
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: str = field(default_factory=now)


@dataclass(frozen=True)
class Violation:
    """Something that GitHub's description does not allow."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass
class Logged:
    """A request as it went; times are seconds since the epoch."""

    at: float
    method: str
    path: str
    operation: str | None
    installation: int | None = None
    body: Any = None
    status: int | None = None
    ended: float = 0.0
    fault: str | None = None
    done: bool = False
    answer: Any = None


@dataclass
class State:
    """Everything; ``lock`` guards it."""

    lock: Any = field(default_factory=threading.RLock)
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1001))
    accounts: dict[str, Account] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    repositories: dict[int, Repository] = field(default_factory=dict)
    former: dict[str, Repository] = field(default_factory=dict)
    issues: dict[tuple[int, int], Issue] = field(default_factory=dict)
    pulls: dict[tuple[int, int], Pull] = field(default_factory=dict)
    suites: dict[int, CheckSuite] = field(default_factory=dict)
    suites_of: dict[tuple[int, str], CheckSuite] = field(default_factory=dict)
    runs: dict[int, CheckRun] = field(default_factory=dict)
    runs_of: dict[tuple[int, str], list[CheckRun]] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    threads: dict[int, Thread] = field(default_factory=dict)
    threads_of: dict[int, list[Thread]] = field(default_factory=dict)
    review_comments: dict[int, ReviewComment] = field(default_factory=dict)
    issue_comments: dict[int, IssueComment] = field(default_factory=dict)
    comments_of: dict[int, list[IssueComment]] = field(default_factory=dict)
    reactions: dict[tuple[str, int], list[Reaction]] = field(default_factory=dict)
    statuses: dict[tuple[int, str], list[Status]] = field(default_factory=dict)
    by_name: dict[str, Repository] = field(default_factory=dict)

    def id(self) -> int:
        return next(self.ids)

    def account(self, login: str, kind: str = "User") -> Account:
        found = self.accounts.get(login.lower())
        if found is None:
            found = self.accounts[login.lower()] = Account(self.id(), login, kind)
        return found

    def installation_of(self, repository: Repository) -> Installation | None:
        for installation in self.installations.values():
            if repository.id in installation.repositories and not installation.deleted:
                return installation
        return None

    def pulls_with_head(self, repository: Repository, sha: str) -> list[Pull]:
        """Open pull requests whose head lies in ``repository`` itself: what checks name."""
        return [
            pull
            for pull in self.pulls.values()
            if pull.head_repository is repository
            and pull.repository is repository
            and pull.head_sha == sha
            and pull.open
        ]
