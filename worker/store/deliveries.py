"""Webhook events: kept once, heard once, never lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import case, delete, func, select, update

from worker.store.records import Delivery
from worker.store.repository_base import LONGEST_ERROR, RepositoryBase
from worker.store.schema import DEAD, DISPATCHED, WAITING, DeliveryRow, inline

BACKOFF = timedelta(seconds=5)
LONGEST_BACKOFF = timedelta(minutes=15)
_WAITS = DeliveryRow.state == inline(WAITING)

KEPT = timedelta(days=30)
"""How long an id is known after its body was emptied: GitHub redelivers for 3 days."""


class Deliveries(RepositoryBase):
    """A row for each webhook event."""

    def keep(self, delivery: Delivery) -> bool:
        """Keep a delivery; false when it was seen before."""
        now = self._clock()
        state = {"state": WAITING, "attempts": 0, "received_at": now, "due_at": now}
        return self._add_once(DeliveryRow, {**asdict(delivery), **state}, "id")

    def waiting(self, limit: int = 50) -> tuple[str, ...]:
        """Return the ids of those that are to be heard now, the oldest first."""
        query = (
            select(DeliveryRow.id)
            .where(_WAITS, DeliveryRow.due_at <= self._clock())
            .order_by(DeliveryRow.received_at, DeliveryRow.id)
            .limit(limit)
        )
        return tuple(self._session.scalars(query))

    def get(self, delivery_id: str) -> Delivery | None:
        """Return one delivery, if it is known."""
        return self._record(Delivery, select(DeliveryRow).where(DeliveryRow.id == delivery_id))

    def claim(self, delivery_id: str) -> Delivery | None:
        """Return a delivery that still waits, for this transaction alone.

        ``None``: it was heard, or another transaction hears it now.
        """
        query = (
            select(DeliveryRow)
            .where(DeliveryRow.id == delivery_id, _WAITS)
            .with_for_update(skip_locked=True)
        )
        return self._record(Delivery, query)

    def heard(self, delivery_id: str) -> bool:
        """Note that a delivery was understood; false when it already was."""
        statement = (
            update(DeliveryRow)
            .where(DeliveryRow.id == delivery_id, DeliveryRow.state != DISPATCHED)
            .values(state=DISPATCHED, heard_at=self._clock(), error=None)
        )
        return self._changed(statement) > 0

    def failed(self, delivery_id: str, error: str, *, limit: int) -> None:
        """Try a delivery again later; it is dead, and kept, after ``limit`` failures."""
        query = select(DeliveryRow).where(DeliveryRow.id == delivery_id, _WAITS)
        row = self._one(query.with_for_update())
        if row is None:
            return
        attempts = row.attempts + 1
        wait = min(LONGEST_BACKOFF, BACKOFF * 2 ** min(attempts - 1, 20))
        self._changed(
            update(DeliveryRow)
            .where(DeliveryRow.id == delivery_id)
            .values(
                attempts=attempts,
                error=error[:LONGEST_ERROR],
                due_at=self._clock() + wait,
                state=DEAD if attempts >= limit else WAITING,
            )
        )

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that were kept."""
        wanted, found = sorted(set(ids)), set[str]()
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            found |= set(
                self._session.scalars(select(DeliveryRow.id).where(DeliveryRow.id.in_(some)))
            )
        return found

    def purge(self, before: datetime) -> int:
        """Empty the bodies that were heard before; delete rows 30 days later.

        Dead deliveries stay.  Return how many were emptied or deleted.
        """
        gone = self._changed(
            delete(DeliveryRow).where(
                DeliveryRow.state == DISPATCHED, DeliveryRow.received_at < before - KEPT
            )
        )
        emptied = self._changed(
            update(DeliveryRow)
            .where(
                DeliveryRow.state == DISPATCHED,
                DeliveryRow.received_at < before,
                DeliveryRow.heard_at < before,
                func.length(DeliveryRow.body) > 0,
            )
            .values(body=b"")
        )
        return gone + emptied

    def forget(self, installation: int) -> None:
        """Empty the bodies of an installation's deliveries that wait no more."""
        mine = (DeliveryRow.installation == installation, DeliveryRow.state != WAITING)
        self._changed(update(DeliveryRow).where(*mine).values(body=b""))

    def count(self) -> dict[str, int]:
        """Count those that wait, were heard, and are dead."""
        counts = [
            func.count(case((DeliveryRow.state == state, 1)))
            for state in (WAITING, DISPATCHED, DEAD)
        ]
        found = self._session.execute(select(*counts)).one()
        return dict(zip((WAITING, DISPATCHED, DEAD), found, strict=True))

    def oldest(self) -> datetime | None:
        """Return when the oldest that waits was received."""
        query = select(func.min(DeliveryRow.received_at)).where(_WAITS)
        return self._session.scalar(query)
