"""A publisher's desk: a scripted GitHub API, a real git server, a real store."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.worker.changes.conftest import Project
from tests.worker.changes.git_server import GitServer
from tests.worker.github_app.client.scripted import Github, SleepingClock, app, settings
from worker.github_app.context import TaskContext
from worker.report.page_links import PageLinks
from worker.settings.operator_settings import Settings, StoreSettings
from worker.store.blobs import Blobs
from worker.store.records import (
    InstallationRecord,
    Lease,
    OutboxTask,
    OutboxTaskKind,
    OutboxTaskRecord,
    RepositoryRecord,
    RunRecord,
)
from worker.store.store import Store

REPOSITORY = RepositoryRecord(42, "octo/app", private=True, installation=7, default_branch="main")


@dataclass
class Office:
    """The desk, and what tests look at."""

    context: TaskContext
    github: Github
    project: Project
    server: GitServer
    clock: SleepingClock
    rung: list[RunRecord] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.context.store


def publisher_context(folder: Path) -> Office:
    clock = SleepingClock()
    github = Github(clock)
    project = Project(folder / "served" / "octo" / "app.git")
    server = GitServer(folder / "served")
    web = server.url("").rstrip("/")
    own = Settings(
        github=settings(folder, web_url=web, attempts=3),
        store=StoreSettings(url=f"sqlite:///{folder}/assayer.db", blobs=str(folder / "blobs")),
    )
    store = Store(own.store.url)
    rung: list[RunRecord] = []
    context = TaskContext(
        settings=own,
        store=store,
        app=app(github, folder, web_url=web),
        blobs=Blobs(own.store.blobs),
        lease=Lease("lane", 1, datetime.now(UTC) + timedelta(hours=1)),
        notify=rung.append,
        links=PageLinks(None, None, 1, lambda: 0.0),
        now=clock,
        sleep=clock.sleep,
    )
    with store.write() as unit:
        unit.installations.see(InstallationRecord(7, "octo"))
        unit.installations.see_repository(REPOSITORY)
    return Office(context, github, project, server, clock, rung)


def task(kind: OutboxTaskKind, attempts: int = 0, **more: object) -> OutboxTaskRecord:
    now = datetime.now(UTC)
    return OutboxTaskRecord(1, OutboxTask(kind, 7, "lane", "key", **more), attempts, now, now)
