"""The life of a run: attempts under a lease, and every way to its end."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, literal, or_, select, update

from worker.store.operator_metrics import RunMetrics
from worker.store.outbox_tasks import OutboxTasks, ordering_key_of
from worker.store.records import (
    Attempt,
    Job,
    OutboxTask,
    OutboxTaskKind,
    RunBusy,
    RunOver,
    RunState,
)
from worker.store.repository_base import LONGEST_ERROR, RepositoryBase
from worker.store.schema import WAITING, OutboxTaskRow, ReportRow, RunRow, inline

QUEUED = RunRow.state == inline(RunState.QUEUED)
RUNNING = RunRow.state == inline(RunState.RUNNING)
ALIVE = RunRow.state.in_(
    [inline(RunState.PREPARING), inline(RunState.QUEUED), inline(RunState.RUNNING)]
)


class RunTransitions(RepositoryBase):
    """The one step into a state that is over."""

    def _settle(
        self,
        which: ColumnElement[bool],
        state: RunState,
        *,
        quietly: bool = False,
        **values: object,
    ) -> tuple[str, ...]:
        """End the runs ``which`` and return their ids; ``quietly`` publishes nothing."""
        statement = (
            update(RunRow)
            .where(ALIVE, which)
            .values(state=state, finished_at=self._clock(), **values)
            .returning(RunRow)
        )
        ended = self._returned(statement)
        RunMetrics(self._session, self._clock).ended(ended)
        for row in ended:
            if row.installation is not None and not quietly:
                self._ask_for(OutboxTaskKind.PUBLISH, row.id, row.job())
        return tuple(row.id for row in ended)

    def _ask_for(
        self, kind: OutboxTaskKind, run_id: str, job: Job, ordering_key: str | None = None
    ) -> None:
        assert job.installation is not None
        task = OutboxTask(
            kind=kind,
            installation=job.installation,
            ordering_key=ordering_key or ordering_key_of(job),
            key=f"{kind}:{run_id}",
            run=run_id,
        )
        OutboxTasks(self._session, self._clock).add(task)


_TRIES = RunRow.attempts - RunRow.routed
"""Attempts, less those that only found out which queue is the right one."""


def is_attemptable(now: datetime) -> ColumnElement[bool]:
    """Runs that nobody is attempting."""
    return or_(QUEUED, and_(RUNNING, RunRow.leased_until <= now))


class RunLifecycle(RunTransitions):
    """The transitions of runs, for those that carry runs out.

    An attempt's number is its fence: who has an older one changes nothing.
    """

    def start(self, run_id: str, *, lease: float, limit: int) -> Attempt | RunBusy | RunOver:
        """Begin an attempt with a lease of so many seconds, unless one is under way.

        A run that was attempted ``limit`` times without an end is given up
        as failed.
        """
        now = self._clock()
        free = and_(RunRow.id == run_id, is_attemptable(now))
        statement = (
            update(RunRow)
            .where(free, limit > _TRIES)
            .values(
                state=RunState.RUNNING,
                attempts=RunRow.attempts + 1,
                started_at=now,
                leased_until=now + timedelta(seconds=lease),
                progress=None,
            )
            .returning(RunRow)
        )
        for row in self._returned(statement):
            return Attempt(row.record(), row.attempts)
        self._settle(and_(free, limit <= _TRIES), RunState.FAILED, error=_given_up(run_id, limit))
        return self._standing(run_id, now)

    def renew(self, attempt: Attempt, lease: float) -> bool:
        """Hold a run for so many more seconds; false when it is no longer ours to do."""
        until = self._clock() + timedelta(seconds=lease)
        statement = update(RunRow).where(_held(attempt)).values(leased_until=until)
        return self._changed(statement) > 0

    def progress(self, attempt: Attempt, text: str) -> bool:
        """Say what an attempt is doing; false when it was superseded."""
        statement = update(RunRow).where(_held(attempt)).values(progress=text[:LONGEST_ERROR])
        return self._changed(statement) > 0

    def finish(self, attempt: Attempt, document: Mapping[str, Any]) -> bool:
        """Keep the report of an attempt; false when the attempt was superseded."""
        ended = self._settle(
            _held(attempt), RunState.DONE, verdict=document.get("verdict"), progress=None
        )
        if ended:
            self._put(ReportRow, {"run_id": attempt.run.id, "document": dict(document)}, "run_id")
            RunMetrics(self._session, self._clock).reported(attempt.run.id, document)
        return bool(ended)

    def fail(self, attempt: Attempt, error: str, *, refused: bool = False) -> bool:
        """End an attempt without a report; false when it was superseded.

        ``refused``: for a mistake in what was asked.
        """
        return self._fail(_held(attempt), error, refused=refused)

    def stop(self, run_id: str, error: str, *, refused: bool = False) -> bool:
        """Fail a run from outside, whatever it is at; false if over."""
        return self._fail(RunRow.id == run_id, error, refused=refused)

    def cancel(self, run_id: str, reason: str) -> bool:
        """End a run that nobody waits for any more; false if over.

        It gives its key back, so that the same can be asked for again.
        """
        return bool(self._cancel(RunRow.id == run_id, reason))

    def release(self, run_id: str) -> bool:
        """Give a run back whose attempt has died; false if it is over.

        Only for who has seen it die: the lease no longer protects it.
        """
        return bool(self._queue_again(and_(RunRow.id == run_id, RUNNING)))

    def route(self, run_id: str, queue: str, *, without_gpu: bool = False) -> bool:
        """Put a run on another queue; the attempt that found out does not count.

        ``without_gpu`` notes that no GPU came in time.  False when it neither
        waits nor runs.
        """
        waived = {"without_gpu": True} if without_gpu else {}
        routed = RunRow.routed + case((RUNNING, 1), else_=0)
        which = and_(RunRow.id == run_id, or_(QUEUED, RUNNING))
        return bool(self._queue_again(which, queue=queue, routed=routed, **waived))

    def expired(self, limit_attempts: int) -> tuple[str, ...]:
        """Settle the runs whose lease has ended; return those that wait again.

        One that was attempted ``limit_attempts`` times is given up as failed,
        and so is one whose clone nobody is going to make any more.
        """
        ended = and_(RUNNING, RunRow.leased_until <= self._clock())
        lost = select(RunRow.id).where(ended, limit_attempts <= _TRIES)
        for run_id in self._session.scalars(lost).all():
            self._settle(
                and_(RunRow.id == run_id, ended),
                RunState.FAILED,
                error=_given_up(run_id, limit_attempts),
            )
        self._give_up_preparing()
        return self._queue_again(and_(ended, limit_attempts > _TRIES))

    def _give_up_preparing(self) -> None:
        preparing = RunRow.state == inline(RunState.PREPARING)
        waits = exists().where(
            OutboxTaskRow.key == literal(f"{OutboxTaskKind.PREPARE}:").concat(RunRow.id),
            OutboxTaskRow.state == inline(WAITING),
        )
        for run_id in self._session.scalars(select(RunRow.id).where(preparing, ~waits)).all():
            error = f"its commits could not be fetched (incident {run_id[:12]})"
            self._settle(and_(RunRow.id == run_id, preparing, ~waits), RunState.FAILED, error=error)

    def _cancel(
        self, which: ColumnElement[bool], reason: str, *, quietly: bool = False
    ) -> tuple[str, ...]:
        error = reason[:LONGEST_ERROR]
        return self._settle(which, RunState.CANCELLED, quietly=quietly, error=error, key=None)

    def _fail(self, which: ColumnElement[bool], error: str, *, refused: bool) -> bool:
        said = error[:LONGEST_ERROR]
        return bool(self._settle(which, RunState.FAILED, error=said, refused=refused))

    def _queue_again(self, which: ColumnElement[bool], **values: object) -> tuple[str, ...]:
        statement = (
            update(RunRow)
            .where(which)
            .values(
                state=RunState.QUEUED,
                enqueued_at=None,
                queued_at=self._clock(),
                leased_until=None,
                progress=None,
                **values,
            )
            .returning(RunRow)
        )
        return tuple(row.id for row in self._returned(statement))

    def _standing(self, run_id: str, now: datetime) -> RunBusy | RunOver:
        row = self._one(select(RunRow).where(RunRow.id == run_id))
        if row is None:
            return RunOver("unknown run")
        if row.state == RunState.RUNNING and row.leased_until is not None:
            return RunBusy(max(0.0, (row.leased_until - now).total_seconds()))
        if row.state == RunState.PREPARING:
            return RunOver("it is not prepared yet")
        return RunOver(row.error or row.state)


def _held(attempt: Attempt) -> ColumnElement[bool]:
    return and_(RunRow.id == attempt.run.id, RUNNING, RunRow.attempts == attempt.number)


def _given_up(run_id: str, limit: int) -> str:
    return f"given up after {limit} attempts that did not end (incident {run_id[:12]})"
