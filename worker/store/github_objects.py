"""Installations of the App, and the repositories that it may see."""

from __future__ import annotations

import re
from dataclasses import asdict

from sqlalchemy import delete, func, select

from worker.store.deliveries import Deliveries
from worker.store.finding_decisions import Ignores, ReviewComments
from worker.store.outbox_tasks import OutboxTasks
from worker.store.records import Approval, InstallationRecord, PullRecord, RepositoryRecord
from worker.store.repository_base import RepositoryBase
from worker.store.runs import Runs
from worker.store.schema import ApprovalRow, InstallationRow, PullRow, RepositoryRow, WriteSlotRow


class Pulls(RepositoryBase):
    """A row for each pull request; news never goes back in time."""

    def see(self, pull: PullRecord) -> bool:
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

    def get(self, repository: int, number: int) -> PullRecord | None:
        """Return one pull request, if it is known."""
        query = select(PullRow).where(PullRow.repository == repository, PullRow.number == number)
        return self._record(PullRecord, query)

    def with_head(self, repository: int, sha: str) -> tuple[PullRecord, ...]:
        """Return the pull requests to a repository whose head is this commit."""
        query = (
            select(PullRow)
            .where(PullRow.repository == repository, PullRow.head == sha)
            .order_by(PullRow.number)
        )
        return self._records(PullRecord, query)

    def forget(self, repository: int) -> None:
        """Forget the pull requests of a repository."""
        self._changed(delete(PullRow).where(PullRow.repository == repository))


_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class Approvals(RepositoryBase):
    """A row for each approved commit of a repository, by its full name."""

    def give(self, repository: str, head: str, by: str) -> None:
        """Let one commit of a fork ask paid engines; the first approval stands.

        ``by`` is the login of a person whose right to write was checked.
        Raises ``ValueError`` for anything but a full commit id.
        """
        if not _COMMIT.fullmatch(head):
            raise ValueError("an approval names a full commit id")
        values = {"repository": repository, "head": head, "by": by[:100], "at": self._clock()}
        self._add_once(ApprovalRow, values, "repository", "head")

    def get(self, repository: str, head: str | None) -> Approval | None:
        """Return who approved exactly this commit for this repository, if anyone has."""
        if head is None:
            return None
        query = select(ApprovalRow).where(
            ApprovalRow.repository == repository, ApprovalRow.head == head
        )
        return self._record(Approval, query)


class Installations(RepositoryBase):
    """A row for each installation, and one for each of its repositories."""

    def see(self, installation: InstallationRecord) -> None:
        """Keep what is told of an installation."""
        self._put(InstallationRow, asdict(installation), "id")

    def get(self, installation: int) -> InstallationRecord | None:
        """Return an installation, if it is known."""
        query = select(InstallationRow).where(InstallationRow.id == installation)
        return self._record(InstallationRecord, query)

    def all(self) -> tuple[InstallationRecord, ...]:
        """Return every installation."""
        return self._records(
            InstallationRecord, select(InstallationRow).order_by(InstallationRow.id)
        )

    def remove(self, installation: int) -> None:
        """Forget an installation: its runs are cancelled, its data and errands deleted."""
        self._runs.abandon(installation, "the App was uninstalled")
        for repository in self.repositories(installation):
            self._forget(repository.id)
        OutboxTasks(self._session, self._clock).drop(installation)
        Deliveries(self._session, self._clock).forget(installation)
        self._changed(delete(WriteSlotRow).where(WriteSlotRow.installation == installation))
        self._changed(delete(InstallationRow).where(InstallationRow.id == installation))

    def see_repository(self, repository: RepositoryRecord) -> None:
        """Keep what is told of a repository; what is not told stays."""
        values = {**asdict(repository), "seen_at": self._clock()}
        statement = self._insert(RepositoryRow, values)
        told: dict[str, object] = {
            name: statement.excluded[name] for name in values if name != "id"
        }
        for name in ("default_branch", "updated_at"):
            told[name] = func.coalesce(statement.excluded[name], getattr(RepositoryRow, name))
        self._changed(statement.on_conflict_do_update(index_elements=["id"], set_=told))

    def repository(self, repository: int) -> RepositoryRecord | None:
        """Return a repository, if it is known."""
        query = select(RepositoryRow).where(RepositoryRow.id == repository)
        return self._record(RepositoryRecord, query)

    def repositories(self, installation: int) -> tuple[RepositoryRecord, ...]:
        """Return the repositories of an installation, by name."""
        query = (
            select(RepositoryRow)
            .where(RepositoryRow.installation == installation)
            .order_by(RepositoryRow.full_name)
        )
        return self._records(RepositoryRecord, query)

    def remove_repository(self, repository: int) -> None:
        """Forget a repository that is gone or out of sight; its runs are cancelled."""
        self._runs.abandon_repository(repository, "the repository is no longer there")
        self._forget(repository)

    @property
    def _runs(self) -> Runs:
        return Runs(self._session, self._clock)

    def _forget(self, repository: int) -> None:
        OutboxTasks(self._session, self._clock).drop_repository(repository)
        self._runs.forget_reports(repository)
        for room in (Pulls, Ignores, ReviewComments):
            room(self._session, self._clock).forget(repository)
        self._changed(delete(RepositoryRow).where(RepositoryRow.id == repository))
