"""Outbox tasks at GitHub, with their ordering keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, func, or_, select, update

from worker.store.operator_metrics import RunMetrics
from worker.store.records import (
    IdempotencyRecord,
    IdempotencyState,
    Job,
    OutboxTask,
    OutboxTaskKind,
    OutboxTaskRecord,
    RunRecord,
)
from worker.store.repository_base import LONGEST_ERROR, RepositoryBase
from worker.store.schema import DEAD, DONE, WAITING, IdempotencyRow, LeaseRow, OutboxTaskRow, inline

APP_ORDERING_KEY = "app"


def pull_ordering_key(repository: int, number: int) -> str:
    """Whatever writes to a pull request."""
    return f"pull:{repository}:{number}"


def head_ordering_key(repository: int, sha: str) -> str:
    """Whatever writes to a commit outside of pull requests."""
    return f"head:{repository}:{sha}"


def clone_ordering_key(run_id: str) -> str:
    """A run's clone; it writes nothing to GitHub."""
    return f"clone:{run_id}"


def audit_ordering_key(repository: int) -> str:
    """A repository's audit."""
    return f"audit:{repository}"


def ordering_key_of(job: Job) -> str:
    """Return the lane in which a job's answers are written.

    Raises ``ValueError`` for a job that comes from no repository at GitHub.
    """
    if job.repository_id is None:
        raise ValueError("a job that is answered at GitHub has a repository_id")
    if job.pull is not None:
        return pull_ordering_key(job.repository_id, job.pull)
    return head_ordering_key(job.repository_id, job.head or "")


class IdempotencyRecords(RepositoryBase):
    """A row for each thing that was, or may have been, created.

    Rows stay: a sticky comment is as old as its pull request.
    """

    def get(self, key: str) -> IdempotencyRecord | None:
        """Return what is known of a writing."""
        row = self._one(select(IdempotencyRow).where(IdempotencyRow.key == key))
        return None if row is None else row.record()

    def intend(self, key: str) -> None:
        """Note that something is about to be created, unless that is known."""
        values = {"key": key, "state": IdempotencyState.INTENDED, "at": self._clock()}
        self._add_once(IdempotencyRow, values, "key")

    def done(self, key: str, made: str) -> None:
        """Note what GitHub calls what was created."""
        values = {"key": key, "state": IdempotencyState.DONE, "made": made, "at": self._clock()}
        self._put(IdempotencyRow, values, "key")

    def forget(self, key: str) -> None:
        """Forget a writing that was refused or is gone: it may be created again."""
        self._changed(delete(IdempotencyRow).where(IdempotencyRow.key == key))


_RANKS = {kind: rank for rank, kind in enumerate(OutboxTaskKind)}
_WAITS = OutboxTaskRow.state == inline(WAITING)
_LOOK_AHEAD = 8
"""How many due errands are looked at for each lane that is wanted."""


