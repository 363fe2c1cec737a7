"""The workers that are there, as they last said of themselves."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, select

from worker.store.records import WorkerRecord
from worker.store.room import Room
from worker.store.schema import WorkerRow

STALE_SECONDS = 60.0
"""How long a worker that says nothing counts as there."""

KEPT = timedelta(days=1)


class Roster(Room):
    """A row for each worker; one that is silent is gone."""

    def see(self, worker: WorkerRecord) -> None:
        """Note what a worker says of itself, now; forget those long gone."""
        now = self._clock()
        values = {
            "id": worker.id,
            "host": worker.host[:255],
            "state": worker.state,
            "reason": worker.reason,
            "layers": list(worker.layers),
            "seen_at": now,
            "queues": list(worker.queues),
        }
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
