"""Runs as a visitor may see them: listed by page, in the queue, by repository, over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, true

from worker.store.operator_metrics import RunMetricsRow
from worker.store.records import RunRecord, RunState
from worker.store.repository_base import RepositoryBase
from worker.store.run_lifecycle import ALIVE, QUEUED
from worker.store.schema import RepositoryRow, RunRow

MOST_QUEUED = 500
MOST_REPOSITORIES = 100
MOST_POINTS = 40


@dataclass(frozen=True, slots=True)
class RunFilter:
    """The runs that a visitor asks for; ``outcome`` is a verdict or a state."""

    repository: str | None = None
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class QueuedRun:
    """A run that is not over; ``position`` is its place in its queue, if it waits there."""

    run: RunRecord
    position: int | None
    since: datetime


@dataclass(frozen=True, slots=True)
class RepositoryStanding:
    """A repository with its newest report; ``new_findings`` is ``None`` where none is kept."""

    name: str
    runs: int
    last: RunRecord
    new_findings: int | None


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The figures of one run; ``recall`` is the lowest that its report tells of."""

    run: str
    at: datetime
    new_findings: int
    recall: float | None
    dollars: float
    seconds: float | None


def _is_public() -> ColumnElement[bool]:
    """Return which runs everybody may see.

    A repository may have become private since; of one that the App no longer sees nobody knows.
    """
    known = RepositoryRow.id == RunRow.repository_id
    alone = and_(RunRow.installation.is_(None), ~exists().where(known))
    public = exists().where(known, RepositoryRow.private.is_(False))
    return and_(RunRow.private.is_(False), or_(public, alone))


class RunListing(RepositoryBase):
    """Queries for the dashboard; with ``everything`` private runs are listed too."""

    def page(
        self, wanted: RunFilter, *, everything: bool, count: int, offset: int
    ) -> tuple[Sequence[RunRecord], bool]:
        """Return runs, the newest first, and whether there are more."""
        query = (
            select(RunRow)
            .where(self._visible(everything), _matches(wanted))
            .order_by(RunRow.created_at.desc(), RunRow.id)
            .limit(count + 1)
            .offset(offset)
        )
        rows = self._all(query)
        return [row.record() for row in rows[:count]], len(rows) > count

    def queue(self, *, everything: bool) -> Sequence[QueuedRun]:
        """Return the runs that are not over: those under way first, then as they will be taken."""
        visible = self._ids(and_(ALIVE, self._visible(everything)))
        under_way = self._all(
            select(RunRow).where(ALIVE, ~QUEUED).order_by(RunRow.created_at).limit(MOST_QUEUED)
        )
        placed = [(row, None) for row in under_way] + self._placed()
        return [
            QueuedRun(row.record(), position, row.queued_at or row.created_at)
            for row, position in placed
            if row.id in visible
        ]

    def position(self, run_id: str) -> int | None:
        """Return the place of a run in its queue, from 1; ``None`` for one that does not wait."""
        return next((place for row, place in self._placed() if row.id == run_id), None)

    def repositories(self, *, everything: bool) -> Sequence[RepositoryStanding]:
        """Return the repositories that were tested, the latest first, with their newest report."""
        newest = func.max(RunRow.created_at)
        query = (
            select(RunRow.repository, func.count())
            .where(self._visible(everything), RunRow.state == RunState.DONE)
            .group_by(RunRow.repository)
            .order_by(newest.desc())
            .limit(MOST_REPOSITORIES)
        )
        found = [(str(name), int(count)) for name, count in self._session.execute(query)]
        standings = (self.standing(name, everything=everything, runs=n) for name, n in found)
        return [standing for standing in standings if standing is not None]

    def standing(
        self, repository: str, *, everything: bool, runs: int = 0
    ) -> RepositoryStanding | None:
        """Return a repository with its newest report; ``None`` where there is none to see."""
        query = (
            select(RunRow, RunMetricsRow.new_findings)
            .outerjoin(RunMetricsRow, RunMetricsRow.run_id == RunRow.id)
            .where(
                self._visible(everything),
                RunRow.repository == repository,
                RunRow.state == RunState.DONE,
            )
            .order_by(RunRow.created_at.desc())
            .limit(1)
        )
        for row, found in self._session.execute(query):
            return RepositoryStanding(repository, runs, row.record(), found)
        return None

    def trend(self, repository: str, *, everything: bool) -> Sequence[TrendPoint]:
        """Return the figures of a repository's last runs, the oldest first."""
        query = (
            select(RunRow.id, RunRow.created_at, RunMetricsRow)
            .join(RunMetricsRow, RunMetricsRow.run_id == RunRow.id)
            .where(
                self._visible(everything),
                RunRow.repository == repository,
                RunMetricsRow.new_findings.is_not(None),
            )
            .order_by(RunRow.created_at.desc())
            .limit(MOST_POINTS)
        )
        points = [
            TrendPoint(run, at, row.new_findings or 0, row.recall, row.dollars, row.examining)
            for run, at, row in self._session.execute(query)
        ]
        return points[::-1]

    def _placed(self) -> list[tuple[RunRow, int | None]]:
        """Return the waiting runs with their places, each queue by itself."""
        query = select(RunRow).where(QUEUED).order_by(RunRow.created_at).limit(MOST_QUEUED)
        places: dict[str, int] = {}
        placed: list[tuple[RunRow, int | None]] = []
        for row in self._all(query):
            places[row.queue] = places.get(row.queue, 0) + 1
            placed.append((row, places[row.queue]))
        return placed

    def _ids(self, which: ColumnElement[bool]) -> set[str]:
        return set(self._session.scalars(select(RunRow.id).where(which)))

    @staticmethod
    def _visible(everything: bool) -> ColumnElement[bool]:  # noqa: FBT001
        return true() if everything else _is_public()


def _matches(wanted: RunFilter) -> ColumnElement[bool]:
    found = true() if wanted.repository is None else RunRow.repository == wanted.repository
    if wanted.outcome is None:
        return found
    return and_(found, or_(RunRow.state == wanted.outcome, RunRow.verdict == wanted.outcome))
