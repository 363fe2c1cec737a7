"""Our client, asking the double."""

from __future__ import annotations

from typing import Any

from tests.github_double import GithubDouble, Repo
from worker.github_app.client.api import Api
from worker.github_app.client.app import App
from worker.settings.operator_settings import GithubSettings

ALL = {
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
}


def app_of(double: GithubDouble, **more: Any) -> App:
    """The App, without patience between tries."""
    return App(GithubSettings(**(double.settings() | more)), sleep=lambda _seconds: None)


def api_of(double: GithubDouble, repository: Repo | None = None, **more: Any) -> Api:
    """The installation's API, with every permission that we know of."""
    number = None if repository is None else repository.id
    return app_of(double, **more).installation(double.installation.id, number, ALL)


def statuses(double: GithubDouble, method: str, ending: str) -> list[int | None]:
    """How the requests of a kind were answered, in order."""
    asked = [one for one in double.requests if one.method == method]
    return [one.status for one in asked if one.path.endswith(ending)]
