"""From the remarks that stand in a pull request to those that should: the steps between.

A thread in which people have answered is theirs: it is left alone.  Of each
finding at most one remark of ours is open on the lines as they are now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from worker.composition.marks import finding_mark, fingerprint_in, marked
from worker.github.threads import Thread


@dataclass(frozen=True, slots=True)
class Planned:
    """A remark that should stand; ``line`` is ``None`` for one on the whole file."""

    fingerprint: str
    path: str
    body: str
    line: int | None = None
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
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

    remark: Planned


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
class Wanted:
    """What should be said of findings.

    ``remarks`` should stand; ``unsure`` are the fingerprints of findings of
    which this run does not know whether they are gone.  ``reasons`` says
    why others are settled, a sentence by fingerprint; without one a finding
    is gone.
    """

    remarks: Sequence[Planned]
    unsure: Collection[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])


GONE = "This is gone: the last run did not find it any more."
MOVED = "This is told anew on the lines where it stands now."


def standing_remarks(
    threads: Sequence[Thread], settled: Collection[int], login: str
) -> tuple[Standing, ...]:
    """Return our remarks among a pull request's threads; ``login`` is our bot's.

    ``settled`` are the comments that we resolved, or let say that they are.
    """
    return tuple(
        Standing(
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
    wanted: Wanted, there: Sequence[Standing], *, may_resolve: bool = True
) -> tuple[Step, ...]:
    """Return the steps to what is wanted; done once, they lead to none that writes."""
    planned = {remark.fingerprint: remark for remark in wanted.remarks}
    by_finding: dict[str, list[Standing]] = {name: [] for name in planned}
    for remark in there:
        by_finding.setdefault(remark.fingerprint, []).append(remark)
    steps: list[Step] = []
    for fingerprint, remarks in by_finding.items():
        newest_first = sorted(remarks, key=lambda remark: -remark.comment)
        if fingerprint in planned:
            steps += _still(planned[fingerprint], newest_first, may_resolve=may_resolve)
        elif fingerprint in wanted.unsure:
            steps += [LeaveAlone(remark.comment) for remark in newest_first]
        else:
            why = wanted.reasons.get(fingerprint, GONE)
            steps += [_settled(remark, why, may_resolve=may_resolve) for remark in newest_first]
    return tuple(steps)


def _still(plan: Planned, remarks: Sequence[Standing], *, may_resolve: bool) -> Iterator[Step]:
    """The steps for a finding that should be told: one remark, on its lines."""
    best = next((remark for remark in remarks if _speaks_of(remark, plan)), None)
    if best is None:
        yield Post(plan)
    else:
        yield _renewed(best, plan)
    for remark in remarks:
        if remark is not best:
            yield _settled(remark, MOVED, may_resolve=may_resolve)


def _speaks_of(remark: Standing, plan: Planned) -> bool:
    """Whether a remark will do: people look after it, or it is on the planned lines."""
    if remark.resolved and not remark.ours:
        return True
    if remark.outdated:
        return False
    lines = (remark.path, remark.line, remark.start_line)
    return remark.answered or lines == (plan.path, plan.line, plan.start_line)


def _renewed(remark: Standing, plan: Planned) -> Step:
    if remark.answered or (remark.resolved and not remark.ours):
        return LeaveAlone(remark.comment)
    if remark.ours:
        return Reopen(remark.comment, remark.thread if remark.resolved else None, plan.body)
    return (
        Keep(remark.comment) if _same(remark.body, plan.body) else Edit(remark.comment, plan.body)
    )


def _settled(remark: Standing, why: str, *, may_resolve: bool) -> Step:
    """The step for a remark that need not stand any more."""
    if remark.answered or remark.resolved or remark.ours:
        return LeaveAlone(remark.comment)
    said = marked(f"**{why}**", finding_mark(remark.fingerprint))
    if remark.thread is not None and may_resolve:
        return Resolve(remark.comment, remark.thread, said)
    return (
        LeaveAlone(remark.comment) if _same(remark.body, said) else SayFixed(remark.comment, said)
    )


def _same(there: str, wanted: str) -> bool:
    """Whether two texts are the same to a reader, however their lines end."""
    return there.replace("\r\n", "\n").strip() == wanted.replace("\r\n", "\n").strip()
