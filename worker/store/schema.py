"""The tables; ``migrations`` makes them."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    literal,
    text,
    true,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from worker.store.column_types import SafeText, UtcDateTime
from worker.store.records import (
    IdempotencyRecord,
    IdempotencyState,
    IgnoreKind,
    IgnoreRecord,
    Job,
    OutboxTask,
    OutboxTaskKind,
    OutboxTaskRecord,
    RunOptions,
    RunRecord,
    RunState,
    WorkerRecord,
    WorkerState,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Identity = BigInteger().with_variant(Integer, "sqlite")
"""GitHub's ids outgrow 32 bits; only SQLite's ``INTEGER`` numbers rows itself."""

WAITING = "waiting"
DISPATCHED = "heard"
DEAD = "dead"
DONE = "done"


def inline(value: str) -> ColumnElement[str]:
    """Return a text that stands in the statement itself.

    An index over some rows is used only where the statement names them.
    """
    return literal(str(value), String(), literal_execute=True)


def _some(where: str) -> dict[str, Any]:
    return {"sqlite_where": text(where), "postgresql_where": text(where)}


_WAITING = f"state = '{WAITING}'"


_Record = TypeVar("_Record", bound="DataclassInstance")


@cache
def _field_names(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


class Base(DeclarativeBase):
    """The tables' registry."""

    type_annotation_map = {  # noqa: RUF012 SQLAlchemy's own protocol
        datetime: UtcDateTime,
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON,
    }

    def as_record(self, kind: type[_Record], /, **others: Any) -> _Record:
        """Return the row as a noun; ``others`` are what it spells in another way."""
        found = {name: getattr(self, name) for name in _field_names(kind) if name not in others}
        return kind(**found, **others)


class RunRow(Base):
    """A job and what became of it."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    repository: Mapped[str] = mapped_column(SafeText)
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
    error: Mapped[str | None] = mapped_column(SafeText)
    repository_id: Mapped[int | None] = mapped_column(BigInteger)
    installation: Mapped[int | None] = mapped_column(BigInteger)
    pull: Mapped[int | None]
    options: Mapped[dict[str, Any] | None]
    key: Mapped[str | None] = mapped_column(String(255))
    queue: Mapped[str] = mapped_column(String(16), server_default="cpu")
    queued_at: Mapped[datetime | None]
    routed: Mapped[int] = mapped_column(server_default="0")
    without_gpu: Mapped[bool] = mapped_column(server_default=text("false"))
    refused: Mapped[bool] = mapped_column(server_default=text("false"))
    progress: Mapped[str | None] = mapped_column(SafeText)
    check_run: Mapped[int | None] = mapped_column(BigInteger)
    policy: Mapped[dict[str, Any] | None]

    __table_args__ = (
        Index("runs_by_state", "state", "created_at"),
        Index("runs_by_age", "created_at"),
        Index("runs_by_repository", "repository", "created_at"),
        Index("runs_by_queue", "state", "queue", "created_at"),
        Index("runs_by_sending", "state", "enqueued_at"),
        Index("runs_by_lease", "leased_until", **_some("state = 'running'")),
        Index("runs_by_end", "finished_at"),
        Index(
            "runs_unannounced",
            "created_at",
            **_some("check_run IS NULL AND installation IS NOT NULL"),
        ),
        Index("runs_decided", "repository_id", "created_at", **_some("policy IS NOT NULL")),
        Index("runs_by_key", "key", unique=True),
        Index("runs_by_pull", "repository_id", "pull", "created_at"),
        Index("runs_by_head", "repository_id", "head"),
        Index("runs_by_check_run", "check_run"),
    )

    def job(self) -> Job:
        """Return what is to be checked."""
        return self.as_record(Job, options=RunOptions(**(self.options or {})))

    def record(self) -> RunRecord:
        """Return the row as a noun."""
        return self.as_record(RunRecord, job=self.job(), state=RunState(self.state))


def run_values(job: Job) -> dict[str, Any]:
    """Return the columns of a run that its job decides."""
    standard = asdict(RunOptions())
    asked = {name: value for name, value in asdict(job.options).items() if value != standard[name]}
    return {**asdict(job), "reason": job.reason[:255], "options": asked or None}


class DeliveryRow(Base):
    """A webhook event that was accepted; its id is taken once."""

    __tablename__ = "deliveries"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    event: Mapped[str] = mapped_column(String(64))
    action: Mapped[str | None] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(String(64))
    received_at: Mapped[datetime]
    installation: Mapped[int | None] = mapped_column(BigInteger)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    state: Mapped[str] = mapped_column(String(16))
    attempts: Mapped[int]
    due_at: Mapped[datetime]
    heard_at: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(SafeText)

    __table_args__ = (
        Index("deliveries_waiting", "received_at", "id", **_some(_WAITING)),
        Index("deliveries_by_state", "state", "received_at"),
    )


class InstallationRow(Base):
    """The App on somebody's account."""

    __tablename__ = "installations"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    account: Mapped[str] = mapped_column(String(100))
    suspended: Mapped[bool]
    updated_at: Mapped[datetime | None]


class RepositoryRow(Base):
    """A repository that an installation may see."""

    __tablename__ = "repositories"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    full_name: Mapped[str] = mapped_column(String(201))
    private: Mapped[bool]
    installation: Mapped[int] = mapped_column(BigInteger)
    default_branch: Mapped[str | None] = mapped_column(String(255))
    updated_at: Mapped[datetime | None]
    seen_at: Mapped[datetime]

    __table_args__ = (
        Index("repositories_by_name", "full_name"),
        Index("repositories_by_installation", "installation"),
    )


