"""Our comments about findings."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from worker.store.records import Remark
from worker.store.room import Room
from worker.store.schema import RemarkRow


class Remarks(Room):
    """A row for each comment of ours in a pull request's diff."""

    def add(self, remark: Remark) -> None:
        """Keep a comment, or what is newly known of it."""
        values = {
            "comment": remark.comment,
            "repository": remark.repository,
            "pull": remark.pull,
            "fingerprint": remark.fingerprint,
            "thread": remark.thread,
            "resolved": remark.resolved,
        }
        self._put(RemarkRow, values, "comment")

    def of(self, repository: int, pull: int) -> tuple[Remark, ...]:
        """Return the comments in a pull request, the oldest first."""
        query = (
            select(RemarkRow)
            .where(RemarkRow.repository == repository, RemarkRow.pull == pull)
            .order_by(RemarkRow.comment)
        )
        return tuple(row.record() for row in self._all(query))

    def resolve(self, comment: int) -> None:
        """Note that we said of a finding that it is gone."""
        self._set(comment, resolved=True)

    def reopen(self, comment: int) -> None:
        """Note that a finding is there again."""
        self._set(comment, resolved=False)

    def thread(self, comment: int, thread: str) -> None:
        """Note the GraphQL id of a comment's thread."""
        self._set(comment, thread=thread)

    def remove(self, comment: int) -> None:
        """Forget a comment that somebody deleted."""
        self._changed(delete(RemarkRow).where(RemarkRow.comment == comment))

    def forget(self, repository: int) -> None:
        """Forget everything of a repository."""
        self._changed(delete(RemarkRow).where(RemarkRow.repository == repository))

    def _set(self, comment: int, **values: object) -> None:
        self._changed(update(RemarkRow).where(RemarkRow.comment == comment).values(**values))
