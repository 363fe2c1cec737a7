"""Comments on pull requests and at their lines, and reactions to them."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.models import Noun, User, made, read, read_all, repository_path
from worker.github_app.client.reviews import LineComment

Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


class Comment(Noun):
    """A comment on the conversation; ``user`` is ``None`` where the account is gone."""

    id: StrictInt
    node_id: StrictStr
    user: User | None = None
    body: StrictStr = ""
    html_url: StrictStr | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ReviewComment(Noun):
    """A comment at a line or file; ``line`` is ``None`` at a file or when outdated."""

    id: StrictInt
    node_id: StrictStr
    user: User | None = None
    body: StrictStr = ""
    path: StrictStr
    line: StrictInt | None = None
    original_line: StrictInt | None = None
    start_line: StrictInt | None = None
    side: StrictStr | None = None
    subject_type: StrictStr | None = None
    in_reply_to_id: StrictInt | None = None
    commit_id: StrictStr | None = None
    pull_request_review_id: StrictInt | None = None
    html_url: StrictStr | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ReactionMade(Noun):
    """A reaction of ours."""

    id: StrictInt
    content: StrictStr


def of_issue(api: Api, repository: str, number: int) -> tuple[Comment, ...]:
    """The comments on an issue or a pull request's conversation, the oldest first."""
    path = f"{repository_path(repository)}/issues/{number}/comments"
    return read_all(Comment, api.pages(path))


def get(api: Api, repository: str, comment: int) -> Comment:
    """One comment of a conversation."""
    return read(Comment, api.get(f"{repository_path(repository)}/issues/comments/{comment}"))


def create(api: Api, repository: str, number: int, body: str) -> Comment:
    """A new comment on an issue or pull request; 65,536 characters at most."""
    path = f"{repository_path(repository)}/issues/{number}/comments"
    return made(Comment, api.post(path, {"body": body}))


def edit(api: Api, repository: str, comment: int, body: str) -> Comment:
    """The comment with another text."""
    path = f"{repository_path(repository)}/issues/comments/{comment}"
    return made(Comment, api.patch(path, {"body": body}))


def of_pull(api: Api, repository: str, number: int) -> tuple[ReviewComment, ...]:
    """The comments at lines and files of a pull request, the oldest first."""
    path = f"{repository_path(repository)}/pulls/{number}/comments"
    return read_all(ReviewComment, api.pages(path))


def get_review_comment(api: Api, repository: str, comment: int) -> ReviewComment:
    """One comment at a line or file."""
    return read(ReviewComment, api.get(f"{repository_path(repository)}/pulls/comments/{comment}"))


def create_at_line(
    api: Api, repository: str, number: int, *, commit: str, comment: LineComment
) -> ReviewComment:
    """A comment at lines, outside of a batch."""
    body = comment.sent() | {"commit_id": commit}
    return made(ReviewComment, api.post(_at_pull(repository, number), body))


def create_on_file(
    api: Api, repository: str, number: int, *, commit: str, path: str, body: str
) -> ReviewComment:
    """A comment at a file as a whole; the file must be part of the pull request."""
    request = {"commit_id": commit, "path": path, "body": body, "subject_type": "file"}
    return made(ReviewComment, api.post(_at_pull(repository, number), {**request}))


def reply(api: Api, repository: str, number: int, comment: int, body: str) -> ReviewComment:
    """An answer below a comment at a line or file."""
    path = f"{_at_pull(repository, number)}/{comment}/replies"
    return made(ReviewComment, api.post(path, {"body": body}))


def edit_review_comment(api: Api, repository: str, comment: int, body: str) -> ReviewComment:
    """The comment at a line or file with another text."""
    path = f"{repository_path(repository)}/pulls/comments/{comment}"
    return made(ReviewComment, api.patch(path, {"body": body}))


def react(
    api: Api, repository: str, comment: int, content: Reaction, *, review_comment: bool = False
) -> ReactionMade:
    """A reaction of ours; the one that stands there already if we gave it before."""
    kind = "pulls" if review_comment else "issues"
    path = f"{repository_path(repository)}/{kind}/comments/{comment}/reactions"
    return made(ReactionMade, api.post(path, {"content": content}))


def _at_pull(repository: str, number: int) -> str:
    return f"{repository_path(repository)}/pulls/{number}/comments"