class OutboxTasks(RepositoryBase):
    """A row for each errand; its key is remembered after it is done."""

    def add(self, task: OutboxTask, *, due: datetime | None = None) -> bool:
        """Keep an errand, to be done from ``due`` on; false when its key is taken."""
        now = self._clock()
        values = {
            "kind": task.kind,
            "rank": _RANKS[task.kind],
            "installation": task.installation,
            "lane": task.ordering_key,
            "key": task.key,
            "run": task.run,
            "order": dict(task.order),
            "state": WAITING,
            "attempts": 0,
            "created_at": now,
            "due_at": due or now,
        }
        return self._add_once(OutboxTaskRow, values, "key")

    def add_for(
        self, kind: OutboxTaskKind, run: RunRecord, why: str, installation: int | None = None
    ) -> None:
        """Keep a task about a run, once for each ``why``.

        None for a run that nobody at GitHub asked for.  ``installation`` is by
        default the one that asked.
        """
        installation = installation or run.job.installation
        if installation is not None:
            key = f"{kind}:{run.id}:{why}"
            self.add(OutboxTask(kind, installation, ordering_key_of(run.job), key, run=run.id))

    def knows(self, key: str) -> bool:
        """Return whether an errand of that key was ever added, and is not forgotten."""
        return (
            self._session.scalar(select(OutboxTaskRow.id).where(OutboxTaskRow.key == key))
            is not None
        )

    def ordering_keys(self, limit: int = 16) -> tuple[str, ...]:
        """Return lanes with due errands that nobody leases, the most urgent first."""
        now = self._clock()
        leased = exists().where(
            LeaseRow.ordering_key == OutboxTaskRow.ordering_key, LeaseRow.until > now
        )
        query = (
            select(OutboxTaskRow.ordering_key)
            .where(_WAITS, OutboxTaskRow.due_at <= now, ~leased)
            .order_by(OutboxTaskRow.rank, OutboxTaskRow.due_at)
            .limit(limit * _LOOK_AHEAD)
        )
        return tuple(dict.fromkeys(self._session.scalars(query)))[:limit]

    def next(self, ordering_key: str) -> OutboxTaskRecord | None:
        """Return the due errand of a lane that comes first: by kind, then by age."""
        query = (
            select(OutboxTaskRow)
            .where(
                OutboxTaskRow.ordering_key == ordering_key,
                _WAITS,
                OutboxTaskRow.due_at <= self._clock(),
            )
            .order_by(OutboxTaskRow.rank, OutboxTaskRow.id)
        )
        row = self._one(query)
        return None if row is None else row.record()

    def done(self, errand_id: int) -> bool:
        """Note that an errand is done; its order is forgotten.  False when it was."""
        ended = self._end(errand_id, state=DONE, error=None, order={})
        if ended:
            RunMetrics(self._session, self._clock).published(errand_id)
        return ended

    def again(self, errand_id: int, error: str, *, at: datetime, counted: bool = True) -> bool:
        """Do an errand again from ``at`` on; false when it waits no more."""
        statement = (
            update(OutboxTaskRow)
            .where(OutboxTaskRow.id == errand_id, _WAITS)
            .values(
                due_at=at,
                error=error[:LONGEST_ERROR],
                attempts=OutboxTaskRow.attempts + int(counted),
            )
        )
        return self._changed(statement) > 0

    def give_up(self, errand_id: int, error: str) -> bool:
        """Give an errand up; it is kept and counted.  False when it waits no more."""
        return self._end(errand_id, state=DEAD, error=error[:LONGEST_ERROR])

    def get(self, errand_id: int) -> OutboxTaskRecord | None:
        """Return one errand, if it is known."""
        row = self._one(select(OutboxTaskRow).where(OutboxTaskRow.id == errand_id))
        return None if row is None else row.record()

    def drop(self, installation: int) -> int:
        """Forget the errands of an installation that wait."""
        return self._changed(
            delete(OutboxTaskRow).where(OutboxTaskRow.installation == installation, _WAITS)
        )

    def drop_runs(self, runs: Sequence[str]) -> int:
        """Forget the errands of these runs that wait."""
        return self._changed(delete(OutboxTaskRow).where(_WAITS, OutboxTaskRow.run.in_(runs)))

    def drop_repository(self, repository: int) -> int:
        """Forget the errands in lanes of a repository that wait."""
        mine = or_(
            OutboxTaskRow.ordering_key.startswith(
                pull_ordering_key(repository, 0).removesuffix("0")
            ),
            OutboxTaskRow.ordering_key.startswith(head_ordering_key(repository, "")),
            OutboxTaskRow.ordering_key == audit_ordering_key(repository),
        )
        return self._changed(delete(OutboxTaskRow).where(_WAITS, mine))

    def purge(self, before: datetime) -> int:
        """Delete those that were done before, and their keys with them."""
        return self._changed(
            delete(OutboxTaskRow).where(
                OutboxTaskRow.state == DONE, OutboxTaskRow.ended_at < before
            )
        )

    def count(self) -> dict[str, int]:
        """Count those that wait and those that were given up."""
        query = (
            select(OutboxTaskRow.state, func.count())
            .where(OutboxTaskRow.state.in_((WAITING, DEAD)))
            .group_by(OutboxTaskRow.state)
        )
        found = {str(state): int(count) for state, count in self._session.execute(query)}
        return {state: found.get(state, 0) for state in (WAITING, DEAD)}

    def oldest(self) -> datetime | None:
        """Return since when the oldest due errand has waited."""
        query = select(func.min(OutboxTaskRow.due_at)).where(
            _WAITS, OutboxTaskRow.due_at <= self._clock()
        )
        return self._session.scalar(query)

    def _end(self, errand_id: int, **values: object) -> bool:
        statement = (
            update(OutboxTaskRow)
            .where(OutboxTaskRow.id == errand_id, _WAITS)
            .values(ended_at=self._clock(), **values)
        )
        return self._changed(statement) > 0
