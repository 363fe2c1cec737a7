"""The store: small atomic steps over one database."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Self, cast

from sqlalchemy import (
    ColumnElement,
    CursorResult,
    Update,
    and_,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from worker.store.engine import open_engine
from worker.store.records import (
    Approval,
    Attempt,
    Busy,
    Delivery,
    Job,
    Over,
    Recorded,
    RunRecord,
    RunState,
)
from worker.store.roster import Roster
from worker.store.schema import ApprovalRow, DeliveryRow, ReportRow, RunRow

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class Store:
    """Deliveries, runs and reports in the database at ``url``.

    Every method is one transaction, and every transaction that writes
    begins with its write, so two SQLite writers wait for each other instead
    of failing.  Raises ``sqlalchemy.exc.SQLAlchemyError`` when the database
    is out of reach.
    """

    def __init__(self, url: str) -> None:
        self._engine = open_engine(url)
        self.roster = Roster(self._engine)

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

    # ------------------------------------------------------------- arrival

    def record_delivery(self, delivery: Delivery, job: Job | None = None) -> Recorded:
        """Keep a delivery, and the run it asks for, once.

        The delivery's id and the run are inserted together or not at all,
        so of two copies of an event exactly one creates a run.
        """
        try:
            with Session(self._engine) as session, session.begin():
                run = None if job is None else _insert_run(session, job)
                session.add(
                    DeliveryRow(
                        id=delivery.id,
                        event=delivery.event,
                        action=delivery.action,
                        digest=delivery.digest,
                        received_at=_now(),
                        run_id=run,
                    )
                )
        except IntegrityError:
            return self._seen_before(delivery.id)
        return Recorded(fresh=True, run=run)

    def create_run(self, job: Job) -> str:
        """Create a queued run and return its id."""
        with Session(self._engine) as session, session.begin():
            return _insert_run(session, job)

    def mark_enqueued(self, run_id: str) -> None:
        """Note that the queue has taken a run."""
        self._update(update(RunRow).where(RunRow.id == run_id).values(enqueued_at=_now()))

    # ------------------------------------------------------------ progress

    def start_run(self, run_id: str, *, lease: float, limit: int) -> Attempt | Busy | Over:
        """Begin an attempt of at most ``lease`` seconds, unless one is under way.

        A run that was attempted ``limit`` times without an end is given up
        as failed.
        """
        now = _now()
        free = and_(RunRow.id == run_id, _attemptable(now))
        started = self._update(
            update(RunRow)
            .where(free, RunRow.attempts < limit)
            .values(
                state=RunState.RUNNING,
                attempts=RunRow.attempts + 1,
                started_at=now,
                leased_until=now + timedelta(seconds=lease),
            )
        )
        if not started:
            self._update(
                update(RunRow)
                .where(free, RunRow.attempts >= limit)
                .values(
                    state=RunState.FAILED,
                    finished_at=now,
                    error=f"given up after {limit} attempts that did not end"
                    f" (incident {run_id[:12]})",
                )
            )
        return self._standing(run_id, now, started=bool(started))

    def finish_run(self, attempt: Attempt, document: Mapping[str, Any]) -> bool:
        """Keep the report of an attempt; false when the attempt was superseded."""
        with Session(self._engine) as session, session.begin():
            finished = _rows(
                session.execute(
                    _ending(attempt).values(
                        state=RunState.DONE,
                        finished_at=_now(),
                        verdict=document.get("verdict"),
                    )
                )
            )
            if finished:
                session.add(ReportRow(run_id=attempt.run.id, document=dict(document)))
        return bool(finished)

    def fail_run(self, attempt: Attempt, error: str) -> bool:
        """End an attempt without a report; false when it was superseded."""
        return bool(
            self._update(
                _ending(attempt).values(state=RunState.FAILED, finished_at=_now(), error=error)
            )
        )

    def stop_run(self, run_id: str, error: str) -> bool:
        """Fail a run whose attempt was stopped from outside; false if over."""
        return bool(
            self._update(
                update(RunRow)
                .where(RunRow.id == run_id, RunRow.state == RunState.RUNNING)
                .values(state=RunState.FAILED, finished_at=_now(), error=error)
            )
        )

    def release_run(self, run_id: str) -> bool:
        """Give a run back whose attempt has died; false if it is over.

        Only for who has seen it die: the lease no longer protects it.
        """
        return bool(
            self._update(
                update(RunRow)
                .where(RunRow.id == run_id, RunRow.state == RunState.RUNNING)
                .values(state=RunState.QUEUED, enqueued_at=None)
            )
        )

    # ------------------------------------------------------------ approval

    def approve(self, repository: str, head: str, by: str) -> Approval:
        """Let one commit of a fork ask paid engines; the first approval stands.

        ``by`` is the login of a person whose right to write was checked.
        Raises ``ValueError`` for anything but a full commit id.
        """
        if not _COMMIT.fullmatch(head):
            raise ValueError("an approval names a full commit id")
        with suppress(IntegrityError), Session(self._engine) as session, session.begin():
            session.add(ApprovalRow(repository=repository, head=head, by=by[:100], at=_now()))
        approval = self.approval(repository, head)
        assert approval is not None
        return approval

    def approval(self, repository: str, head: str | None) -> Approval | None:
        """Who approved exactly this commit for this repository, if anyone has."""
        with Session(self._engine) as session:
            row = None if head is None else session.get(ApprovalRow, (repository, head))
            return None if row is None else row.record()

    # ------------------------------------------------------------- looking

    def run(self, run_id: str) -> RunRecord | None:
        """Return one run, if it exists."""
        with Session(self._engine) as session:
            row = session.get(RunRow, run_id)
            return None if row is None else row.record()

    def report(self, run_id: str) -> Mapping[str, Any] | None:
        """Return the report of a finished run."""
        with Session(self._engine) as session:
            row = session.get(ReportRow, run_id)
            return None if row is None else row.document

    def latest_runs(self, count: int = 20, *, private: bool = True) -> tuple[RunRecord, ...]:
        """Return the newest runs, newest first; ``private=False`` omits those."""
        query = select(RunRow).order_by(RunRow.created_at.desc()).limit(count)
        if not private:
            query = query.where(RunRow.private.is_(False))
        with Session(self._engine) as session:
            return tuple(row.record() for row in session.scalars(query))

    def count_runs(self) -> dict[RunState, int]:
        """Count the runs in each state."""
        query = select(RunRow.state, func.count()).group_by(RunRow.state)
        with self._engine.connect() as connection:
            found = {RunState(row[0]): row[1] for row in connection.execute(query)}
        return {state: found.get(state, 0) for state in RunState}

    def next_run(self) -> str | None:
        """Find the oldest run that nobody is attempting."""
        query = select(RunRow.id).where(_attemptable(_now())).order_by(RunRow.created_at).limit(1)
        with Session(self._engine) as session:
            return session.scalar(query)

    def stranded_runs(self, *, unsent: float = 10, unheard: float = 3600) -> tuple[str, ...]:
        """Find the runs that the queue should be told of again.

        Those which it never took, after ``unsent`` seconds, and those which
        it took ``unheard`` seconds ago and nobody is attempting.
        """
        now = _now()
        forgotten = or_(
            and_(
                RunRow.enqueued_at.is_(None),
                RunRow.created_at < now - timedelta(seconds=unsent),
            ),
            RunRow.enqueued_at < now - timedelta(seconds=unheard),
        )
        query = select(RunRow.id).where(_attemptable(now), forgotten).order_by(RunRow.created_at)
        with Session(self._engine) as session:
            return tuple(session.scalars(query))

    # ------------------------------------------------------------ in short

    def _seen_before(self, delivery_id: str) -> Recorded:
        with Session(self._engine) as session:
            row = session.get_one(DeliveryRow, delivery_id)
            return Recorded(fresh=False, run=row.run_id)

    def _standing(self, run_id: str, now: datetime, *, started: bool) -> Attempt | Busy | Over:
        with Session(self._engine) as session:
            row = session.get(RunRow, run_id)
            if row is None:
                return Over("unknown run")
            if started:
                return Attempt(row.record(), row.attempts)
            if row.state == RunState.RUNNING and row.leased_until is not None:
                return Busy(max(0.0, (row.leased_until - now).total_seconds()))
            return Over(row.error or row.state)

    def _update(self, statement: Update) -> int:
        with Session(self._engine) as session, session.begin():
            return _rows(session.execute(statement))


def _now() -> datetime:
    return datetime.now(UTC)


def _rows(result: object) -> int:
    return cast("CursorResult[Any]", result).rowcount


def _insert_run(session: Session, job: Job) -> str:
    run_id = uuid.uuid4().hex
    session.add(
        RunRow(
            id=run_id,
            repository=job.repository,
            base=job.base,
            head=job.head,
            reason=job.reason,
            private=job.private,
            fork=job.fork,
            state=RunState.QUEUED,
            created_at=_now(),
        )
    )
    session.flush()
    return run_id


def _attemptable(now: datetime) -> ColumnElement[bool]:
    return or_(
        RunRow.state == RunState.QUEUED,
        and_(RunRow.state == RunState.RUNNING, RunRow.leased_until <= now),
    )


def _ending(attempt: Attempt) -> Update:
    return update(RunRow).where(
        RunRow.id == attempt.run.id,
        RunRow.state == RunState.RUNNING,
        RunRow.attempts == attempt.number,
    )
