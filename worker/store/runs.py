"""Runs: asked for once, carried out under a lease, ended once."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    ColumnExpressionArgument,
    Select,
    and_,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)

from worker.store.outbox_tasks import OutboxTasks, clone_ordering_key, ordering_key_of
from worker.store.records import Job, OutboxTaskKind, Policy, RunRecord, RunState
from worker.store.repository_base import RepositoryBase
from worker.store.run_lifecycle import ALIVE, QUEUED, RUNNING, RunLifecycle
from worker.store.schema import ReportRow, RepositoryRow, RunRow, run_values

QUEUES = ("cpu", "gpu")
_MOST_STRANDED = 1000


class RunQueries(RepositoryBase):
    """The queries about runs."""

    def get(self, run_id: str) -> RunRecord | None:
        """Return one run, if it exists."""
        return self._run(RunRow.id == run_id)

    def keyed(self, key: str) -> str | None:
        """Return the id of the run that has a key."""
        return self._session.scalar(select(RunRow.id).where(RunRow.key == key))

    def report(self, run_id: str) -> Mapping[str, Any] | None:
        """Return the report of a finished run."""
        row = self._one(select(ReportRow).where(ReportRow.run_id == run_id))
        return None if row is None else row.document

    def latest(self, repository: int, pull: int) -> RunRecord | None:
        """Return the newest run of a pull request that was not cancelled."""
        return self._run(
            and_(
                RunRow.repository_id == repository,
                RunRow.pull == pull,
                RunRow.state != RunState.CANCELLED,
            )
        )

    def of_head(self, repository: int, sha: str) -> tuple[RunRecord, ...]:
        """Return the runs of a commit, the newest first."""
        mine = select(RunRow).where(RunRow.repository_id == repository, RunRow.head == sha)
        return self._found(mine.order_by(RunRow.created_at.desc()))

    def of_pull(self, repository: int, pull: int) -> tuple[RunRecord, ...]:
        """Return the runs of a pull request, the newest first."""
        mine = select(RunRow).where(RunRow.repository_id == repository, RunRow.pull == pull)
        return self._found(mine.order_by(RunRow.created_at.desc()))

    def by_check_run(self, check_run: int) -> RunRecord | None:
        """Return the run that is shown as this check run."""
        return self._run(RunRow.check_run == check_run)

    def alive(self) -> tuple[RunRecord, ...]:
        """Return the runs that are not over, the oldest first."""
        query = select(RunRow).where(ALIVE).order_by(RunRow.created_at)
        return self._found(query)

    def recent(self, count: int = 20, *, private: bool = True) -> tuple[RunRecord, ...]:
        """Return the newest runs, newest first; ``private=False`` omits those."""
        query = select(RunRow).order_by(RunRow.created_at.desc()).limit(count)
        if not private:
            query = query.where(RunRow.private.is_(False))
        return self._found(query)

    def count(self) -> dict[RunState, int]:
        """Count the runs in each state."""
        query = select(RunRow.state, func.count()).group_by(RunRow.state)
        found = {RunState(state): int(count) for state, count in self._session.execute(query)}
        return {state: found.get(state, 0) for state in RunState}

    def next(self, queues: Sequence[str] = QUEUES) -> str | None:
        """Find the oldest run on these queues that nobody is attempting."""
        ended = and_(RUNNING, RunRow.leased_until <= self._clock())
        first = [
            row
            for queue in queues
            for free, age in ((QUEUED, RunRow.created_at), (ended, RunRow.leased_until))
            if (row := self._first(and_(free, RunRow.queue == queue), age)) is not None
        ]
        return min(first, key=lambda row: row.created_at).id if first else None

    def stranded(self, *, unsent: float = 10, unheard: float = 3600) -> tuple[str, ...]:
        """Find the runs that the queue should be told of again.

        Those which it never took, after ``unsent`` seconds, and those which
        it took ``unheard`` seconds ago and nobody is attempting.
        """
        now = self._clock()
        waits = func.coalesce(RunRow.queued_at, RunRow.created_at)
        unsent_since, unheard_since = (now - timedelta(seconds=age) for age in (unsent, unheard))
        forgotten = (
            and_(RunRow.enqueued_at.is_(None), waits < unsent_since),
            RunRow.enqueued_at < unheard_since,
        )
        ended = and_(RUNNING, RunRow.leased_until <= now)
        found = [
            row
            for free in (QUEUED, ended)
            for since in forgotten
            for row in self._all(select(RunRow).where(free, since).limit(_MOST_STRANDED))
        ]
        return tuple(row.id for row in sorted(found, key=lambda row: row.created_at))

    def overdue(self, queue: str, seconds: float) -> tuple[str, ...]:
        """Find the runs that have waited on a queue for so many seconds."""
        since = self._clock() - timedelta(seconds=seconds)
        waits = func.coalesce(RunRow.queued_at, RunRow.created_at)
        query = (
            select(RunRow.id)
            .where(QUEUED, RunRow.queue == queue, waits <= since)
            .order_by(RunRow.created_at)
        )
        return tuple(self._session.scalars(query))

    def unannounced(self, seconds: float) -> int:
        """Count the runs under way that GitHub shows nothing of after so many seconds."""
        query = (
            select(func.count())
            .select_from(RunRow)
            .where(
                ALIVE,
                RunRow.check_run.is_(None),
                RunRow.installation.is_not(None),
                RunRow.created_at <= self._clock() - timedelta(seconds=seconds),
            )
        )
        return self._session.scalar(query) or 0

    def policy(self, run_id: str) -> Policy:
        """Return what the maintainers decide: for this run, else last, else by default.

        That outages may pass is believed for the same base commit only: who
        opens a pull request chooses its base branch, and can keep a run from
        being prepared.
        """
        row = self._one(select(RunRow).where(RunRow.id == run_id))
        if row is not None and row.policy is not None:
            return _policy(row.policy)
        if row is None or row.repository_id is None:
            return Policy()
        decided = and_(RunRow.repository_id == row.repository_id, RunRow.policy.is_not(None))
        same = self._newest(and_(decided, RunRow.base == row.base))
        if same is not None and same.policy is not None:
            return _policy(same.policy)
        return replace(self.policy_of(row.repository_id), fail_open=False)

    def policy_of(self, repository: int) -> Policy:
        """Return what the maintainers of a repository decided last."""
        decided = and_(RunRow.repository_id == repository, RunRow.policy.is_not(None))
        row = self._newest(decided)
        return Policy() if row is None or row.policy is None else _policy(row.policy)

    def _run(self, which: ColumnElement[bool]) -> RunRecord | None:
        row = self._newest(which)
        return None if row is None else row.record()

    def _found(self, query: Select[RunRow]) -> tuple[RunRecord, ...]:
        return tuple(row.record() for row in self._all(query))

    def _newest(self, which: ColumnElement[bool]) -> RunRow | None:
        return self._one(select(RunRow).where(which).order_by(RunRow.created_at.desc()))

    def _first(
        self, which: ColumnElement[bool], by: ColumnExpressionArgument[Any]
    ) -> RunRow | None:
        return self._one(select(RunRow).where(which).order_by(by))


def _policy(kept: dict[str, Any]) -> Policy:
    policy = Policy(**kept)
    # JSON knows no tuples
    who = policy.commands if isinstance(policy.commands, str) else tuple(policy.commands)
    return replace(policy, commands=who)


class Runs(RunLifecycle, RunQueries):
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
            lock = func.pg_advisory_xact_lock(func.hashtextextended(ordering_key_of(job), 0))
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
            self._ask_for(OutboxTaskKind.ANNOUNCE, run_id, job)
            self._ask_for(OutboxTaskKind.PREPARE, run_id, job, clone_ordering_key(run_id))
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
        OutboxTasks(self._session, self._clock).drop_runs(ended)
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
