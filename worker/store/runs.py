"""Runs: asked for once, carried out under a lease, ended once."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, update

from worker.store.attempts import Attempts
from worker.store.errands import Errands
from worker.store.lanes import clone_lane, lane_of
from worker.store.looks import Looks
from worker.store.records import ErrandKind, Job, Policy, RunRecord, RunState
from worker.store.schema import ReportRow, RepositoryRow, RunRow, run_values


class Runs(Attempts, Looks):
    """A row for each run.

    Every end of a run that comes from an installation adds its ``PUBLISH``
    errand in the same transaction.
    """

    def ask(self, job: Job, *, supersede: bool = False) -> RunRecord | None:
        """Create the run of a job, ``None`` when its key is taken.

        A job with an installation is prepared first: its ``ANNOUNCE`` and
        ``PREPARE`` errands are added.  ``supersede`` cancels the runs of the
        same pull request that are not over and have another head.  Raises
        ``ValueError`` for a job with an installation and no repository_id.
        """
        if supersede and self._is_postgresql:
            lock = func.pg_advisory_xact_lock(func.hashtextextended(lane_of(job), 0))
            self._session.execute(select(lock))
        run_id, now = uuid.uuid4().hex, self._clock()
        ready = job.installation is None
        state = {
            "state": RunState.QUEUED if ready else RunState.PREPARING,
            "queued_at": now if ready else None,
            "created_at": now,
            "attempts": 0,
        }
        if not self._add_once(RunRow, {"id": run_id, **state, **run_values(job)}, "key"):
            return None
        if not ready:
            self._ask_for(ErrandKind.ANNOUNCE, run_id, job)
            self._ask_for(ErrandKind.PREPARE, run_id, job, clone_lane(run_id))
        if supersede:
            self._supersede(job)
        return self.get(run_id)

    def announced(self, run_id: str, check_run: int) -> None:
        """Note the check run that shows a run."""
        self._changed(update(RunRow).where(RunRow.id == run_id).values(check_run=check_run))

    def prepared(self, run_id: str) -> bool:
        """Let a run whose clone is there wait for a worker; false if it is not preparing."""
        which = and_(RunRow.id == run_id, RunRow.state == RunState.PREPARING)
        return bool(self._queue_again(which))

    def mark_enqueued(self, run_id: str) -> None:
        """Note that the queue has taken a run."""
        statement = update(RunRow).where(RunRow.id == run_id).values(enqueued_at=self._clock())
        self._changed(statement)

    def decide(self, run_id: str, policy: Policy) -> None:
        """Keep what the maintainers of a run's repository decide."""
        self._changed(update(RunRow).where(RunRow.id == run_id).values(policy=asdict(policy)))

    def cancel_pull(self, repository: int, pull: int, reason: str) -> tuple[str, ...]:
        """Cancel the runs of a pull request that are not over; return their ids."""
        return self._cancel(and_(RunRow.repository_id == repository, RunRow.pull == pull), reason)

    def abandon(self, installation: int, reason: str) -> tuple[str, ...]:
        """Cancel the runs of an installation that is gone; nothing can be published."""
        return self._abandon(RunRow.installation == installation, reason)

    def abandon_repository(self, repository: int, reason: str) -> tuple[str, ...]:
        """Cancel the runs of a repository that is gone; nothing can be published."""
        return self._abandon(RunRow.repository_id == repository, reason)

    def older(self, before: datetime, limit: int = 500) -> tuple[str, ...]:
        """Return runs that ended before, the oldest first: their files can go."""
        query = (
            select(RunRow.id)
            .where(RunRow.finished_at < before)
            .order_by(RunRow.created_at)
            .limit(limit)
        )
        return tuple(self._session.scalars(query))

    def orphaned(self, limit: int = 500) -> tuple[tuple[str, str], ...]:
        """Return ended runs whose repository was forgotten, each with its name then."""
        seen = exists().where(RepositoryRow.id == RunRow.repository_id)
        query = (
            select(RunRow.id, RunRow.repository)
            .where(RunRow.finished_at.is_not(None), RunRow.installation.is_not(None), ~seen)
            .order_by(RunRow.created_at)
            .limit(limit)
        )
        return tuple((run_id, name) for run_id, name in self._session.execute(query))

    def forget_reports(self, repository: int) -> None:
        """Delete what was found in a repository; its runs go with their files, later."""
        mine = select(RunRow.id).where(RunRow.repository_id == repository)
        self._changed(delete(ReportRow).where(ReportRow.run_id.in_(mine)))

    def delete(self, run_id: str) -> None:
        """Delete a run that is over, and its report."""
        over = or_(*(RunRow.state == state for state in RunState if state.over))
        known = select(RunRow.id).where(RunRow.id == run_id, over)
        self._changed(delete(ReportRow).where(ReportRow.run_id.in_(known)))
        self._changed(delete(RunRow).where(RunRow.id == run_id, over))

    def _abandon(self, which: ColumnElement[bool], reason: str) -> tuple[str, ...]:
        ended = self._cancel(which, reason, quietly=True)
        Errands(self._session, self._clock).drop_runs(ended)
        return ended

    def _supersede(self, job: Job) -> None:
        head = job.head or ""
        if job.pull is None or job.repository_id is None:
            return
        others = and_(
            RunRow.repository_id == job.repository_id,
            RunRow.pull == job.pull,
            func.coalesce(RunRow.head, "") != head,
        )
        self._cancel(others, f"superseded by {head[:7]}")
