"""Issues: where an audit of a whole repository is reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from github.Issue import Issue

from worker.github_app.client.api import Api
from worker.github_app.client.models import completed, listed, made

__all__ = ["Issue", "create", "edit", "get", "of_author"]


def get(api: Api, repository: str, number: int) -> Issue:
    """Return one issue; raise ``GoneError`` where it was deleted."""
    return completed(api.repository(repository).get_issue(number), "number", "title", "state")


def of_author(api: Api, repository: str, login: str) -> list[Issue]:
    """Return an account's issues, open or closed, the newest first; no pull requests."""
    found = api.repository(repository).get_issues(creator=login, state="all")  # type: ignore[arg-type]
    return [
        issue for issue in listed(found, "number", "title", "state") if issue.pull_request is None
    ]


def create(api: Api, repository: str, title: str, body: str) -> Issue:
    """Open an issue; raise ``GoneError`` where the repository has issues switched off."""
    return made(api.repository(repository).create_issue(title, body), "number")


def edit(api: Api, repository: str, number: int, change: Mapping[str, Any]) -> None:
    """Give an issue another ``title``, ``body`` or ``state``."""
    api.repository(repository).get_issue(number).edit(**change)
