"""Our comments in a pull request's diff: what stands there, and the steps to what should."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from github.Commit import Commit
from github.PullRequest import PullRequest
from github.PullRequestComment import PullRequestComment

from worker.github_app import messages
from worker.github_app.client import threads
from worker.github_app.client.api import Api
from worker.github_app.client.errors import ForbiddenError, NotFoundError, RefusedError
from worker.github_app.client.objects import is_bot, listed, made, review_comments
from worker.github_app.context import (
    PULL_PERMISSIONS,
    THREAD_PERMISSIONS,
    PublishContext,
    bot_login,
)
from worker.github_app.publishing.comment_marks import fingerprint_in
from worker.github_app.publishing.review_comment_plan import (
    Edit,
    PlannedComment,
    Post,
    PostedComment,
    Reopen,
    Resolve,
    SayFixed,
    Step,
)
from worker.store.records import StoredReviewComment
from worker.store.store import Store

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

_REFUSED = (ForbiddenError, NotFoundError, RefusedError)


@dataclass(frozen=True, slots=True)
class PostedComments:
    """Our comments as GitHub shows them; ``nodes`` are their GraphQL ids."""

    standing: tuple[PostedComment, ...] = ()
    nodes: dict[int, str] = field(default_factory=dict[int, str])


@dataclass(frozen=True, slots=True)
class ReviewCommenter:
    """Takes the steps in one pull request.

    ``check`` is called right before each write, and raises where there is
    nothing to be said any more.  Raises ``GithubError`` and what the writer
    raises.  Every step may be taken again: what stands is looked at each
    time before anything is posted.
    """

    publish_context: PublishContext
    pull: int
    check: Callable[[], None]

    @property
    def _api(self) -> Api:
        return self.publish_context.api(PULL_PERMISSIONS)

    @property
    def _pull(self) -> PullRequest:
        return self._api.repository(self.publish_context.name).get_pull(self.pull)

    @property
    def _store(self) -> Store:
        return self.publish_context.context.store

    def _write(self, send: Callable[[], _T]) -> _T:
        self.check()
        return self.publish_context.writer.edit(send)

    def conversation(self) -> PostedComments:
        """Return our comments, and keep those that an earlier try made and did not keep."""
        ours = bot_login(self.publish_context.context)
        there = review_comments(self._pull)
        mine = [c for c in there if c.user and c.user.login == ours and not c.in_reply_to_id]
        found = {c.id: name for c in mine if (name := fingerprint_in(c.body)) is not None}
        if not found:
            return PostedComments()
        kept = self._kept(found)
        replied = {c.in_reply_to_id for c in there if not (c.user and is_bot(c.user))}
        known = {thread.comments[0].id: thread for thread in self._threads() if thread.comments}
        standing = [
            _posted_comment(c, kept[c.id], known.get(c.id), ours=ours, replied=c.id in replied)
            for c in mine
            if c.id in found
        ]
        return PostedComments(tuple(standing), {c.id: c.node_id for c in mine})

    def take(self, steps: Sequence[Step], there: PostedComments) -> tuple[str, ...]:
        """Take the steps; return the fingerprints of comments that found no place."""
        for step in steps:
            if not isinstance(step, Post):
                self._change(step, there)
        return self._post([step.review_comment for step in steps if isinstance(step, Post)])

    def _kept(self, found: dict[int, str]) -> dict[int, StoredReviewComment]:
        with self._store.write() as unit:
            kept = {
                r.comment: r
                for r in unit.review_comments.of(self.publish_context.repository, self.pull)
            }
            for comment, fingerprint in found.items():
                if comment not in kept:
                    kept[comment] = self._stored(fingerprint, comment)
                    unit.review_comments.add(kept[comment])
        return kept

    def _stored(self, fingerprint: str, comment: int) -> StoredReviewComment:
        return StoredReviewComment(self.publish_context.repository, self.pull, fingerprint, comment)

    def _threads(self) -> tuple[threads.Thread, ...]:
        try:
            return threads.of_pull(self._api, self.publish_context.name, self.pull)
        except _REFUSED as error:
            _log.warning("review threads cannot be read: %s", error.message)
            return ()

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
            self._write(partial(self._pull.get_review_comment(comment).edit, body))
        except NotFoundError:
            _log.info("somebody deleted the comment %d", comment)

    def _resolve(self, step: Resolve, there: PostedComments) -> None:
        """Resolve a thread, else fold its comment, else let it say that it is gone."""
        api, node = self.publish_context.api(THREAD_PERMISSIONS), there.nodes[step.comment]
        if not self._may(partial(threads.resolve, api, step.thread)) and not self._may(
            partial(threads.minimise, api, node)
        ):
            self._edit(step.comment, step.body)

    def _reopen(self, step: Reopen) -> None:
        if step.thread is not None:
            self._may(
                partial(
                    threads.unresolve, self.publish_context.api(THREAD_PERMISSIONS), step.thread
                )
            )
        self._edit(step.comment, step.body)
        with self._store.write() as unit:
            unit.review_comments.reopen(step.comment)

    def _may(self, change: Callable[[], None]) -> bool:
        try:
            self._write(change)
        except _REFUSED as error:
            _log.info("not permitted: %s", error.message)
            return False
        return True

    def _settled(self, comment: int) -> None:
        with self._store.write() as unit:
            unit.review_comments.resolve(comment)

    def _post(self, planned: Sequence[PlannedComment]) -> tuple[str, ...]:
        """Post comments on lines as one review, those on files one by one."""
        on_lines = [comment for comment in planned if comment.line is not None]
        on_files = [comment for comment in planned if comment.line is None]
        if on_lines and not self._reviewed(on_lines):
            on_files += [comment for comment in on_lines if not self._at_line(comment)]
        return tuple(c.fingerprint for c in on_files if not self._on_file(c))

    def _reviewed(self, planned: Sequence[PlannedComment]) -> bool:
        """Return whether GitHub took the review; it refuses all of it for one line that it lacks.

        A review of ours that was begun and never given is removed: there may be only one.
        """
        api, pull = self._api, self._pull
        for left in listed(pull.get_reviews(), "id", "state"):
            if left.state == "PENDING":
                self._write(partial(api.send, "DELETE", f"{pull.url}/reviews/{left.id}"))
                break
        commit = Commit(api, {}, {"sha": self.publish_context.head})
        lines: list[Any] = list(map(line_comment, planned))
        try:
            review = self._write(
                lambda: made(pull.create_review(commit, messages.REVIEW, "COMMENT", lines))
            )
        except RefusedError as error:
            _log.warning("a review was refused: %s", error.message)
            return False
        for comment in listed(pull.get_single_review_comments(review.id), "id", "body"):
            self._keep(fingerprint_in(comment.body), comment.id)
        return True

    def _at_line(self, comment: PlannedComment) -> bool:
        return self._posted(comment, **line_comment(comment))

    def _on_file(self, comment: PlannedComment) -> bool:
        return self._posted(comment, body=comment.body, path=comment.path, subject_type="file")

    def _posted(self, comment: PlannedComment, **fields: Any) -> bool:
        pull, commit = self._pull, self.publish_context.head
        try:
            posted = self._write(lambda: made(pull.create_review_comment(commit=commit, **fields)))
        except RefusedError as error:
            _log.warning("a comment was refused: %s", error.message)
            return False
        self._keep(comment.fingerprint, posted.id)
        return True

    def _keep(self, fingerprint: str | None, comment: int) -> None:
        if fingerprint is not None:
            with self._store.write() as unit:
                unit.review_comments.add(self._stored(fingerprint, comment))


def line_comment(comment: PlannedComment) -> dict[str, Any]:
    """Return a comment at lines as GitHub takes it: a range of one line is that line."""
    entry = {"path": comment.path, "line": comment.line, "side": "RIGHT", "body": comment.body}
    if comment.start_line is not None and comment.start_line != comment.line:
        entry |= {"start_line": comment.start_line, "start_side": "RIGHT"}
    return entry


def _posted_comment(
    comment: PullRequestComment,
    kept: StoredReviewComment,
    thread: threads.Thread | None,
    *,
    ours: str,
    replied: bool,
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
        answered=replied or (thread is not None and thread.answered_by_people(ours)),
    )