class PullRow(Base):
    """A pull request as GitHub last told of it."""

    __tablename__ = "pulls"

    repository: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    base_ref: Mapped[str] = mapped_column(SafeText)
    base: Mapped[str] = mapped_column(String(64))
    head_ref: Mapped[str] = mapped_column(SafeText)
    head: Mapped[str] = mapped_column(String(64))
    head_repository: Mapped[int | None] = mapped_column(BigInteger)
    head_name: Mapped[str | None] = mapped_column(String(201))
    author: Mapped[str] = mapped_column(String(100))
    draft: Mapped[bool]
    open: Mapped[bool]
    maintainers_edit: Mapped[bool]
    updated_at: Mapped[datetime]

    __table_args__ = (Index("pulls_by_head", "repository", "head"),)


class OutboxTaskRow(Base):
    """Something to do at GitHub; ``rank`` is its kind's place, the most urgent 0."""

    __tablename__ = "errands"

    id: Mapped[int] = mapped_column(Identity, primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    rank: Mapped[int]
    installation: Mapped[int] = mapped_column(BigInteger)
    ordering_key: Mapped[str] = mapped_column("lane", String(120))
    key: Mapped[str] = mapped_column(String(255))
    run: Mapped[str | None] = mapped_column(String(32))
    order: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(16))
    attempts: Mapped[int]
    error: Mapped[str | None] = mapped_column(SafeText)
    created_at: Mapped[datetime]
    due_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        Index("errands_by_key", "key", unique=True),
        Index("errands_waiting", "rank", "due_at", **_some(_WAITING)),
        Index("errands_in_lane", "lane", "rank", "due_at", **_some(_WAITING)),
        Index("errands_by_state", "state", "created_at"),
        Index("errands_by_installation", "installation", **_some(_WAITING)),
        # an id is never given twice: who did an errand that is gone does not end another
        {"sqlite_autoincrement": True},
    )

    def record(self) -> OutboxTaskRecord:
        """Return the row as a noun."""
        task = self.as_record(OutboxTask, kind=OutboxTaskKind(self.kind))
        return self.as_record(OutboxTaskRecord, task=task)


class LeaseRow(Base):
    """The lease of a lane: who serves it, and until when."""

    __tablename__ = "leases"

    ordering_key: Mapped[str] = mapped_column("lane", String(120), primary_key=True)
    fence: Mapped[int] = mapped_column(BigInteger)
    until: Mapped[datetime]

    __table_args__ = (Index("leases_by_end", "until"),)


class WriteSlotRow(Base):
    """The write slot of an installation: who writes, and when the next write may start."""

    __tablename__ = "slots"

    installation: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    fence: Mapped[int] = mapped_column(BigInteger)
    until: Mapped[datetime]
    next_at: Mapped[datetime]


class IdempotencyRow(Base):
    """Something created at GitHub once."""

    __tablename__ = "writings"

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    made: Mapped[str | None] = mapped_column(String(255))
    at: Mapped[datetime]

    def record(self) -> IdempotencyRecord:
        """Return the row as a noun."""
        return self.as_record(IdempotencyRecord, state=IdempotencyState(self.state))


class IgnoreRow(Base):
    """A finding that people chose not to hear of."""

    __tablename__ = "ignores"

    repository: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    fingerprint: Mapped[str] = mapped_column(String(128), primary_key=True)
    reason: Mapped[str] = mapped_column(SafeText)
    by: Mapped[str] = mapped_column(String(100))
    at: Mapped[datetime]
    until: Mapped[date | None]
    kind: Mapped[str] = mapped_column(String(16))
    target: Mapped[str | None] = mapped_column(SafeText)

    def record(self) -> IgnoreRecord:
        """Return the row as a noun."""
        return self.as_record(IgnoreRecord, kind=IgnoreKind(self.kind))


class ReviewCommentRow(Base):
    """A comment of ours about one finding."""

    __tablename__ = "remarks"

    comment: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    repository: Mapped[int] = mapped_column(BigInteger)
    pull: Mapped[int]
    fingerprint: Mapped[str] = mapped_column(String(128))
    thread: Mapped[str | None] = mapped_column(String(255))
    resolved: Mapped[bool]

    __table_args__ = (Index("remarks_by_pull", "repository", "pull"),)


class ApprovalRow(Base):
    """A commit of a fork whose code may ask paid engines."""

    __tablename__ = "approvals"

    repository: Mapped[str] = mapped_column(String(201), primary_key=True)
    head: Mapped[str] = mapped_column(String(64), primary_key=True)
    by: Mapped[str] = mapped_column(String(100))
    at: Mapped[datetime]


class WorkerRow(Base):
    """A worker, and where it stands."""

    __tablename__ = "workers"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    host: Mapped[str] = mapped_column(String(255))
    state: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(SafeText)
    layers: Mapped[list[str]]
    seen_at: Mapped[datetime]
    queues: Mapped[list[str]] = mapped_column(server_default='["cpu"]')

    def record(self) -> WorkerRecord:
        """Return the row as a noun."""
        layers, queues = tuple(self.layers), tuple(self.queues)
        state = WorkerState(self.state)
        return self.as_record(WorkerRecord, state=state, layers=layers, queues=queues)


class ReportRow(Base):
    """The report of a finished run, as the command line would print it."""

    __tablename__ = "reports"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    document: Mapped[dict[str, Any]]
