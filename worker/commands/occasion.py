"""A command or a pressed button: who asks for it, where, and of which commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from worker.github import pulls
from worker.github.api import Api
from worker.publishing.desk import Desk
from worker.publishing.noticing import told
from worker.publishing.pen import Pen
from worker.publishing.place import PULL_PERMISSIONS
from worker.store.books import Books
from worker.store.records import ErrandRecord, Policy, Pull, Repository, RunRecord, RunState

Finding = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Occasion:
    """Where something is asked for; ``key`` names the asking.

    ``pull`` is the pull request as GitHub has it now, ``asked_at`` when we
    heard of it (UTC), ``head`` the head that we knew then.
    """

    desk: Desk
    key: str
    asked_at: datetime
    where: Repository
    pull: Pull
    policy: Policy
    head: str | None = None

    @property
    def api(self) -> Api:
        """GitHub, for comments and reactions in the pull request."""
        return self.desk.api(self.where.installation, self.where.id, **PULL_PERMISSIONS)

    @property
    def pen(self) -> Pen:
        """What writes to this installation."""
        return self.desk.pen(self.where.installation)

    def reports(self, books: Books) -> list[tuple[RunRecord, Mapping[str, Any]]]:
        """The runs of the pull request that have a report, the newest first."""
        runs = books.runs.of_pull(self.where.id, self.pull.number)
        done = (run for run in runs if run.state is RunState.DONE)
        return [(run, report) for run in done if (report := books.runs.report(run.id)) is not None]

    def found(self, fingerprint: str) -> tuple[RunRecord, Mapping[str, Any], Finding] | None:
        """The newest run that found something, its report, and what it says of it."""
        with self.desk.store.look() as books:
            for run, report in self.reports(books):
                for finding in report["findings"]:
                    if finding["fingerprint"] == fingerprint:
                        return run, report, finding
        return None


def occasion(record: ErrandRecord, number: int, desk: Desk) -> Occasion | None:
    """Where an errand about a pull request was asked for; ``None`` where the App no longer is.

    Raises ``GithubError``.
    """
    errand = record.errand
    repository = int(errand.order["repository_id"])
    with desk.store.look() as books:
        where = books.installations.repository(repository)
        latest = books.runs.latest(repository, number)
        policy = (
            books.runs.policy_of(repository) if latest is None else books.runs.policy(latest.id)
        )
    if where is None:
        return None
    api = desk.api(where.installation, where.id, **PULL_PERMISSIONS)
    found = pulls.get(api, where.full_name, number)
    if found.base.repo is not None and found.base.repo.id != repository:
        return None  # its name is another repository's by now
    pull = told(found, repository)
    return Occasion(
        desk, errand.key, record.created_at, where, pull, policy, errand.order.get("head")
    )
