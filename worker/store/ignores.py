"""Findings that people chose not to hear of."""

from __future__ import annotations

from sqlalchemy import delete, select

from worker.store.records import Ignore
from worker.store.room import Room
from worker.store.schema import IgnoreRow


class Ignores(Room):
    """A row for each finding of a repository that is ignored."""

    def add(self, ignore: Ignore) -> None:
        """Ignore a finding, in place of what was said of it before."""
        values = {
            "repository": ignore.repository,
            "fingerprint": ignore.fingerprint,
            "reason": ignore.reason,
            "by": ignore.by,
            "at": ignore.at,
            "until": ignore.until,
            "kind": ignore.kind,
            "target": ignore.target,
        }
        self._put(IgnoreRow, values, "repository", "fingerprint")

    def remove(self, repository: int, fingerprint: str) -> bool:
        """Let a finding count again; false when it was not ignored."""
        statement = delete(IgnoreRow).where(
            IgnoreRow.repository == repository, IgnoreRow.fingerprint == fingerprint
        )
        return self._changed(statement) > 0

    def of(self, repository: int) -> tuple[Ignore, ...]:
        """Return what a repository ignores, the oldest first; also what has run out."""
        query = (
            select(IgnoreRow)
            .where(IgnoreRow.repository == repository)
            .order_by(IgnoreRow.at, IgnoreRow.fingerprint)
        )
        return tuple(row.record() for row in self._all(query))

    def forget(self, repository: int) -> None:
        """Forget everything of a repository."""
        self._changed(delete(IgnoreRow).where(IgnoreRow.repository == repository))
