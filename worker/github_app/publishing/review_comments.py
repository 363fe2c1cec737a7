"""Our remarks in a pull request's diff: what stands there, and the steps to what should."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from worker.github_app.client import comments, reviews, threads
from worker.github_app.client.api import Api
from worker.github_app.client.errors import ForbiddenError, NotFoundError, RefusedError
from worker.github_app.client.models import is_bot
from worker.github_app.context import (
    PULL_PERMISSIONS,
    THREAD_PERMISSIONS,
    PublishDestination,
    TaskContext,
    bot_login,
)
from worker.github_app.publishing.comment_marks import fingerprint_in
from worker.github_app.publishing.review_comment_plan import (
    Edit,
    Keep,
    LeaveAlone,
    PlannedComment,
    Post,
    PostedComment,
    Reopen,
    Resolve,
    SayFixed,
    Step,
)
from worker.store.records import StoredReviewComment

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

REVIEW = "Assayer ran the changed code and saw this:"
"""GitHub wants a word above a review's comments."""

_REFUSED = (ForbiddenError, NotFoundError, RefusedError)


@dataclass(frozen=True, slots=True)
class PostedComments:
    """Our remarks as GitHub shows them; ``nodes`` are their GraphQL ids."""

    standing: tuple[PostedComment, ...] = ()
    nodes: dict[int, str] = field(default_factory=dict[int, str])


