"""What operators count of the runs that ended; it outlives the runs themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import String, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from worker.store.records import ErrandKind, RunState
from worker.store.room import Room
from worker.store.schema import Base, ErrandRow, RunRow, inline

PHASES = ("preparing", "waiting", "examining", "publishing")
"""Until its clone was there; until a worker took it; until it ended; until GitHub showed it."""

CALLS = ("asked", "cached", "refused")
"""Questions to ML APIs: answered by them, from recordings, not at all."""


class FigureRow(Base):
    """One run that ended; times of phases in seconds, ``None`` where it skipped one."""

    __tablename__ = "figures"

    run_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    ended_at: Mapped[datetime]
    outcome: Mapped[str] = mapped_column(String(16))
    preparing: Mapped[float | None]
    waiting: Mapped[float | None]
    examining: Mapped[float | None]
    publishing: Mapped[float | None]
    broken: Mapped[int] = mapped_column(server_default="0")
    api_calls: Mapped[int] = mapped_column(server_default="0")
    api_calls_cached: Mapped[int] = mapped_column(server_default="0")
    api_calls_refused: Mapped[int] = mapped_column(server_default="0")
    dollars: Mapped[float] = mapped_column(server_default="0")


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all runs that ever ended.

    ``outcomes`` counts them by verdict, or by state where there is none;
    ``phases`` is how many went through a phase, and for how many seconds in
    all; ``calls`` counts questions to ML APIs, which cost ``dollars``.
    """

    outcomes: Mapping[str, int] = field(default_factory=dict[str, int])
    phases: Mapping[str, tuple[int, float]] = field(default_factory=dict[str, tuple[int, float]])
    calls: Mapping[str, int] = field(default_factory=dict[str, int])
    broken: int = 0
    dollars: float = 0.0


class Figures(Room):
    """A row for each run that ended."""

    def ended(self, rows: Sequence[RunRow]) -> None:
        """Note runs that have just ended."""
        for row in rows:
            times = {
                "preparing": _seconds(row.created_at, row.queued_at),
                "waiting": _seconds(row.queued_at, row.started_at),
                "examining": _seconds(row.started_at, row.finished_at),
            }
            about = {"ended_at": self._clock(), "outcome": row.verdict or row.state}
            self._add_once(FigureRow, {"run_id": row.id, **about, **times}, "run_id")

    def reported(self, run_id: str, document: Mapping[str, Any]) -> None:
        """Note what the report of a run says that it cost."""
        cost: Mapping[str, Any] = document.get("cost") or {}
        self._changed(
            update(FigureRow)
            .where(FigureRow.run_id == run_id)
            .values(
                broken=len(document.get("broken") or ()),
                api_calls=int(cost.get("api_calls", 0)),
                api_calls_cached=int(cost.get("api_calls_cached", 0)),
                api_calls_refused=int(cost.get("api_calls_refused", 0)),
                dollars=float(cost.get("dollars", 0.0)),
            )
        )

    def published(self, errand_id: int) -> None:
        """Note that an errand is done, if it was the first to publish the end of a run."""
        which = select(FigureRow).where(
            FigureRow.publishing.is_(None),
            FigureRow.run_id.in_(
                select(ErrandRow.run).where(
                    ErrandRow.id == errand_id, ErrandRow.kind == ErrandKind.PUBLISH
                )
            ),
        )
        row = self._one(which)
        if row is not None:
            since = _seconds(row.ended_at, self._clock())
            statement = update(FigureRow).where(FigureRow.run_id == row.run_id)
            self._changed(statement.values(publishing=since))

    def waiting_since(self) -> dict[str, datetime]:
        """Return, by queue, since when the oldest run that waits for a worker has waited."""
        since = func.min(func.coalesce(RunRow.queued_at, RunRow.created_at))
        query = (
            select(RunRow.queue, since)
            .where(RunRow.state == inline(RunState.QUEUED))
            .group_by(RunRow.queue)
        )
        return {str(queue): moment for queue, moment in self._session.execute(query)}

    def totals(self) -> Totals:
        """Sum everything up."""
        sums = [
            item
            for name in PHASES
            for item in (
                func.count(getattr(FigureRow, name)),
                func.coalesce(func.sum(getattr(FigureRow, name)), 0.0),
            )
        ]
        columns = ("broken", "api_calls", "api_calls_cached", "api_calls_refused", "dollars")
        costs = [func.coalesce(func.sum(getattr(FigureRow, name)), 0) for name in columns]
        found = self._session.execute(select(*sums, *costs)).one()
        times, (broken, *calls, dollars) = found[: len(sums)], found[len(sums) :]
        return Totals(
            outcomes=self._outcomes(),
            phases={
                name: (int(times[2 * place]), float(times[2 * place + 1]))
                for place, name in enumerate(PHASES)
            },
            calls=dict(zip(CALLS, map(int, calls), strict=True)),
            broken=int(broken),
            dollars=float(dollars),
        )

    def _outcomes(self) -> dict[str, int]:
        query = select(FigureRow.outcome, func.count()).group_by(FigureRow.outcome)
        return {str(outcome): int(count) for outcome, count in self._session.execute(query)}


def _seconds(since: datetime | None, until: datetime | None) -> float | None:
    if since is None or until is None:
        return None
    return max(0.0, (until - since).total_seconds())


OUTCOMES = (
    "success",
    "failure",
    "neutral",
    "skipped",
    "error",
    RunState.FAILED.value,
    RunState.CANCELLED.value,
)
"""The verdicts, and how runs without one end."""
