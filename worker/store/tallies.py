"""Counters that many processes share."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from worker.store.room import Room
from worker.store.schema import Base


class TallyRow(Base):
    """How often something with a name and a label happened."""

    __tablename__ = "tallies"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    label: Mapped[str] = mapped_column(String(191), primary_key=True)
    count: Mapped[int]


class Tallies(Room):
    """A row for each name and label."""

    def add(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Add to counters by name and label, always in one order: nobody waits in a circle."""
        for (name, label), count in sorted(counts.items()):
            values = {"name": name, "label": label, "count": count}
            statement = self._insert(TallyRow, values)
            more = {"count": TallyRow.count + statement.excluded["count"]}
            self._changed(
                statement.on_conflict_do_update(index_elements=["name", "label"], set_=more)
            )

    def of(self, name: str) -> dict[str, int]:
        """Return the counts of a name by label."""
        query = select(TallyRow).where(TallyRow.name == name).order_by(TallyRow.label)
        return {row.label: row.count for row in self._all(query)}
