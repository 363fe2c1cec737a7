"""Commits of forks whose code may ask paid engines."""

from __future__ import annotations

import re

from sqlalchemy import select

from worker.store.records import Approval
from worker.store.room import Room
from worker.store.schema import ApprovalRow

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class Approvals(Room):
    """A row for each approved commit of a repository, by its full name."""

    def give(self, repository: str, head: str, by: str) -> Approval:
        """Let one commit of a fork ask paid engines; the first approval stands.

        ``by`` is the login of a person whose right to write was checked.
        Raises ``ValueError`` for anything but a full commit id.
        """
        if not _COMMIT.fullmatch(head):
            raise ValueError("an approval names a full commit id")
        values = {"repository": repository, "head": head, "by": by[:100], "at": self._clock()}
        self._add_once(ApprovalRow, values, "repository", "head")
        approval = self.get(repository, head)
        assert approval is not None
        return approval

    def get(self, repository: str, head: str | None) -> Approval | None:
        """Return who approved exactly this commit for this repository, if anyone has."""
        if head is None:
            return None
        query = select(ApprovalRow).where(
            ApprovalRow.repository == repository, ApprovalRow.head == head
        )
        row = self._one(query)
        return None if row is None else row.record()
