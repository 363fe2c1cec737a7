"""Where at GitHub a run is answered, and as whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from threading import Event
from typing import TYPE_CHECKING

from sqlalchemy import exc

from worker.github_app.client import repositories
from worker.github_app.client.app import App
from worker.github_app.rate_limited_writer import (
    LostLeaseError,
    NotNowError,
    RateLimitedWriter,
    WriteTimeouts,
    utc_now,
)
from worker.report.page_links import PageLinks
from worker.settings.operator_settings import Settings
from worker.store.blobs import Blobs
from worker.store.records import Lease, RunRecord
from worker.store.store import Store

if TYPE_CHECKING:
    from worker.github_app.client.api import Api
    from worker.github_app.client.app import App
    from worker.report.page_links import PageLinks
    from worker.store.blobs import Blobs


@dataclass(frozen=True, slots=True)
class TaskContext:
    """The App, the store and the right to write for one lane.

    ``ring`` tells a run's queue that it is ready; it never raises.  ``links``
    signs addresses.  ``now`` and ``sleep`` (seconds) are the clock's; ``sleep``
    raises ``NotNowError`` where the process is about to end.
    """

    settings: Settings
    store: Store
    app: App
    blobs: Blobs
    lease: Lease
    notify: Callable[[RunRecord], None]
    links: PageLinks
    now: Callable[[], datetime]
    sleep: Callable[[float], None]

    def api(self, installation: int, repository: int | None, **permissions: str) -> Api:
        """Return GitHub as an installation sees one repository, with these permissions."""
        return self.app.installation(installation, repository, permissions)

    def writer(self, installation: int) -> RateLimitedWriter:
        """Return what writes for an installation."""
        timeouts = WriteTimeouts.of(self.settings)
        return RateLimitedWriter(
            self.store, self.lease, installation, timeouts, self.now, self.sleep
        )


STORE_UNAVAILABLE = (
    exc.OperationalError,
    exc.InterfaceError,
    exc.DisconnectionError,
    exc.TimeoutError,
)
"""What the database's absence looks like; other errors of its are about what it was told."""


@dataclass(frozen=True, slots=True)
class PublisherContext:
    """The App, the store and the clock; ``stop`` says that the process ends.

    ``sleep`` (seconds) stands in for waiting until then.
    """

    settings: Settings
    store: Store
    app: App
    blobs: Blobs
    notify: Callable[[RunRecord], None]
    links: PageLinks
    stop: Event
    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], None] | None = None

    @property
    def timeouts(self) -> WriteTimeouts:
        """How long requests, slots and leases may take."""
        return WriteTimeouts.of(self.settings)

    def context(self, lease: Lease) -> TaskContext:
        """Return what is needed to do the errands of a lane."""
        return TaskContext(
            settings=self.settings,
            store=self.store,
            app=self.app,
            blobs=self.blobs,
            lease=lease,
            notify=self.notify,
            links=self.links,
            now=self.now,
            sleep=self.sleep or self._wait,
        )

    def _wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise NotNowError(self.now(), "the process ends")


CHECK_PERMISSIONS = {"checks": "write", "pull_requests": "read"}
CONTENT_PERMISSIONS = {"contents": "read"}
PULL_PERMISSIONS = {"checks": "write", "pull_requests": "write"}
THREAD_PERMISSIONS = {"pull_requests": "write", "contents": "write"}
"""GitHub lets an App resolve threads only where it may also write contents."""
ISSUE_PERMISSIONS = {"issues": "write"}


@dataclass(frozen=True, slots=True)
class PublishDestination:
    """A commit of a repository, and the pull request it is the head of, if any.

    ``repository`` and ``installation`` are GitHub's ids, ``name`` is
    ``owner/name`` as it is called today.
    """

    repository: int
    name: str
    private: bool
    installation: int
    head: str
    pull: int | None


def destination_of(run: RunRecord, context: TaskContext) -> PublishDestination | None:
    """Return where a run is answered; ``None`` for one that nobody at GitHub asked for."""
    job = run.job
    if job.installation is None or job.repository_id is None or job.head is None:
        return None
    with context.store.read() as unit:
        known = unit.installations.repository(job.repository_id)
    return PublishDestination(
        repository=job.repository_id,
        name=job.repository if known is None else known.full_name,
        private=job.private if known is None else known.private,
        installation=job.installation if known is None else known.installation,
        head=job.head,
        pull=job.pull,
    )


def bot_login(context: TaskContext) -> str:
    """Return the name that the App's comments bear; GitHub is asked once, if at all."""
    slug = context.settings.github.slug
    return _registered(context.app) if slug is None else f"{slug}[bot]"


def numeric_app_id(context: TaskContext) -> int | None:
    """Return the App's id, where it was not set up with a client id instead."""
    number = str(context.settings.github.app_id)
    return int(number) if number.isascii() and number.isdecimal() else None


@lru_cache(maxsize=4)
def _registered(app: App) -> str:
    return f"{repositories.registration(app.api).slug}[bot]"


__all__ = [
    "LostLeaseError",
    "NotNowError",
    "RateLimitedWriter",
    "TaskContext",
    "WriteTimeouts",
    "utc_now",
]
