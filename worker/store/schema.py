"""The tables.

They are created where they are absent, and so are columns that have a default
on the server.  Their next other change of shape brings alembic along.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, ForeignKey, Index, String, Text, true
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from worker.store.records import Approval, Job, RunRecord, RunState, WorkerRecord, WorkerState


class Moment(TypeDecorator[datetime]):
    """An aware time, kept in UTC; SQLite forgets the zone, so it is given back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC."""
        del dialect
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From UTC."""
        del dialect
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """The tables' registry."""

    type_annotation_map = {datetime: Moment, dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012 SQLAlchemy's own protocol


class RunRow(Base):
    """A job, its state, and the lease of the attempt that is under way."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    repository: Mapped[str] = mapped_column(Text)
    base: Mapped[str | None] = mapped_column(String(255))
    head: Mapped[str | None] = mapped_column(String(255))
    reason: Mapped[str] = mapped_column(String(255))
    private: Mapped[bool]
    fork: Mapped[bool] = mapped_column(server_default=true())
    state: Mapped[str] = mapped_column(String(16))
    attempts: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    enqueued_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    leased_until: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    verdict: Mapped[str | None] = mapped_column(String(16))
    error: Mapped[str | None] = mapped_column(Text)

    __table_args__ = (
        Index("runs_by_state", "state", "created_at"),
        Index("runs_by_age", "created_at"),
    )

    def record(self) -> RunRecord:
        """Return the row as a noun."""
        return RunRecord(
            id=self.id,
            job=Job(self.repository, self.base, self.head, self.reason, self.private, self.fork),
            state=RunState(self.state),
            attempts=self.attempts,
            created_at=self.created_at,
            started_at=self.started_at,
            finished_at=self.finished_at,
            verdict=self.verdict,
            error=self.error,
        )


class DeliveryRow(Base):
    """A webhook event that was accepted; its id is taken once."""

    __tablename__ = "deliveries"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    event: Mapped[str] = mapped_column(String(64))
    action: Mapped[str | None] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(String(64))
    received_at: Mapped[datetime]
    run_id: Mapped[str | None] = mapped_column(ForeignKey("runs.id"))


class ApprovalRow(Base):
    """A commit of a fork whose code may ask paid engines."""

    __tablename__ = "approvals"

    repository: Mapped[str] = mapped_column(String(201), primary_key=True)
    head: Mapped[str] = mapped_column(String(64), primary_key=True)
    by: Mapped[str] = mapped_column(String(100))
    at: Mapped[datetime]

    def record(self) -> Approval:
        """Return the row as a noun."""
        return Approval(self.repository, self.head, self.by, self.at)


class WorkerRow(Base):
    """A worker, and where it stands."""

    __tablename__ = "workers"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    host: Mapped[str] = mapped_column(String(255))
    state: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(Text)
    layers: Mapped[list[str]]
    seen_at: Mapped[datetime]

    def record(self) -> WorkerRecord:
        """Return the row as a noun."""
        state, layers = WorkerState(self.state), tuple(self.layers)
        return WorkerRecord(self.id, self.host, state, self.reason, layers, self.seen_at)


class ReportRow(Base):
    """The report of a finished run, as the command line would print it."""

    __tablename__ = "reports"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    document: Mapped[dict[str, Any]]
