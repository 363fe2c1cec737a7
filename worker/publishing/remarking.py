"""Our remarks in a pull request's diff: what stands there, and the steps to what should."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from worker.composition.marks import fingerprint_in
from worker.composition.reconciling import (
    Edit,
    Keep,
    LeaveAlone,
    Planned,
    Post,
    Reopen,
    Resolve,
    SayFixed,
    Standing,
    Step,
)
from worker.github import comments, reviews, threads
from worker.github.api import Api
from worker.github.errors import ForbiddenError, NotFoundError, RefusedError
from worker.publishing.desk import Desk
from worker.publishing.place import (
    PULL_PERMISSIONS,
    THREAD_PERMISSIONS,
    Place,
    bot_login,
)
from worker.store import Remark

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

REVIEW = "Assayer ran the changed code and saw this:"
"""GitHub wants a word above a review's comments."""

_REFUSED = (ForbiddenError, NotFoundError, RefusedError)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Our remarks as GitHub shows them; ``nodes`` are their GraphQL ids."""

    standing: tuple[Standing, ...] = ()
    nodes: dict[int, str] = field(default_factory=dict[int, str])


@dataclass(frozen=True, slots=True)
class Remarker:
    """Takes the steps in one pull request.

    ``check`` is called right before each write, and raises where there is
    nothing to be said any more.  Raises ``GithubError`` and what a pen
    raises.  Every step may be taken again: what stands is looked at each
    time before anything is posted.
    """

    place: Place
    pull: int
    desk: Desk
    check: Callable[[], None]

    @property
    def _api(self) -> Api:
        place = self.place
        return self.desk.api(place.installation, place.repository, **PULL_PERMISSIONS)

    def _write(self, send: Callable[[], _T]) -> _T:
        self.check()
        return self.desk.pen(self.place.installation).edit(send)

    def conversation(self) -> Conversation:
        """Return our remarks, and keep those that an earlier try made and did not keep."""
        ours = bot_login(self.desk)
        there = comments.of_pull(self._api, self.place.name, self.pull)
        mine = [c for c in there if c.user and c.user.login == ours and not c.in_reply_to_id]
        found = {c.id: name for c in mine if (name := fingerprint_in(c.body)) is not None}
        if not found:
            return Conversation()
        kept = self._kept(found)
        replied = {c.in_reply_to_id for c in there if not (c.user and c.user.bot)}
        known = {thread.comments[0].id: thread for thread in self._threads() if thread.comments}
        return Conversation(
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

    def take(self, steps: Sequence[Step], there: Conversation) -> tuple[str, ...]:
        """Take the steps; return the fingerprints of remarks that found no place."""
        for step in steps:
            if not isinstance(step, Post | Keep | LeaveAlone):
                self._change(step, there)
        return self._post([step.remark for step in steps if isinstance(step, Post)])

    def _kept(self, found: dict[int, str]) -> dict[int, Remark]:
        with self.desk.store.begin() as books:
            kept = {r.comment: r for r in books.remarks.of(self.place.repository, self.pull)}
            for comment, fingerprint in found.items():
                if comment not in kept:
                    kept[comment] = self._remark(fingerprint, comment)
                    books.remarks.add(kept[comment])
        return kept

    def _remark(self, fingerprint: str, comment: int) -> Remark:
        return Remark(self.place.repository, self.pull, fingerprint, comment)

    def _threads(self) -> tuple[threads.Thread, ...]:
        try:
            return threads.of_pull(self._api, self.place.name, self.pull)
        except _REFUSED as error:
            _log.warning("review threads cannot be read: %s", error.message)
            return ()

    # ------------------------------------------------------------- changing

    def _change(self, step: Edit | Resolve | SayFixed | Reopen, there: Conversation) -> None:
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
                partial(comments.edit_review_comment, self._api, self.place.name, comment, body)
            )
        except NotFoundError:
            _log.info("somebody deleted the remark %d", comment)

    def _resolve(self, step: Resolve, there: Conversation) -> None:
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
        with self.desk.store.begin() as books:
            books.remarks.reopen(step.comment)

    def _may(self, change: Callable[[], None]) -> bool:
        try:
            self._write(change)
        except _REFUSED as error:
            _log.info("not permitted: %s", error.message)
            return False
        return True

    def _thread_api(self) -> Api:
        place = self.place
        return self.desk.api(place.installation, place.repository, **THREAD_PERMISSIONS)

    def _settled(self, comment: int) -> None:
        with self.desk.store.begin() as books:
            books.remarks.resolve(comment)

    # -------------------------------------------------------------- posting

    def _post(self, planned: Sequence[Planned]) -> tuple[str, ...]:
        """Post remarks on lines as one review, those on files one by one."""
        on_lines = [remark for remark in planned if remark.line is not None]
        on_files = [remark for remark in planned if remark.line is None]
        if on_lines and not self._reviewed(on_lines):
            on_files += [remark for remark in on_lines if not self._at_line(remark)]
        return tuple(remark.fingerprint for remark in on_files if not self._on_file(remark))

    def _reviewed(self, planned: Sequence[Planned]) -> bool:
        """Whether GitHub took the review; it refuses all of it for one line that it lacks."""
        self._drop_pending()
        lines = tuple(_line(remark) for remark in planned)
        try:
            review = self._write(
                partial(
                    reviews.create,
                    self._api,
                    self.place.name,
                    self.pull,
                    commit=self.place.head,
                    body=REVIEW,
                    comments=lines,
                )
            )
        except RefusedError as error:
            _log.warning("a review was refused: %s", error.message)
            return False
        made = reviews.comments_of(self._api, self.place.name, self.pull, review.id)
        for comment in made:
            self._keep(fingerprint_in(comment.body), comment.id)
        return True

    def _drop_pending(self) -> None:
        """Remove a review of ours that was begun and never given: there may be only one."""
        left = reviews.pending(self._api, self.place.name, self.pull)
        if left is not None:
            self._write(
                partial(reviews.delete_pending, self._api, self.place.name, self.pull, left.id)
            )

    def _at_line(self, remark: Planned) -> bool:
        return self._posted(
            remark,
            partial(
                comments.create_at_line,
                self._api,
                self.place.name,
                self.pull,
                commit=self.place.head,
                comment=_line(remark),
            ),
        )

    def _on_file(self, remark: Planned) -> bool:
        return self._posted(
            remark,
            partial(
                comments.create_on_file,
                self._api,
                self.place.name,
                self.pull,
                commit=self.place.head,
                path=remark.path,
                body=remark.body,
            ),
        )

    def _posted(self, remark: Planned, send: Callable[[], comments.ReviewComment]) -> bool:
        try:
            made = self._write(send)
        except RefusedError as error:
            _log.warning("a remark was refused: %s", error.message)
            return False
        self._keep(remark.fingerprint, made.id)
        return True

    def _keep(self, fingerprint: str | None, comment: int) -> None:
        if fingerprint is not None:
            with self.desk.store.begin() as books:
                books.remarks.add(self._remark(fingerprint, comment))


def _line(remark: Planned) -> reviews.LineComment:
    assert remark.line is not None
    return reviews.LineComment(remark.path, remark.line, remark.body, start_line=remark.start_line)


def _is_answered(thread: threads.Thread | None, ours: str) -> bool:
    return thread is not None and thread.answered_by_people(ours)


def _standing(
    comment: comments.ReviewComment,
    kept: Remark,
    thread: threads.Thread | None,
    *,
    answered: bool,
) -> Standing:
    on_file = comment.subject_type == "file"
    return Standing(
        fingerprint=kept.fingerprint,
        comment=comment.id,
        body=comment.body,
        path=comment.path,
        line=comment.line,
        start_line=comment.start_line,
        thread=None if thread is None else thread.id,
        resolved=thread is not None and thread.resolved,
        ours=kept.resolved,
        outdated=thread.outdated if thread is not None else comment.line is None and not on_file,
        answered=answered,
    )
