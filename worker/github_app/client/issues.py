"""Issues: where an audit of a whole repository is reported."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.calls import Json
from worker.github_app.client.models import Noun, User, made, read, read_all, repository_path


class Issue(Noun):
    """An issue or, with ``pull_request``, a pull request's conversation."""

    number: StrictInt
    state: StrictStr
    title: StrictStr
    body: StrictStr | None = None
    user: User | None = None
    html_url: StrictStr | None = None
    pull_request: dict[str, object] | None = None


def get(api: Api, repository: str, number: int) -> Issue:
    """One issue; ``GoneError`` where it was deleted."""
    return read(Issue, api.get(f"{_path(repository)}/{number}"))


def of_author(api: Api, repository: str, login: str) -> tuple[Issue, ...]:
    """The issues, open or closed, that one account wrote, the newest first; no pull requests."""
    found = read_all(Issue, api.pages(_path(repository), {"creator": login, "state": "all"}))
    return tuple(issue for issue in found if issue.pull_request is None)


def create(api: Api, repository: str, title: str, body: str) -> Issue:
    """A new issue; ``GoneError`` where the repository has issues switched off."""
    return made(Issue, api.post(_path(repository), {"title": title, "body": body}))


def edit(api: Api, repository: str, number: int, change: Mapping[str, str]) -> Issue:
    """The issue with other ``title``, ``body`` or ``state``."""
    body: dict[str, Json] = dict(change)
    return made(Issue, api.patch(f"{_path(repository)}/{number}", body))


def _path(repository: str) -> str:
    return f"{repository_path(repository)}/issues"
