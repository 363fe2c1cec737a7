"""The workers that are there, as they last said of themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, delete, select, update
from sqlalchemy.orm import Session

from worker.store.records import WorkerRecord
from worker.store.schema import WorkerRow

STALE_SECONDS = 60.0
"""How long a worker that says nothing counts as there."""

KEPT = timedelta(days=1)


class Roster:
    """A row for each worker; one that is silent is gone.

    Raises ``sqlalchemy.exc.SQLAlchemyError`` when the database is out of
    reach.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def see(self, worker: WorkerRecord) -> None:
        """Note what a worker says of itself, now; forget those long gone."""
        now = datetime.now(UTC)
        said = {
            "host": worker.host[:255],
            "state": worker.state,
            "reason": worker.reason,
            "layers": list(worker.layers),
            "seen_at": now,
        }
        with Session(self._engine) as session, session.begin():
            session.execute(delete(WorkerRow).where(WorkerRow.seen_at < now - KEPT))
            known = session.scalar(
                update(WorkerRow)
                .where(WorkerRow.id == worker.id)
                .values(**said)
                .returning(WorkerRow.id)
            )
            if known is None:
                session.add(WorkerRow(id=worker.id, **said))

    def leave(self, worker_id: str) -> None:
        """Forget a worker that has ended."""
        with Session(self._engine) as session, session.begin():
            session.execute(delete(WorkerRow).where(WorkerRow.id == worker_id))

    def present(self, within: float = STALE_SECONDS) -> tuple[WorkerRecord, ...]:
        """Return those who spoke within so many seconds, by their ids."""
        since = datetime.now(UTC) - timedelta(seconds=within)
        query = select(WorkerRow).where(WorkerRow.seen_at >= since).order_by(WorkerRow.id)
        with Session(self._engine) as session:
            return tuple(row.record() for row in session.scalars(query))