@dataclass(frozen=True, slots=True)
class ReviewCommenter:
    """Takes the steps in one pull request.

    ``check`` is called right before each write, and raises where there is
    nothing to be said any more.  Raises ``GithubError`` and what a pen
    raises.  Every step may be taken again: what stands is looked at each
    time before anything is posted.
    """

    destination: PublishDestination
    pull: int
    context: TaskContext
    check: Callable[[], None]

    @property
    def _api(self) -> Api:
        destination = self.destination
        return self.context.api(
            destination.installation, destination.repository, **PULL_PERMISSIONS
        )

    def _write(self, send: Callable[[], _T]) -> _T:
        self.check()
        return self.context.writer(self.destination.installation).edit(send)

    def conversation(self) -> PostedComments:
        """Return our remarks, and keep those that an earlier try made and did not keep."""
        ours = bot_login(self.context)
        there = comments.of_pull(self._api, self.destination.name, self.pull)
        mine = [c for c in there if c.user and c.user.login == ours and not c.in_reply_to_id]
        found = {c.id: name for c in mine if (name := fingerprint_in(c.body)) is not None}
        if not found:
            return PostedComments()
        kept = self._kept(found)
        replied = {c.in_reply_to_id for c in there if not (c.user and is_bot(c.user))}
        known = {thread.comments[0].id: thread for thread in self._threads() if thread.comments}
        return PostedComments(
            tuple(
                _standing(
                    c,
                    kept[c.id],
                    known.get(c.id),
                    answered=c.id in replied or _is_answered(known.get(c.id), ours),
                )
                for c in mine
                if c.id in found
            ),
            {c.id: c.node_id for c in mine},
        )

    def take(self, steps: Sequence[Step], there: PostedComments) -> tuple[str, ...]:
        """Take the steps; return the fingerprints of remarks that found no place."""
        for step in steps:
            if not isinstance(step, Post | Keep | LeaveAlone):
                self._change(step, there)
        return self._post([step.review_comment for step in steps if isinstance(step, Post)])

    def _kept(self, found: dict[int, str]) -> dict[int, StoredReviewComment]:
        with self.context.store.write() as unit:
            kept = {
                r.comment: r
                for r in unit.review_comments.of(self.destination.repository, self.pull)
            }
            for comment, fingerprint in found.items():
                if comment not in kept:
                    kept[comment] = self._remark(fingerprint, comment)
                    unit.review_comments.add(kept[comment])
        return kept

    def _remark(self, fingerprint: str, comment: int) -> StoredReviewComment:
        return StoredReviewComment(self.destination.repository, self.pull, fingerprint, comment)

    def _threads(self) -> tuple[threads.Thread, ...]:
        try:
            return threads.of_pull(self._api, self.destination.name, self.pull)
        except _REFUSED as error:
            _log.warning("review threads cannot be read: %s", error.message)
            return ()

    # ------------------------------------------------------------- changing

    def _change(self, step: Edit | Resolve | SayFixed | Reopen, there: PostedComments) -> None:
        match step:
            case Edit():
                self._edit(step.comment, step.body)
            case SayFixed():
                self._edit(step.comment, step.body)
                self._settled(step.comment)
            case Resolve():
                self._resolve(step, there)
                self._settled(step.comment)
            case Reopen():
                self._reopen(step)

    def _edit(self, comment: int, body: str) -> None:
        try:
            self._write(
                partial(
                    comments.edit_review_comment, self._api, self.destination.name, comment, body
                )
            )
        except NotFoundError:
            _log.info("somebody deleted the remark %d", comment)

    def _resolve(self, step: Resolve, there: PostedComments) -> None:
        """Resolve a thread, else fold its remark, else let it say that it is gone."""
        api = self._thread_api()
        node = there.nodes[step.comment]
        if not self._may(partial(threads.resolve, api, step.thread)) and not self._may(
            partial(threads.minimise, api, node)
        ):
            self._edit(step.comment, step.body)

    def _reopen(self, step: Reopen) -> None:
        if step.thread is not None:
            self._may(partial(threads.unresolve, self._thread_api(), step.thread))
        self._edit(step.comment, step.body)
        with self.context.store.write() as unit:
            unit.review_comments.reopen(step.comment)

    def _may(self, change: Callable[[], None]) -> bool:
        try:
            self._write(change)
        except _REFUSED as error:
            _log.info("not permitted: %s", error.message)
            return False
        return True

    def _thread_api(self) -> Api:
        destination = self.destination
        return self.context.api(
            destination.installation, destination.repository, **THREAD_PERMISSIONS
        )

    def _settled(self, comment: int) -> None:
        with self.context.store.write() as unit:
            unit.review_comments.resolve(comment)

    # -------------------------------------------------------------- posting

    def _post(self, planned: Sequence[PlannedComment]) -> tuple[str, ...]:
        """Post remarks on lines as one review, those on files one by one."""
        on_lines = [review_comment for review_comment in planned if review_comment.line is not None]
        on_files = [review_comment for review_comment in planned if review_comment.line is None]
        if on_lines and not self._reviewed(on_lines):
            on_files += [
                review_comment for review_comment in on_lines if not self._at_line(review_comment)
            ]
        return tuple(
            review_comment.fingerprint
            for review_comment in on_files
            if not self._on_file(review_comment)
        )

    def _reviewed(self, planned: Sequence[PlannedComment]) -> bool:
        """Whether GitHub took the review; it refuses all of it for one line that it lacks."""
        self._drop_pending()
        lines = tuple(_line(review_comment) for review_comment in planned)
        try:
            review = self._write(
                partial(
                    reviews.create,
                    self._api,
                    self.destination.name,
                    self.pull,
                    commit=self.destination.head,
                    body=REVIEW,
                    comments=lines,
                )
            )
        except RefusedError as error:
            _log.warning("a review was refused: %s", error.message)
            return False
        made = reviews.comments_of(self._api, self.destination.name, self.pull, review.id)
        for comment in made:
            self._keep(fingerprint_in(comment.body), comment.id)
        return True

    def _drop_pending(self) -> None:
        """Remove a review of ours that was begun and never given: there may be only one."""
        left = reviews.pending(self._api, self.destination.name, self.pull)
        if left is not None:
            self._write(
                partial(
                    reviews.delete_pending, self._api, self.destination.name, self.pull, left.id
                )
            )

    def _at_line(self, review_comment: PlannedComment) -> bool:
        return self._posted(
            review_comment,
            partial(
                comments.create_at_line,
                self._api,
                self.destination.name,
                self.pull,
                commit=self.destination.head,
                comment=_line(review_comment),
            ),
        )

    def _on_file(self, review_comment: PlannedComment) -> bool:
        return self._posted(
            review_comment,
            partial(
                comments.create_on_file,
                self._api,
                self.destination.name,
                self.pull,
                commit=self.destination.head,
                path=review_comment.path,
                body=review_comment.body,
            ),
        )

    def _posted(
        self, review_comment: PlannedComment, send: Callable[[], comments.ReviewComment]
    ) -> bool:
        try:
            made = self._write(send)
        except RefusedError as error:
            _log.warning("a remark was refused: %s", error.message)
            return False
        self._keep(review_comment.fingerprint, made.id)
        return True

    def _keep(self, fingerprint: str | None, comment: int) -> None:
        if fingerprint is not None:
            with self.context.store.write() as unit:
                unit.review_comments.add(self._remark(fingerprint, comment))


def _line(review_comment: PlannedComment) -> reviews.LineComment:
    assert review_comment.line is not None
    return reviews.LineComment(
        review_comment.path,
        review_comment.line,
        review_comment.body,
        start_line=review_comment.start_line,
    )


def _is_answered(thread: threads.Thread | None, ours: str) -> bool:
    return thread is not None and thread.answered_by_people(ours)


def _standing(
    comment: comments.ReviewComment,
    kept: StoredReviewComment,
    thread: threads.Thread | None,
    *,
    answered: bool,
) -> PostedComment:
    on_file = comment.subject_type == "file"
    return PostedComment(
        fingerprint=kept.fingerprint,
        comment=comment.id,
        body=comment.body,
        path=comment.path,
        line=comment.line,
        start_line=comment.start_line,
        thread=None if thread is None else thread.id,
        resolved=thread is not None and thread.resolved,
        ours=kept.resolved,
        outdated=thread.outdated if thread is not None else not comment.line and not on_file,
        answered=answered,
    )
