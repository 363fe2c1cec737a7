"""What was created at GitHub, so that it is created once."""

from __future__ import annotations

from sqlalchemy import delete, select

from worker.store.records import Writing, WritingState
from worker.store.room import Room
from worker.store.schema import WritingRow


class Writings(Room):
    """A row for each thing that was, or may have been, created.

    Rows stay: a sticky comment is as old as its pull request.
    """

    def get(self, key: str) -> Writing | None:
        """Return what is known of a writing."""
        row = self._one(select(WritingRow).where(WritingRow.key == key))
        return None if row is None else row.record()

    def intend(self, key: str) -> Writing:
        """Return the writing of this key, a new and intended one if there is none."""
        values = {"key": key, "state": WritingState.INTENDED, "at": self._clock()}
        self._add_once(WritingRow, values, "key")
        writing = self.get(key)
        assert writing is not None
        return writing

    def done(self, key: str, made: str) -> None:
        """Note what GitHub calls what was created."""
        values = {"key": key, "state": WritingState.DONE, "made": made, "at": self._clock()}
        self._put(WritingRow, values, "key")

    def forget(self, key: str) -> None:
        """Forget a writing that was refused or is gone: it may be created again."""
        self._changed(delete(WritingRow).where(WritingRow.key == key))
