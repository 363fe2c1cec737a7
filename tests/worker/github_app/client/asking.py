"""Our client, asking the double."""

from __future__ import annotations

from typing import Any

from github.Commit import Commit
from github.IssueComment import IssueComment
from github.PullRequestReview import PullRequestReview
from github.Repository import Repository

from tests.github_double import GithubDouble, Repo
from tests.github_double.github_users import PullRequest
from worker.github_app.client.api import Api
from worker.github_app.client.app import App
from worker.github_app.client.objects import completed, issue_comments, made
from worker.github_app.publishing.review_comment_plan import PlannedComment
from worker.github_app.publishing.review_comments import line_comment
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


def comment(api: Api, name: str, number: int, body: str) -> IssueComment:
    return made(api.repository(name).get_issue(number).create_comment(body))


def bodies(api: Api, name: str, number: int) -> list[str]:
    return [one.body for one in issue_comments(api.repository(name).get_issue(number))]


def seen(api: Api, name: str) -> Repository:
    return completed(api.repository(name), "id", "full_name")


def review(api: Api, name: str, pull: PullRequest, *comments: PlannedComment) -> PullRequestReview:
    """A review of ours, with comments at lines."""
    commit = Commit(api, {}, {"sha": pull.head})
    lines: list[Any] = [line_comment(each) for each in comments]
    asked = api.repository(name).get_pull(pull.number)
    return made(asked.create_review(commit, "x", "COMMENT", lines))


def planned(line: int, body: str, start_line: int | None = None) -> PlannedComment:
    return PlannedComment("f", "a.py", body, line, start_line)


def statuses(double: GithubDouble, method: str, ending: str) -> list[int | None]:
    """How the requests of a kind were answered, in order."""
    asked = [one for one in double.requests if one.method == method]
    return [one.status for one in asked if one.path.endswith(ending)]
