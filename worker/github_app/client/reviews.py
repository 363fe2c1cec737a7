"""Reviews: comments at lines of a pull request, given in one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import AwareDatetime, StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.calls import Json
from worker.github_app.client.models import Noun, User, made, read_all, repository_path

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

    def sent(self) -> dict[str, Json]:
        """As GitHub wants it: a range of one line is sent as that line."""
        entry: dict[str, Json] = {
            "path": self.path,
            "line": self.line,
            "side": self.side,
            "body": self.body,
        }
        if self.start_line is not None and self.start_line != self.line:
            entry |= {"start_line": self.start_line, "start_side": self.side}
        return entry


class Review(Noun):
    """A review; ``user`` is ``None`` where the account is gone."""

    id: StrictInt
    node_id: StrictStr
    user: User | None = None
    body: StrictStr = ""
    state: StrictStr
    commit_id: StrictStr | None = None
    submitted_at: AwareDatetime | None = None

    @property
    def pending(self) -> bool:
        """Whether it was begun and never given; only its author sees such a one."""
        return self.state == PENDING


class ReviewedLine(Noun):
    """A comment of a review, as its review lists it: without its line."""

    id: StrictInt
    node_id: StrictStr
    path: StrictStr
    body: StrictStr
    user: User | None = None


def create(
    api: Api,
    repository: str,
    number: int,
    *,
    commit: str,
    body: str,
    comments: tuple[LineComment, ...] = (),
) -> Review:
    """A review with comments at lines of ``commit``, given at once.

    Raises ``RefusedError`` for all of it where one line lies outside the
    diff, or where a pending review is left over.
    """
    request: dict[str, Json] = {
        "commit_id": commit,
        "event": "COMMENT",
        "body": body,
        "comments": [comment.sent() for comment in comments],
    }
    return made(Review, api.post(_path(repository, number), request))


def of_pull(api: Api, repository: str, number: int) -> tuple[Review, ...]:
    """All reviews, the oldest first; of the pending ones only our own."""
    return read_all(Review, api.pages(_path(repository, number)))


def pending(api: Api, repository: str, number: int) -> Review | None:
    """Our review that was begun and never given, if there is one."""
    return next((review for review in of_pull(api, repository, number) if review.pending), None)


def delete_pending(api: Api, repository: str, number: int, review: int) -> None:
    """Remove a pending review; a review that was given cannot be removed."""
    api.delete(f"{_path(repository, number)}/{review}")


def comments_of(api: Api, repository: str, number: int, review: int) -> tuple[ReviewedLine, ...]:
    """The comments of one review."""
    path = f"{_path(repository, number)}/{review}/comments"
    return read_all(ReviewedLine, api.pages(path))


def _path(repository: str, number: int) -> str:
    return f"{repository_path(repository)}/pulls/{number}/reviews"
