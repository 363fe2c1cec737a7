"""GitHub's answers as PyGithub's objects, checked, or as models where PyGithub has none."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

from github.CheckRun import CheckRun
from github.ContentFile import ContentFile
from github.GithubApp import GithubApp
from github.GithubException import BadAttributeException
from github.GithubObject import CompletableGithubObject, GithubObject
from github.Issue import Issue
from github.IssueComment import IssueComment
from github.NamedUser import NamedUser
from github.PaginatedList import PaginatedList
from github.PullRequest import PullRequest
from github.PullRequestComment import PullRequestComment
from pydantic import BaseModel, ConfigDict, ValidationError

from worker.github_app.client.api import Api, quoted
from worker.github_app.client.errors import (
    ForbiddenError,
    GithubError,
    NotFoundError,
    TooLargeError,
    UnavailableError,
    UncertainError,
)

BOT = "Bot"
MOST_ENTRIES = 10_000
MOST_OPEN = 1000
_OF_PULL = ("number", "state", "head.sha", "head.ref", "base.sha", "base.ref", "updated_at")


class Model(BaseModel):
    """Something that GitHub told us of: strict about what we use, deaf to the rest."""

    model_config = ConfigDict(frozen=True, extra="ignore")


_Model = TypeVar("_Model", bound=BaseModel)
_Object = TypeVar("_Object", bound=GithubObject)
_Completable = TypeVar("_Completable", bound=CompletableGithubObject)


def read(kind: type[_Model], value: Any) -> _Model:
    """Return GitHub's answer to a read; raise ``UnavailableError`` if it is something else."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        told = f"GitHub's {kind.__name__} is not as described: {place}: {first['msg']}"
        raise UnavailableError(told) from None


def completed(thing: _Completable, *needed: str) -> _Completable:
    """Ask GitHub for an object of which only the address is known."""
    return _checked(thing.complete(), needed, UnavailableError)


def made(thing: _Object, *needed: str) -> _Object:
    """Return what a write made; raise ``UncertainError`` where a needed field is not there."""
    return _checked(thing, needed or ("id",), UncertainError)


def listed(pages: Iterable[_Object], *needed: str, most: int = MOST_ENTRIES) -> Iterator[_Object]:
    """Yield the entries of all pages; raise ``TooLargeError`` past ``most``.

    PyGithub asks for an entry of its own as soon as a field is read that its
    list left out: one request for each comment that answers no other.
    """
    for number, thing in enumerate(pages):
        if number >= most:
            raise TooLargeError(f"GitHub lists more than {most} entries")
        if isinstance(thing, CompletableGithubObject):
            thing._set_complete()  # pyright: ignore[reportPrivateUsage]
        yield _checked(thing, needed, UnavailableError)


def _checked(thing: _Object, needed: tuple[str, ...], kind: type[GithubError]) -> _Object:
    """Return an object whose needed fields (``head.sha``) are there and of their types."""
    for name in needed:
        try:
            there = attrgetter(name)(thing) is not None
        except (BadAttributeException, AttributeError):
            there = False
        if not there:
            raise kind(f"GitHub's {type(thing).__name__} is not as described: {name}")
    return thing


def is_bot(user: NamedUser) -> bool:
    """Tell whether an App or a machine acts by this name."""
    return user.type == BOT or user.login.endswith("[bot]")


def registration(api: Api) -> GithubApp:
    """Return the App itself; ``api`` is ``App.api``."""
    return completed(GithubApp(api, url="/app"), "slug", "permissions", "events")


def pull_request(api: Api, repository: str, number: int) -> PullRequest:
    """Return one pull request."""
    return completed(api.repository(repository).get_pull(number), *_OF_PULL)


def pulls_with_head(api: Api, repository: str, sha: str) -> list[PullRequest]:
    """Return the open pull requests with a head, also from forks.

    Only the ``MOST_OPEN`` that were touched last are looked through.  GitHub's
    own list of a commit's pull requests knows none of a fork's.
    """
    latest = api.repository(repository).get_pulls("open", sort="updated", direction="desc")
    pulls = islice(listed(latest, "number", "head.sha"), MOST_OPEN)
    return [pull for pull in pulls if pull.head.sha == sha]


def issue_comments(issue: Issue) -> list[IssueComment]:
    """Return the comments on a pull request's conversation, the oldest first."""
    return list(listed(issue.get_comments(), "id", "body"))


def review_comments(pull: PullRequest) -> list[PullRequestComment]:
    """Return the comments at lines and files of a pull request, the oldest first."""
    return list(listed(pull.get_review_comments(), "id", "node_id", "body", "path"))


def check_run(api: Api, repository: str, number: int) -> CheckRun:
    """Return one check run."""
    found = api.repository(repository).get_check_run(number)
    return completed(found, "id", "status", "output")


def check_runs(api: Api, repository: str, ref: str, name: str, app: int | None) -> list[CheckRun]:
    """Return a commit's check runs of a name, the newest first, also those since replaced.

    ``app`` (its id) keeps only those of an App: PyGithub cannot ask for it.
    """
    path = f"{api.repository(repository).url}/commits/{quoted(ref)}/check-runs"
    params = {"filter": "all", "check_name": name} | ({} if app is None else {"app_id": app})
    return list(listed(PaginatedList(CheckRun, api, path, params, list_item="check_runs"), "id"))


def file_text(api: Api, repository: str, path: str, commit: str) -> str | None:
    """Return the file as text, line ends as they are; ``None`` where it cannot be had as such."""
    try:
        file = _file(api, repository, path, commit)
    except (ForbiddenError, TooLargeError):
        return None
    return None if file is None else _decoded(file)


def lacks(
    api: Api, repository: str, path: str, commit: str, defines: Callable[[str], bool]
) -> bool:
    """Say whether a commit certainly has no file of which ``defines`` holds.

    False where GitHub does not send the file, or it is no UTF-8.
    """
    try:
        file = _file(api, repository, path, commit)
    except (ForbiddenError, TooLargeError):
        return False
    if file is None:
        return True
    content = _decoded(file)
    return content is not None and not defines(content.removeprefix("\ufeff"))


def _file(api: Api, repository: str, path: str, commit: str) -> ContentFile | None:
    """Return what is at a path; ``None`` where nothing or no file is."""
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        return None
    try:
        file = api.repository(repository).get_contents(path, commit)
    except NotFoundError:
        return None
    return file if isinstance(file, ContentFile) and file.type == "file" else None


def _decoded(file: ContentFile) -> str | None:
    """Return a file's text; GitHub sends none of more than a megabyte."""
    if file.encoding != "base64":
        return None
    try:
        return base64.b64decode(file.content or "").decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
