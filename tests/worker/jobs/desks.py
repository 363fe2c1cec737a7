"""A publisher's desk: a scripted GitHub API, a real git server, a real store."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.worker.changes.conftest import Project
from tests.worker.changes.git_server import GitServer
from tests.worker.github.scripted import Clock, Github, app, settings
from worker.composition.signed import Signed
from worker.publishing.desk import Desk
from worker.settings.server import Settings, StoreSettings
from worker.store import Errand, ErrandKind, ErrandRecord, Installation, Lease, Repository, Store
from worker.store.blobs import Blobs
from worker.store.records import RunRecord

REPOSITORY = Repository(42, "octo/app", private=True, installation=7, default_branch="main")


@dataclass
class Office:
    """The desk, and what tests look at."""

    desk: Desk
    github: Github
    project: Project
    server: GitServer
    clock: Clock
    rung: list[RunRecord] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.desk.store


def office(folder: Path) -> Office:
    clock = Clock()
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
    desk = Desk(
        settings=own,
        store=store,
        app=app(github, folder, web_url=web),
        blobs=Blobs(own.store.blobs),
        lease=Lease("lane", 1, datetime.now(UTC) + timedelta(hours=1)),
        ring=rung.append,
        links=Signed(None, None, 1, lambda: 0.0),
        now=clock,
        sleep=clock.sleep,
    )
    with store.begin() as books:
        books.installations.see(Installation(7, "octo"))
        books.installations.see_repository(REPOSITORY)
    return Office(desk, github, project, server, clock, rung)


def errand(kind: ErrandKind, attempts: int = 0, **more: object) -> ErrandRecord:
    now = datetime.now(UTC)
    return ErrandRecord(1, Errand(kind, 7, "lane", "key", **more), attempts, now, now)
