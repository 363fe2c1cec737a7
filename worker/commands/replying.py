"""A reaction at once, and one reply, which is edited at the end."""

from __future__ import annotations

from dataclasses import dataclass

from worker.commands.occasion import Occasion
from worker.composition.marks import has_mark, marked
from worker.github import comments
from worker.github.errors import NotFoundError
from worker.publishing.place import bot_login
from worker.report.markdown import COMMENT_LIMIT

LARGEST = COMMENT_LIMIT - 200
"""Bytes of an answer, beside its mark."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The comment that something was asked in; ``None``: a button was pressed."""

    comment: int | None
    review: bool = False


def acknowledge(occasion: Occasion, asked: Asked) -> bool:
    """Show that a comment was read; false where it was deleted since."""
    comment = asked.comment
    if comment is None:
        return True
    name, review = occasion.where.full_name, asked.review
    try:
        occasion.pen.edit(
            lambda: comments.react(occasion.api, name, comment, "eyes", review_comment=review)
        )
    except NotFoundError:
        return False
    return True


def reply(occasion: Occasion, asked: Asked, text: str) -> int:
    """Answer once, below the comment or in the conversation; returns the answer's id."""
    name, number = occasion.where.full_name, occasion.pull.number
    mark = f"<!-- assayer:reply:{occasion.key} -->"
    body = marked(text, mark)

    def send() -> str:
        if asked.review and asked.comment is not None:
            first = _first_of_thread(occasion, asked.comment)
            return str(comments.reply(occasion.api, name, number, first, body).id)
        return str(comments.create(occasion.api, name, number, body).id)

    return int(
        occasion.pen.create(f"reply:{occasion.key}", send, lambda: _there(occasion, asked, mark))
    )


def edit(occasion: Occasion, asked: Asked, answer: int, text: str) -> None:
    """Put another text in place of an answer."""
    name = occasion.where.full_name
    change = comments.edit_review_comment if asked.review else comments.edit
    body = marked(text, f"<!-- assayer:reply:{occasion.key} -->")
    occasion.pen.edit(lambda: change(occasion.api, name, answer, body))


def _first_of_thread(occasion: Occasion, comment: int) -> int:
    """GitHub takes replies to the first comment of a thread alone."""
    found = comments.get_review_comment(occasion.api, occasion.where.full_name, comment)
    return found.in_reply_to_id or comment


def _there(occasion: Occasion, asked: Asked, mark: str) -> str | None:
    """The answer that an earlier try made."""
    name, number = occasion.where.full_name, occasion.pull.number
    bot = bot_login(occasion.desk)
    found = (
        comments.of_pull(occasion.api, name, number)
        if asked.review
        else comments.of_issue(occasion.api, name, number)
    )
    mine = (
        c for c in found if c.user is not None and c.user.login == bot and has_mark(c.body, mark)
    )
    return next((str(comment.id) for comment in mine), None)
