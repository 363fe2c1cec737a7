"""Which runs there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, ColumnExpressionArgument, and_, func, select

from worker.store.records import Policy, RunRecord, RunState
from worker.store.room import Room
from worker.store.schema import ReportRow, RunRow
from worker.store.settling import ALIVE, QUEUED, RUNNING

QUEUES = ("cpu", "gpu")
_MOST_STRANDED = 1000


class Looks(Room):
    """What is asked about runs."""

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
        query = (
            select(RunRow)
            .where(RunRow.repository_id == repository, RunRow.head == sha)
            .order_by(RunRow.created_at.desc())
        )
        return tuple(row.record() for row in self._all(query))

    def of_pull(self, repository: int, pull: int) -> tuple[RunRecord, ...]:
        """Return the runs of a pull request, the newest first."""
        query = (
            select(RunRow)
            .where(RunRow.repository_id == repository, RunRow.pull == pull)
            .order_by(RunRow.created_at.desc())
        )
        return tuple(row.record() for row in self._all(query))

    def by_check_run(self, check_run: int) -> RunRecord | None:
        """Return the run that is shown as this check run."""
        return self._run(RunRow.check_run == check_run)

    def alive(self) -> tuple[RunRecord, ...]:
        """Return the runs that are not over, the oldest first."""
        query = select(RunRow).where(ALIVE).order_by(RunRow.created_at)
        return tuple(row.record() for row in self._all(query))

    def recent(self, count: int = 20, *, private: bool = True) -> tuple[RunRecord, ...]:
        """Return the newest runs, newest first; ``private=False`` omits those."""
        query = select(RunRow).order_by(RunRow.created_at.desc()).limit(count)
        if not private:
            query = query.where(RunRow.private.is_(False))
        return tuple(row.record() for row in self._all(query))

    def count(self) -> dict[RunState, int]:
        """Count the runs in each state."""
        query = select(RunRow.state, func.count()).group_by(RunRow.state)
        found = {RunState(state): int(count) for state, count in self._session.execute(query)}
        return {state: found.get(state, 0) for state in RunState}

    def waiting(self) -> dict[str, int]:
        """Count the runs that wait on each queue."""
        query = select(RunRow.queue, func.count()).where(QUEUED).group_by(RunRow.queue)
        found = {str(queue): int(count) for queue, count in self._session.execute(query)}
        return {queue: found.get(queue, 0) for queue in QUEUES}

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

    def _newest(self, which: ColumnElement[bool]) -> RunRow | None:
        return self._one(select(RunRow).where(which).order_by(RunRow.created_at.desc()))

    def _first(
        self, which: ColumnElement[bool], by: ColumnExpressionArgument[Any]
    ) -> RunRow | None:
        return self._one(select(RunRow).where(which).order_by(by))


def _policy(kept: Mapping[str, Any]) -> Policy:
    commands = kept["commands"]
    return Policy(
        gate=kept["gate"],
        fail_open=kept["fail_open"],
        inline_comments=kept["inline_comments"],
        commands=tuple(commands) if isinstance(commands, list) else commands,
        inputs=kept.get("inputs", Policy().inputs),
    )
