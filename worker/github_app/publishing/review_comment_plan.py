"""The steps from the review comments that stand in a pull request to those that should.

A thread in which people have answered is theirs: it is left alone.  Of each
finding at most one comment of ours is open on the lines as they are now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from worker.github_app import messages
from worker.github_app.publishing.comment_marks import finding_mark, marked, same_text


@dataclass(frozen=True, slots=True)
class PlannedComment:
    """A comment that should stand; ``line`` is ``None`` for one on the whole file."""

    fingerprint: str
    path: str
    body: str
    line: int | None = None
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A comment of ours as GitHub shows it, with its thread.

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
    """Write a new comment."""

    review_comment: PlannedComment


@dataclass(frozen=True, slots=True)
class Edit:
    """Let the comment say ``body``."""

    comment: int
    body: str


@dataclass(frozen=True, slots=True)
class Resolve:
    """Resolve the thread; where that is not permitted, let the comment say ``body``."""

    comment: int
    thread: str
    body: str


@dataclass(frozen=True, slots=True)
class SayFixed:
    """Let the comment say ``body``, which tells that it is gone."""

    comment: int
    body: str


@dataclass(frozen=True, slots=True)
class Reopen:
    """The finding is back: reopen its thread (if there is one), and let it say ``body``."""

    comment: int
    thread: str | None
    body: str


Step: TypeAlias = Post | Edit | Resolve | SayFixed | Reopen


@dataclass(frozen=True, slots=True)
class WantedComments:
    """The wanted review comments of findings.

    ``review_comments`` should stand; ``unsure`` are the fingerprints of findings of
    which this run does not know whether they are gone.  ``reasons`` says
    why others are settled, a sentence by fingerprint; without one a finding
    is gone.
    """

    review_comments: Sequence[PlannedComment]
    unsure: Collection[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])


def reconcile(wanted: WantedComments, there: Sequence[PostedComment]) -> tuple[Step, ...]:
    """Return the steps to what is wanted; done once, they lead to none."""
    planned = {comment.fingerprint: comment for comment in wanted.review_comments}
    by_finding: dict[str, list[PostedComment]] = {name: [] for name in planned}
    for comment in sorted(there, key=lambda comment: -comment.comment):
        by_finding.setdefault(comment.fingerprint, []).append(comment)
    steps: list[Step | None] = []
    for fingerprint, newest_first in by_finding.items():
        if fingerprint in planned:
            steps += _steps_for_open(planned[fingerprint], newest_first)
        elif fingerprint not in wanted.unsure:
            why = wanted.reasons.get(fingerprint, messages.GONE)
            steps += [_step_for_settled(comment, why) for comment in newest_first]
    return tuple(step for step in steps if step is not None)


def _steps_for_open(plan: PlannedComment, posted: Sequence[PostedComment]) -> Iterator[Step | None]:
    """Yield the steps for a finding that should be told: one comment, on its lines."""
    best = next((comment for comment in posted if _is_usable_for(comment, plan)), None)
    yield Post(plan) if best is None else _renewed(best, plan)
    for comment in posted:
        if comment is not best:
            yield _step_for_settled(comment, messages.MOVED)


def _is_usable_for(comment: PostedComment, plan: PlannedComment) -> bool:
    """Return whether people look after a comment, or it is on the planned lines."""
    if comment.resolved and not comment.ours:
        return True
    if comment.outdated:
        return False
    lines = (comment.path, comment.line, comment.start_line)
    return comment.answered or lines == (plan.path, plan.line, plan.start_line)


def _renewed(comment: PostedComment, plan: PlannedComment) -> Step | None:
    if comment.answered or (comment.resolved and not comment.ours):
        return None
    if comment.ours:
        return Reopen(comment.comment, comment.thread if comment.resolved else None, plan.body)
    return None if same_text(comment.body, plan.body) else Edit(comment.comment, plan.body)


def _step_for_settled(comment: PostedComment, why: str) -> Step | None:
    """Return the step for a comment that need not stand any more."""
    if comment.answered or comment.resolved or comment.ours:
        return None
    said = marked(f"**{why}**", finding_mark(comment.fingerprint))
    if comment.thread is not None:
        return Resolve(comment.comment, comment.thread, said)
    return None if same_text(comment.body, said) else SayFixed(comment.comment, said)
