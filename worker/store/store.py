"""The store: one database, in transactions."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Self

from sqlalchemy import text
from sqlalchemy.orm import Session

from worker.store.column_types import Clock, utc_now
from worker.store.coordination import Leases, WorkerRegistry, WriteSlots
from worker.store.database import open_engine, reading_engine, writing_engine
from worker.store.deliveries import Deliveries
from worker.store.finding_decisions import Ignores, ReviewComments
from worker.store.github_objects import Approvals, Installations, Pulls
from worker.store.operator_metrics import Counters, RunMetrics
from worker.store.outbox_tasks import IdempotencyRecords, OutboxTasks
from worker.store.run_listing import RunListing
from worker.store.runs import Runs


class UnitOfWork:
    """A room for each kind of thing; all of them share one transaction."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self.deliveries = Deliveries(session, clock)
        self.installations = Installations(session, clock)
        self.pulls = Pulls(session, clock)
        self.runs = Runs(session, clock)
        self.listing = RunListing(session, clock)
        self.outbox_tasks = OutboxTasks(session, clock)
        self.leases = Leases(session, clock)
        self.slots = WriteSlots(session, clock)
        self.idempotency = IdempotencyRecords(session, clock)
        self.ignores = Ignores(session, clock)
        self.review_comments = ReviewComments(session, clock)
        self.approvals = Approvals(session, clock)
        self.workers_present = WorkerRegistry(session, clock)
        self.run_metrics = RunMetrics(session, clock)
        self.counters = Counters(session, clock)


class Store:
    """The database at ``url``; ``clock`` tells the time.

    Raises ``sqlalchemy.exc.SQLAlchemyError`` when the database is out of
    reach.
    """

    def __init__(self, url: str, clock: Clock = utc_now) -> None:
        self._engine = open_engine(url)
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def ping(self) -> None:
        """Return when the database answers."""
        with self._engine.connect() as connection:
            connection.execute(text("SELECT 1 FROM runs LIMIT 1"))

    @contextmanager
    def write(self) -> Generator[UnitOfWork]:
        """Write: all of it is kept at the end, or nothing after an exception.

        On SQLite one writes at a time, and others wait for it.
        """
        with (
            Session(writing_engine(self._engine), expire_on_commit=False) as session,
            session.begin(),
        ):
            yield UnitOfWork(session, self._clock)

    @contextmanager
    def read(self) -> Generator[UnitOfWork]:
        """Read; whoever writes here gets an error."""
        with Session(reading_engine(self._engine), expire_on_commit=False) as session:
            yield UnitOfWork(session, self._clock)
