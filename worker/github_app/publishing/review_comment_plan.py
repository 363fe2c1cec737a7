"""From the remarks that stand in a pull request to those that should: the steps between.

A thread in which people have answered is theirs: it is left alone.  Of each
finding at most one remark of ours is open on the lines as they are now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from worker.github_app.client.threads import Thread
from worker.github_app.publishing.comment_marks import finding_mark, fingerprint_in, marked


@dataclass(frozen=True, slots=True)
class PlannedComment:
    """A remark that should stand; ``line`` is ``None`` for one on the whole file."""

    fingerprint: str
    path: str
    body: str
    line: int | None = None
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A remark of ours as GitHub shows it, with its thread.

    ``thread`` is ``None`` where its id is not known.  ``resolved`` is what
    GitHub says, ``ours`` that we resolved it or said that it is fixed.
    ``answered``: somebody who is not us wrote in the thread.  ``outdated``:
    its lines are gone, and ``line`` with them.
    """

    fingerprint: str
    comment: int
    body: str
    path: str
    line: int | None = None
    start_line: int | None = None
    thread: str | None = None
    resolved: bool = False
    ours: bool = False
    outdated: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Post:
    """Write a new remark."""

    review_comment: PlannedComment


@dataclass(frozen=True, slots=True)
class Keep:
    """The remark says what it should."""

    comment: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Let the remark say ``body``."""

    comment: int
    body: str


@dataclass(frozen=True, slots=True)
class Resolve:
    """Resolve the thread; where that is not permitted, let the remark say ``body``."""

    comment: int
    thread: str
    body: str


@dataclass(frozen=True, slots=True)
class SayFixed:
    """Let the remark say ``body``, which tells that it is gone."""

    comment: int
    body: str


@dataclass(frozen=True, slots=True)
class Reopen:
    """The finding is back: reopen its thread (if there is one), and let it say ``body``."""

    comment: int
    thread: str | None
    body: str


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """The thread is people's by now, or nothing is known against it."""

    comment: int


Step: TypeAlias = Post | Keep | Edit | Resolve | SayFixed | Reopen | LeaveAlone


@dataclass(frozen=True, slots=True)
class WantedComments:
    """What should be said of findings.

    ``remarks`` should stand; ``unsure`` are the fingerprints of findings of
    which this run does not know whether they are gone.  ``reasons`` says
    why others are settled, a sentence by fingerprint; without one a finding
    is gone.
    """

    review_comments: Sequence[PlannedComment]
    unsure: Collection[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])


GONE = "This is gone: the last run did not find it any more."
MOVED = "This is told anew on the lines where it stands now."


def standing_remarks(
    threads: Sequence[Thread], settled: Collection[int], login: str
) -> tuple[PostedComment, ...]:
    """Return our remarks among a pull request's threads; ``login`` is our bot's.

    ``settled`` are the comments that we resolved, or let say that they are.
    """
    return tuple(
        PostedComment(
            fingerprint=fingerprint,
            comment=first.id,
            body=first.body,
            path=thread.path,
            line=thread.line,
            start_line=thread.start_line,
            thread=thread.id,
            resolved=thread.resolved,
            ours=first.id in settled,
            outdated=thread.outdated,
            answered=thread.answered_by_people(login),
        )
        for thread in threads
        if (first := thread.comments[0] if thread.comments else None) is not None
        and first.id is not None
        and first.login == login
        and (fingerprint := fingerprint_in(first.body)) is not None
    )


def reconcile(
    wanted: WantedComments, there: Sequence[PostedComment], *, may_resolve: bool = True
) -> tuple[Step, ...]:
    """Return the steps to what is wanted; done once, they lead to none that writes."""
    planned = {
        review_comment.fingerprint: review_comment for review_comment in wanted.review_comments
    }
    by_finding: dict[str, list[PostedComment]] = {name: [] for name in planned}
    for review_comment in there:
        by_finding.setdefault(review_comment.fingerprint, []).append(review_comment)
    steps: list[Step] = []
    for fingerprint, review_comments in by_finding.items():
        newest_first = sorted(review_comments, key=lambda review_comment: -review_comment.comment)
        if fingerprint in planned:
            steps += _steps_for_open(planned[fingerprint], newest_first, may_resolve=may_resolve)
        elif fingerprint in wanted.unsure:
            steps += [LeaveAlone(review_comment.comment) for review_comment in newest_first]
        else:
            why = wanted.reasons.get(fingerprint, GONE)
            steps += [
                _step_for_settled(review_comment, why, may_resolve=may_resolve)
                for review_comment in newest_first
            ]
    return tuple(steps)


def _steps_for_open(
    plan: PlannedComment, review_comments: Sequence[PostedComment], *, may_resolve: bool
) -> Iterator[Step]:
    """The steps for a finding that should be told: one remark, on its lines."""
    best = next(
        (
            review_comment
            for review_comment in review_comments
            if _is_usable_for(review_comment, plan)
        ),
        None,
    )
    if best is None:
        yield Post(plan)
    else:
        yield _renewed(best, plan)
    for review_comment in review_comments:
        if review_comment is not best:
            yield _step_for_settled(review_comment, MOVED, may_resolve=may_resolve)


def _is_usable_for(review_comment: PostedComment, plan: PlannedComment) -> bool:
    """Whether a remark will do: people look after it, or it is on the planned lines."""
    if review_comment.resolved and not review_comment.ours:
        return True
    if review_comment.outdated:
        return False
    lines = (review_comment.path, review_comment.line, review_comment.start_line)
    return review_comment.answered or lines == (plan.path, plan.line, plan.start_line)


def _renewed(review_comment: PostedComment, plan: PlannedComment) -> Step:
    if review_comment.answered or (review_comment.resolved and not review_comment.ours):
        return LeaveAlone(review_comment.comment)
    if review_comment.ours:
        return Reopen(
            review_comment.comment,
            review_comment.thread if review_comment.resolved else None,
            plan.body,
        )
    return (
        Keep(review_comment.comment)
        if _same(review_comment.body, plan.body)
        else Edit(review_comment.comment, plan.body)
    )


def _step_for_settled(review_comment: PostedComment, why: str, *, may_resolve: bool) -> Step:
    """The step for a remark that need not stand any more."""
    if review_comment.answered or review_comment.resolved or review_comment.ours:
        return LeaveAlone(review_comment.comment)
    said = marked(f"**{why}**", finding_mark(review_comment.fingerprint))
    if review_comment.thread is not None and may_resolve:
        return Resolve(review_comment.comment, review_comment.thread, said)
    return (
        LeaveAlone(review_comment.comment)
        if _same(review_comment.body, said)
        else SayFixed(review_comment.comment, said)
    )


def _same(there: str, wanted: str) -> bool:
    """Whether two texts are the same to a reader, however their lines end."""
    return there.replace("\r\n", "\n").strip() == wanted.replace("\r\n", "\n").strip()
