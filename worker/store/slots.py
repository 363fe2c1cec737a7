"""Whose turn it is to write for an installation."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import case, select, update

from worker.store.room import Room
from worker.store.schema import SlotRow


class Slots(Room):
    """A row for each installation: one write at a time, with pauses between."""

    def take(self, installation: int, seconds: float) -> int | None:
        """Take the turn for so many seconds and return its fence; ``None``: not yet."""
        now = self._clock()
        until = now + timedelta(seconds=seconds)
        first = {"installation": installation, "fence": 1, "until": until, "next_at": now}
        statement = (
            self._insert(SlotRow, first)
            .on_conflict_do_update(
                index_elements=["installation"],
                set_={"fence": SlotRow.fence + 1, "until": until},
                where=(SlotRow.until <= now) & (SlotRow.next_at <= now),
            )
            .returning(SlotRow.fence)
        )
        return self._session.scalar(statement)

    def free(self, installation: int, fence: int, *, pause: float) -> bool:
        """End a turn; the next is ``pause`` seconds from now or later.  False: it was lost."""
        now = self._clock()
        statement = (
            update(SlotRow)
            .where(SlotRow.installation == installation, SlotRow.fence == fence)
            .values(
                fence=SlotRow.fence + 1,
                until=now,
                next_at=_later(now + timedelta(seconds=pause)),
            )
        )
        return self._changed(statement) > 0

    def hold(self, installation: int, until: datetime) -> None:
        """Let nobody write before ``until``."""
        now = self._clock()
        first = {"installation": installation, "fence": 1, "until": now, "next_at": until}
        statement = self._insert(SlotRow, first).on_conflict_do_update(
            index_elements=["installation"], set_={"next_at": _later(until)}
        )
        self._changed(statement)

    def next_at(self, installation: int) -> datetime:
        """Return when the next turn can be taken; now or earlier when it can be."""
        row = self._one(select(SlotRow).where(SlotRow.installation == installation))
        return self._clock() if row is None else max(row.until, row.next_at)


def _later(at: datetime) -> object:
    return case((SlotRow.next_at < at, at), else_=SlotRow.next_at)
