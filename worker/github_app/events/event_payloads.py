"""Models of the parts of GitHub's events that are read: strict about them, blind to the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

Sha = Annotated[str, Field(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")]
Id = Annotated[int, Field(ge=1, lt=2**63)]
Number = Annotated[int, Field(ge=1, lt=2**31)]
FullName = Annotated[str, Field(pattern="^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$")]
Login = Annotated[str, Field(min_length=1, max_length=100)]
Ref = Annotated[str, Field(min_length=1, max_length=255)]
Identifier = Annotated[str, Field(min_length=1, max_length=100)]


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


Moment = Annotated[datetime, Field(strict=False), AfterValidator(_aware)]
"""ISO 8601, or Unix time in seconds where GitHub writes that."""


class MalformedError(Exception):
    """A payload that is not what GitHub documents for its event; it never will be."""


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class EventAccount(_Part):
    """Somebody at GitHub; ``type`` is ``User``, ``Bot`` or another, ``id`` outlives the login."""

    login: Login
    type: str = "User"
    id: Id | None = None


class InstallationId(_Part):
    """The installation that an event was sent to."""

    id: Id


class RepositoryPart(_Part):
    """The repository of an event."""

    id: Id
    full_name: FullName
    private: bool
    default_branch: Ref | None = None
    updated_at: Moment | None = None


class _Event(_Part):
    repository: RepositoryPart
    installation: InstallationId | None = None


class _HeadRepository(_Part):
    id: Id
    full_name: FullName | None = None


class PullRequestBase(_Part):
    """The branch that a pull request is to be merged into."""

    ref: Ref
    sha: Sha


class PullRequestHead(_Part):
    """The branch of a pull request; ``repo`` is null when the fork is gone."""

    ref: Ref
    sha: Sha
    repo: _HeadRepository | None


class PullRequest(_Part):
    """A pull request."""

    number: Number
    state: str
    draft: bool = False
    user: EventAccount | None
    base: PullRequestBase
    head: PullRequestHead
    maintainer_can_modify: bool = False
    updated_at: Moment


class _BaseBefore(_Part):
    ref: object = None


class _Changes(_Part):
    base: _BaseBefore | None = None


class PullRequestEvent(_Event):
    """``pull_request``; ``before`` is the former head of ``synchronize``."""

    action: str
    pull_request: PullRequest
    before: Sha | None = None
    changes: _Changes | None = None


class _CheckRun(_Part):
    id: Id
    head_sha: Sha
    external_id: str | None = None


class _Action(_Part):
    identifier: Identifier


class CheckRunEvent(_Event):
    """``check_run``."""

    check_run: _CheckRun
    sender: EventAccount
    requested_action: _Action | None = None


class _CheckSuite(_Part):
    head_sha: Sha


class CheckSuiteEvent(_Event):
    """``check_suite``."""

    check_suite: _CheckSuite
    sender: EventAccount


class _MergeGroup(_Part):
    head_sha: Sha
    base_sha: Sha
    base_ref: Ref


class MergeGroupEvent(_Event):
    """``merge_group``."""

    merge_group: _MergeGroup


class CommentPart(_Part):
    """A comment; ``performed_via_github_app`` where an app wrote it for somebody."""

    id: Id
    body: str | None
    user: EventAccount | None
    created_at: Moment | None = None
    performed_via_github_app: dict[str, object] | None = None


class _Issue(_Part):
    number: Number
    pull_request: dict[str, object] | None = None


class IssueCommentEvent(_Event):
    """``issue_comment``; only an issue that is a pull request has ``pull_request``."""

    issue: _Issue
    comment: CommentPart


class _Numbered(_Part):
    number: Number


class ReviewCommentEvent(_Event):
    """``pull_request_review_comment``."""

    pull_request: _Numbered
    comment: CommentPart


class InstallationPart(_Part):
    """An installation, in its own events."""

    id: Id
    account: EventAccount
    suspended_at: Moment | None = None
    updated_at: Moment | None = None


class ListedRepository(_Part):
    """A repository in the list of an installation."""

    id: Id
    full_name: FullName
    private: bool


class InstallationEvent(_Part):
    """``installation``."""

    installation: InstallationPart
    repositories: tuple[ListedRepository, ...] = ()


class InstallationRepositoriesEvent(_Part):
    """``installation_repositories``."""

    installation: InstallationPart
    repositories_added: tuple[ListedRepository, ...] = ()
    repositories_removed: tuple[ListedRepository, ...] = ()


class RepositoryEvent(_Event):
    """``repository``."""


_E = TypeVar("_E", bound=BaseModel)


def read(model: type[_E], body: bytes) -> _E:
    """Read an event.  Raises ``MalformedError`` that names the first wrong field."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise MalformedError(f"{place}: {first['msg']}") from None
