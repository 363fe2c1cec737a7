"""Our comments about findings."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import delete, select, update

from worker.store.records import IgnoreRecord, StoredReviewComment
from worker.store.repository_base import RepositoryBase
from worker.store.schema import IgnoreRow, ReviewCommentRow


class Ignores(RepositoryBase):
    """A row for each finding of a repository that is ignored."""

    def add(self, ignore: IgnoreRecord) -> None:
        """Ignore a finding, in place of what was said of it before."""
        self._put(IgnoreRow, asdict(ignore), "repository", "fingerprint")

    def remove(self, repository: int, fingerprint: str) -> bool:
        """Let a finding count again; false when it was not ignored."""
        statement = delete(IgnoreRow).where(
            IgnoreRow.repository == repository, IgnoreRow.fingerprint == fingerprint
        )
        return self._changed(statement) > 0

    def of(self, repository: int) -> tuple[IgnoreRecord, ...]:
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


class ReviewComments(RepositoryBase):
    """A row for each comment of ours in a pull request's diff."""

    def add(self, review_comment: StoredReviewComment) -> None:
        """Keep a comment, or what is newly known of it."""
        self._put(ReviewCommentRow, asdict(review_comment), "comment")

    def of(self, repository: int, pull: int) -> tuple[StoredReviewComment, ...]:
        """Return the comments in a pull request, the oldest first."""
        query = (
            select(ReviewCommentRow)
            .where(ReviewCommentRow.repository == repository, ReviewCommentRow.pull == pull)
            .order_by(ReviewCommentRow.comment)
        )
        return self._records(StoredReviewComment, query)

    def resolve(self, comment: int) -> None:
        """Note that we said of a finding that it is gone."""
        self._set(comment, resolved=True)

    def reopen(self, comment: int) -> None:
        """Note that a finding is there again."""
        self._set(comment, resolved=False)

    def forget(self, repository: int) -> None:
        """Forget everything of a repository."""
        self._changed(delete(ReviewCommentRow).where(ReviewCommentRow.repository == repository))

    def _set(self, comment: int, **values: object) -> None:
        self._changed(
            update(ReviewCommentRow).where(ReviewCommentRow.comment == comment).values(**values)
        )
