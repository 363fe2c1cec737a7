"""Comments in pull requests that may hold a command."""

from __future__ import annotations

from worker.github_app.command_grammar import mentions
from worker.github_app.events.event_payloads import (
    CommentPart,
    IssueCommentEvent,
    ReviewCommentEvent,
    read,
)
from worker.github_app.events.installation_events import record_repository
from worker.store.outbox_tasks import pull_ordering_key
from worker.store.records import Delivery, OutboxTask, OutboxTaskKind, PullRecord, RepositoryRecord
from worker.store.store import UnitOfWork


def handle_issue_comment(delivery: Delivery, unit: UnitOfWork) -> None:
    """Keep a new comment of a person that may hold a command; an edit never does."""
    if delivery.action != "created":
        return
    event = read(IssueCommentEvent, delivery.body)
    where = record_repository(unit, event.repository, event.installation)
    if event.issue.pull_request is not None:
        _keep(unit, where, event.issue.number, event.comment, review=False)


def handle_review_comment(delivery: Delivery, unit: UnitOfWork) -> None:
    """As of a comment, where it stands beside a line; outdated ones too."""
    if delivery.action != "created":
        return
    event = read(ReviewCommentEvent, delivery.body)
    where = record_repository(unit, event.repository, event.installation)
    _keep(unit, where, event.pull_request.number, event.comment, review=True)


def _keep(
    unit: UnitOfWork, where: RepositoryRecord, number: int, comment: CommentPart, *, review: bool
) -> None:
    if not where.installation or not _is_for_us(comment):
        return
    assert comment.user is not None
    known = unit.pulls.get(where.id, number)
    kind = "review" if review else "issue"
    unit.outbox_tasks.add(
        OutboxTask(
            OutboxTaskKind.COMMAND,
            where.installation,
            pull_ordering_key(where.id, number),
            f"command:{kind}:{where.id}:{comment.id}",
            order={
                "repository_id": where.id,
                "pull": number,
                "comment": comment.id,
                "review_comment": review,
                "author": comment.user.login,
                "author_id": comment.user.id,
                "body": comment.body,
                "head": None if known is None else _head_before(known, comment),
            },
        )
    )


def _head_before(known: PullRecord, comment: CommentPart) -> str | None:
    """The head that was there when a comment was written; ``None``: it may have moved since.

    Events may come late: a push that is heard first can be younger.
    """
    written = comment.created_at
    return known.head if written is not None and known.updated_at < written else None


def _is_for_us(comment: CommentPart) -> bool:
    by_person = comment.user is not None and comment.user.type == "User"
    return by_person and comment.performed_via_github_app is None and mentions(comment.body or "")
