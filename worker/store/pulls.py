"""Pull requests, as GitHub last told of them."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import delete, select

from worker.store.records import Pull
from worker.store.room import Room
from worker.store.schema import PullRow


class Pulls(Room):
    """A row for each pull request; news never goes back in time."""

    def see(self, pull: Pull) -> bool:
        """Keep what is told of a pull request; false when newer things are known."""
        values = asdict(pull)
        statement = self._insert(PullRow, values)
        news = {
            name: statement.excluded[name]
            for name in values
            if name not in {"repository", "number"}
        }
        kept = statement.on_conflict_do_update(
            index_elements=["repository", "number"],
            set_=news,
            where=PullRow.updated_at <= statement.excluded.updated_at,
        )
        return self._session.scalar(kept.returning(PullRow.number)) is not None

    def get(self, repository: int, number: int) -> Pull | None:
        """Return one pull request, if it is known."""
        query = select(PullRow).where(PullRow.repository == repository, PullRow.number == number)
        row = self._one(query)
        return None if row is None else row.record()

    def with_head(self, repository: int, sha: str) -> tuple[Pull, ...]:
        """Return the pull requests to a repository whose head is this commit."""
        query = (
            select(PullRow)
            .where(PullRow.repository == repository, PullRow.head == sha)
            .order_by(PullRow.number)
        )
        return tuple(row.record() for row in self._all(query))

    def forget(self, repository: int) -> None:
        """Forget the pull requests of a repository."""
        self._changed(delete(PullRow).where(PullRow.repository == repository))
