"""Reviews: comments at lines of a pull request, given in one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from github.Commit import Commit
from github.PullRequestComment import PullRequestComment
from github.PullRequestReview import PullRequestReview

from worker.github_app.client.api import Api
from worker.github_app.client.models import listed, made

LineSide = Literal["LEFT", "RIGHT"]
PENDING = "PENDING"


@dataclass(frozen=True, slots=True)
class LineComment:
    """A comment at a line, or at ``start_line`` to ``line`` (1-based) of one hunk."""

    path: str
    line: int
    body: str
    side: LineSide = "RIGHT"
    start_line: int | None = None


def fields(comment: LineComment) -> dict[str, Any]:
    """Return a comment as GitHub takes it: a range of one line is that line."""
    entry: dict[str, Any] = {
        "path": comment.path,
        "line": comment.line,
        "side": comment.side,
        "body": comment.body,
    }
    if comment.start_line is not None and comment.start_line != comment.line:
        entry |= {"start_line": comment.start_line, "start_side": comment.side}
    return entry


def create(
    api: Api,
    repository: str,
    number: int,
    *,
    commit: str,
    body: str,
    comments: tuple[LineComment, ...] = (),
) -> PullRequestReview:
    """Give a review with comments at lines of ``commit`` at once.

    Raise ``RefusedError`` for all of it where one line lies outside the
    diff, or where a pending review is left over.
    """
    review = (
        api.repository(repository)
        .get_pull(number)
        .create_review(
            commit=Commit(api, {}, {"sha": commit}),
            body=body,
            event="COMMENT",
            comments=[fields(comment) for comment in comments],  # type: ignore[misc]
        )
    )
    return made(review, "id")


def pending(api: Api, repository: str, number: int) -> PullRequestReview | None:
    """Return our review that was begun and never given; of others GitHub shows none."""
    reviews = listed(api.repository(repository).get_pull(number).get_reviews(), "id", "state")
    return next((review for review in reviews if review.state == PENDING), None)


def delete_pending(api: Api, repository: str, number: int, review: int) -> None:
    """Remove a pending review; a review that was given cannot be removed."""
    api.send("DELETE", f"{api.repository(repository).url}/pulls/{number}/reviews/{review}")


def comments_of(api: Api, repository: str, number: int, review: int) -> list[PullRequestComment]:
    """Return the comments of one review: without their lines."""
    pull = api.repository(repository).get_pull(number)
    return list(listed(pull.get_single_review_comments(review), "id", "body"))
