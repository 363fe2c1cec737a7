"""Who does the errands of a lane."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, select, update

from worker.store.records import Lease
from worker.store.room import Room
from worker.store.schema import LeaseRow


class Leases(Room):
    """A row for each lane that was ever leased; its fence only grows."""

    def take(self, lane: str, seconds: float) -> Lease | None:
        """Lease a lane, unless somebody holds it."""
        now = self._clock()
        until = now + timedelta(seconds=seconds)
        statement = (
            self._insert(LeaseRow, {"lane": lane, "fence": 1, "until": until})
            .on_conflict_do_update(
                index_elements=["lane"],
                set_={"fence": LeaseRow.fence + 1, "until": until},
                where=LeaseRow.until <= now,
            )
            .returning(LeaseRow.fence)
        )
        fence = self._session.scalar(statement)
        return None if fence is None else Lease(lane, fence, until)

    def renew(self, lease: Lease, seconds: float) -> Lease | None:
        """Lengthen a lease; ``None`` when somebody else has the lane."""
        until = self._clock() + timedelta(seconds=seconds)
        statement = (
            update(LeaseRow)
            .where(LeaseRow.lane == lease.lane, LeaseRow.fence == lease.fence)
            .values(until=until)
        )
        return Lease(lease.lane, lease.fence, until) if self._changed(statement) else None

    def holds(self, lease: Lease) -> bool:
        """Whether a lease is in force now."""
        query = select(LeaseRow.fence).where(
            LeaseRow.lane == lease.lane,
            LeaseRow.fence == lease.fence,
            LeaseRow.until > self._clock(),
        )
        return self._session.scalar(query) is not None

    def free(self, lease: Lease) -> bool:
        """Give a lane back; false when it was lost.  The lease is never renewed after."""
        statement = (
            update(LeaseRow)
            .where(LeaseRow.lane == lease.lane, LeaseRow.fence == lease.fence)
            .values(until=self._clock(), fence=LeaseRow.fence + 1)
        )
        return self._changed(statement) > 0

    def purge(self, before: datetime) -> int:
        """Forget the lanes that nobody has leased since; their fences start anew."""
        return self._changed(delete(LeaseRow).where(LeaseRow.until < before))
