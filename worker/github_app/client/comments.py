"""Comments on pull requests and at their lines, and reactions to them."""

from __future__ import annotations

from typing import Literal

from github.IssueComment import IssueComment as Comment
from github.PullRequestComment import PullRequestComment as ReviewComment

from worker.github_app.client.api import Api
from worker.github_app.client.models import completed, listed, made
from worker.github_app.client.reviews import LineComment, fields

Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]

__all__ = ["Comment", "Reaction", "ReviewComment"]


def of_issue(api: Api, repository: str, number: int) -> list[Comment]:
    """Return the comments on a pull request's conversation, the oldest first."""
    issue = api.repository(repository).get_issue(number)
    return list(listed(issue.get_comments(), "id", "body"))


def get(api: Api, repository: str, comment: int) -> Comment:
    """Return one comment of a conversation."""
    return completed(_comment(api, repository, comment), "id", "body")


def create(api: Api, repository: str, number: int, body: str) -> Comment:
    """Comment on an issue or pull request; 65,536 characters at most."""
    return made(api.repository(repository).get_issue(number).create_comment(body), "id")


def edit(api: Api, repository: str, comment: int, body: str) -> None:
    """Give a comment another text."""
    _comment(api, repository, comment).edit(body)


def of_pull(api: Api, repository: str, number: int) -> list[ReviewComment]:
    """Return the comments at lines and files of a pull request, the oldest first."""
    pull = api.repository(repository).get_pull(number)
    return list(listed(pull.get_review_comments(), "id", "node_id", "body", "path"))


def get_review_comment(api: Api, repository: str, comment: int) -> ReviewComment:
    """Return one comment at a line or file."""
    return completed(_review_comment(api, repository, comment), "id")


def create_at_line(
    api: Api, repository: str, number: int, *, commit: str, comment: LineComment
) -> ReviewComment:
    """Comment at lines, outside of a batch."""
    pull = api.repository(repository).get_pull(number)
    return made(pull.create_review_comment(commit=commit, **fields(comment)), "id")


def create_on_file(
    api: Api, repository: str, number: int, *, commit: str, path: str, body: str
) -> ReviewComment:
    """Comment at a file as a whole; the file must be part of the pull request."""
    pull = api.repository(repository).get_pull(number)
    return made(pull.create_review_comment(body, commit, path, subject_type="file"), "id")


def reply(api: Api, repository: str, number: int, comment: int, body: str) -> ReviewComment:
    """Answer below a comment at a line or file."""
    pull = api.repository(repository).get_pull(number)
    return made(pull.create_review_comment_reply(comment, body), "id")


def edit_review_comment(api: Api, repository: str, comment: int, body: str) -> None:
    """Give a comment at a line or file another text."""
    _review_comment(api, repository, comment).edit(body)


def react(
    api: Api, repository: str, comment: int, content: Reaction, *, review_comment: bool = False
) -> None:
    """React to a comment; a reaction that we gave before stands as it is."""
    kind = _review_comment if review_comment else _comment
    kind(api, repository, comment).create_reaction(content)


def _comment(api: Api, repository: str, comment: int) -> Comment:
    return Comment(api, url=f"{api.repository(repository).url}/issues/comments/{comment}")


def _review_comment(api: Api, repository: str, comment: int) -> ReviewComment:
    return ReviewComment(api, url=f"{api.repository(repository).url}/pulls/comments/{comment}")
