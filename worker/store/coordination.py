"""Whose turn it is to write for an installation."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import case, delete, select, update

from worker.store.records import Lease, WorkerRecord
from worker.store.repository_base import RepositoryBase
from worker.store.schema import LeaseRow, WorkerRow, WriteSlotRow


class Leases(RepositoryBase):
    """A row for each lane that was ever leased; its fence only grows."""

    def take(self, ordering_key: str, seconds: float) -> Lease | None:
        """Lease a lane, unless somebody holds it."""
        now = self._clock()
        until = now + timedelta(seconds=seconds)
        statement = (
            self._insert(LeaseRow, {"lane": ordering_key, "fence": 1, "until": until})
            .on_conflict_do_update(
                index_elements=["lane"],
                set_={"fence": LeaseRow.fence + 1, "until": until},
                where=LeaseRow.until <= now,
            )
            .returning(LeaseRow.fence)
        )
        fence = self._session.scalar(statement)
        return None if fence is None else Lease(ordering_key, fence, until)

    def renew(self, lease: Lease, seconds: float) -> Lease | None:
        """Lengthen a lease; ``None`` when somebody else has the lane."""
        until = self._clock() + timedelta(seconds=seconds)
        statement = (
            update(LeaseRow)
            .where(LeaseRow.ordering_key == lease.ordering_key, LeaseRow.fence == lease.fence)
            .values(until=until)
        )
        return Lease(lease.ordering_key, lease.fence, until) if self._changed(statement) else None

    def holds(self, lease: Lease) -> bool:
        """Return whether a lease is in force now."""
        query = select(LeaseRow.fence).where(
            LeaseRow.ordering_key == lease.ordering_key,
            LeaseRow.fence == lease.fence,
            LeaseRow.until > self._clock(),
        )
        return self._session.scalar(query) is not None

    def free(self, lease: Lease) -> bool:
        """Give a lane back; false when it was lost.  The lease is never renewed after."""
        statement = (
            update(LeaseRow)
            .where(LeaseRow.ordering_key == lease.ordering_key, LeaseRow.fence == lease.fence)
            .values(until=self._clock(), fence=LeaseRow.fence + 1)
        )
        return self._changed(statement) > 0

    def purge(self, before: datetime) -> int:
        """Forget the lanes that nobody has leased since; their fences start anew."""
        return self._changed(delete(LeaseRow).where(LeaseRow.until < before))


class WriteSlots(RepositoryBase):
    """A row for each installation: one write at a time, with pauses between."""

    def take(self, installation: int, seconds: float) -> int | None:
        """Take the turn for so many seconds and return its fence; ``None``: not yet."""
        now = self._clock()
        until = now + timedelta(seconds=seconds)
        first = {"installation": installation, "fence": 1, "until": until, "next_at": now}
        statement = (
            self._insert(WriteSlotRow, first)
            .on_conflict_do_update(
                index_elements=["installation"],
                set_={"fence": WriteSlotRow.fence + 1, "until": until},
                where=(WriteSlotRow.until <= now) & (WriteSlotRow.next_at <= now),
            )
            .returning(WriteSlotRow.fence)
        )
        return self._session.scalar(statement)

    def free(self, installation: int, fence: int, *, pause: float) -> bool:
        """End a turn; the next is ``pause`` seconds from now or later.  False: it was lost."""
        now = self._clock()
        statement = (
            update(WriteSlotRow)
            .where(WriteSlotRow.installation == installation, WriteSlotRow.fence == fence)
            .values(
                fence=WriteSlotRow.fence + 1,
                until=now,
                next_at=_later(now + timedelta(seconds=pause)),
            )
        )
        return self._changed(statement) > 0

    def hold(self, installation: int, until: datetime) -> None:
        """Let nobody write before ``until``."""
        now = self._clock()
        first = {"installation": installation, "fence": 1, "until": now, "next_at": until}
        statement = self._insert(WriteSlotRow, first).on_conflict_do_update(
            index_elements=["installation"], set_={"next_at": _later(until)}
        )
        self._changed(statement)

    def next_at(self, installation: int) -> datetime:
        """Return when the next turn can be taken; now or earlier when it can be."""
        row = self._one(select(WriteSlotRow).where(WriteSlotRow.installation == installation))
        return self._clock() if row is None else max(row.until, row.next_at)


def _later(at: datetime) -> object:
    return case((WriteSlotRow.next_at < at, at), else_=WriteSlotRow.next_at)


STALE_SECONDS = 60.0
"""How long a worker that says nothing counts as there."""

KEPT = timedelta(days=1)


class WorkerRegistry(RepositoryBase):
    """A row for each worker; one that is silent is gone."""

    def see(self, worker: WorkerRecord) -> None:
        """Note what a worker says of itself, now; forget those long gone."""
        now = self._clock()
        values = {**asdict(worker), "host": worker.host[:255], "seen_at": now}
        self._changed(delete(WorkerRow).where(WorkerRow.seen_at < now - KEPT))
        self._put(WorkerRow, values, "id")

    def leave(self, worker_id: str) -> None:
        """Forget a worker that has ended."""
        self._changed(delete(WorkerRow).where(WorkerRow.id == worker_id))

    def present(self, within: float = STALE_SECONDS) -> tuple[WorkerRecord, ...]:
        """Return those who spoke within so many seconds, by their ids."""
        since = self._clock() - timedelta(seconds=within)
        query = select(WorkerRow).where(WorkerRow.seen_at >= since).order_by(WorkerRow.id)
        return tuple(row.record() for row in self._all(query))
