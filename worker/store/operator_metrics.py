"""Counters of the runs that ended; they outlive the runs themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import String, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from worker.store.records import OutboxTaskKind, RunState
from worker.store.repository_base import RepositoryBase
from worker.store.schema import Base, OutboxTaskRow, RunRow, inline

PHASES = ("preparing", "waiting", "examining", "publishing")
"""Until its clone was there; until a worker took it; until it ended; until GitHub showed it."""

CALLS = ("asked", "cached", "refused")
"""Questions to ML APIs: answered by them, from recordings, not at all."""


class RunMetricsRow(Base):
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
    new_findings: Mapped[int | None]
    recall: Mapped[float | None]


@dataclass(frozen=True, slots=True)
class MetricTotals:
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


class RunMetrics(RepositoryBase):
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
            self._add_once(RunMetricsRow, {"run_id": row.id, **about, **times}, "run_id")

    def reported(self, run_id: str, document: Mapping[str, Any]) -> None:
        """Note what the report of a run says that it found and cost."""
        cost: Mapping[str, Any] = document.get("cost") or {}
        self._changed(
            update(RunMetricsRow)
            .where(RunMetricsRow.run_id == run_id)
            .values(
                broken=len(document.get("broken") or ()),
                api_calls=int(cost.get("api_calls", 0)),
                api_calls_cached=int(cost.get("api_calls_cached", 0)),
                api_calls_refused=int(cost.get("api_calls_refused", 0)),
                dollars=float(cost.get("dollars", 0.0)),
                **_found(document),
            )
        )

    def published(self, errand_id: int) -> None:
        """Note that an errand is done, if it was the first to publish the end of a run."""
        which = select(RunMetricsRow).where(
            RunMetricsRow.publishing.is_(None),
            RunMetricsRow.run_id.in_(
                select(OutboxTaskRow.run).where(
                    OutboxTaskRow.id == errand_id, OutboxTaskRow.kind == OutboxTaskKind.PUBLISH
                )
            ),
        )
        row = self._one(which)
        if row is not None:
            since = _seconds(row.ended_at, self._clock())
            statement = update(RunMetricsRow).where(RunMetricsRow.run_id == row.run_id)
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

    def totals(self) -> MetricTotals:
        """Sum everything up."""
        sums = [
            item
            for name in PHASES
            for item in (
                func.count(getattr(RunMetricsRow, name)),
                func.coalesce(func.sum(getattr(RunMetricsRow, name)), 0.0),
            )
        ]
        columns = ("broken", "api_calls", "api_calls_cached", "api_calls_refused", "dollars")
        costs = [func.coalesce(func.sum(getattr(RunMetricsRow, name)), 0) for name in columns]
        found = self._session.execute(select(*sums, *costs)).one()
        times, (broken, *calls, dollars) = found[: len(sums)], found[len(sums) :]
        return MetricTotals(
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
        query = select(RunMetricsRow.outcome, func.count()).group_by(RunMetricsRow.outcome)
        return {str(outcome): int(count) for outcome, count in self._session.execute(query)}


def _found(document: Mapping[str, Any]) -> dict[str, float | None]:
    """Return how many findings are new and not ignored, and the lowest recall that one tells of."""
    findings: Sequence[Mapping[str, Any]] = document.get("findings") or ()
    told = [each for each in findings if each.get("status") == "new" and not each.get("ignored")]
    evidence: list[Mapping[str, Any]] = [each.get("evidence") or {} for each in told]
    shares = [each.get("recall") for each in evidence]
    recalls = [float(share) for share in shares if isinstance(share, int | float)]
    return {"new_findings": len(told), "recall": min(recalls, default=None)}


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


class CounterRow(Base):
    """The count of events of one name and label."""

    __tablename__ = "tallies"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    label: Mapped[str] = mapped_column(String(191), primary_key=True)
    count: Mapped[int]


class Counters(RepositoryBase):
    """A row for each name and label."""

    def add(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Add to counters by name and label, always in one order: nobody waits in a circle."""
        for (name, label), count in sorted(counts.items()):
            values = {"name": name, "label": label, "count": count}
            statement = self._insert(CounterRow, values)
            more = {"count": CounterRow.count + statement.excluded["count"]}
            self._changed(
                statement.on_conflict_do_update(index_elements=["name", "label"], set_=more)
            )

    def of(self, name: str) -> dict[str, int]:
        """Return the counts of a name by label."""
        query = select(CounterRow).where(CounterRow.name == name).order_by(CounterRow.label)
        return {row.label: row.count for row in self._all(query)}
