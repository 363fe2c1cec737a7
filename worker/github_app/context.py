"""Repository and installation that a run is answered with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import lru_cache
from threading import Event
from typing import TypeVar

from sqlalchemy import exc

from worker.github_app.client.api import Api
from worker.github_app.client.app import App
from worker.github_app.client.errors import GoneError, NotFoundError
from worker.github_app.client.limits import utc_now
from worker.github_app.client.objects import registration
from worker.github_app.rate_limited_writer import (
    NotNowError,
    RateLimitedWriter,
    WriteTimeouts,
)
from worker.report.page_links import PageLinks
from worker.settings.operator_settings import Settings
from worker.store.blobs import Blobs
from worker.store.records import IdempotencyState, Lease, OutboxTaskRecord, RunRecord
from worker.store.store import Store

_T = TypeVar("_T")


STORE_UNAVAILABLE = (
    exc.OperationalError,
    exc.InterfaceError,
    exc.DisconnectionError,
    exc.TimeoutError,
)
"""What the database's absence looks like; other errors of its are about what it was told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherContext:
    """The App, the store and the clock; ``stop`` says that the process ends.

    ``notify`` tells a run's queue that it is ready; it never raises.  ``links``
    signs addresses.  ``sleep`` (seconds) stands in for waiting until ``stop``.
    """

    settings: Settings
    store: Store
    app: App
    blobs: Blobs
    notify: Callable[[RunRecord], None]
    links: PageLinks
    stop: Event = field(default_factory=Event)
    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], None] | None = None

    @property
    def timeouts(self) -> WriteTimeouts:
        """Return how long requests, slots and leases may take."""
        return WriteTimeouts.of(self.settings)

    def context(self, lease: Lease) -> TaskContext:
        """Return what the tasks of an ordering key need."""
        return TaskContext(
            **{each.name: getattr(self, each.name) for each in fields(self)}, lease=lease
        )

    def wait(self, seconds: float) -> None:
        """Wait; raise ``NotNowError`` where the process is about to end."""
        if self.sleep is not None:
            self.sleep(seconds)
        elif self.stop.wait(seconds):
            raise NotNowError(self.now(), "the process ends")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskContext(PublisherContext):
    """The publisher's context with the right to write under one ordering key."""

    lease: Lease

    def api(self, installation: int, repository: int | None, **permissions: str) -> Api:
        """Return GitHub as an installation sees one repository, with these permissions."""
        return self.app.installation(installation, repository, permissions)

    def writer(self, installation: int) -> RateLimitedWriter:
        """Return what writes for an installation."""
        return RateLimitedWriter(
            self.store, self.lease, installation, self.timeouts, self.now, self.wait
        )


CHECK_PERMISSIONS = {"checks": "write", "pull_requests": "read"}
CONTENT_PERMISSIONS = {"contents": "read"}
PULL_PERMISSIONS = {"checks": "write", "pull_requests": "write"}
THREAD_PERMISSIONS = {"pull_requests": "write", "contents": "write"}
"""GitHub lets an App resolve threads only where it may also write contents."""
ISSUE_PERMISSIONS = {"issues": "write"}


@dataclass(frozen=True, slots=True)
class PublishContext:
    """A run, where at GitHub it is published, and the right to write there.

    ``repository`` and ``installation`` are GitHub's ids, ``name`` is
    ``owner/name`` as it is called today.
    """

    run: RunRecord
    repository: int
    name: str
    installation: int
    head: str
    context: TaskContext

    @property
    def page(self) -> str | None:
        """The address of the run's page."""
        return self.context.links.run(self.run.id, self.run.job.private)

    @property
    def writer(self) -> RateLimitedWriter:
        """Return what writes for the run's installation."""
        return self.context.writer(self.installation)

    def existing(
        self, key: str, get: Callable[[int], _T], find: Callable[[], _T | None]
    ) -> _T | None:
        """Return what was made under a key as it is now; ``find`` looks for an earlier try's.

        What somebody deleted is forgotten, so that it may be made again.
        """
        store = self.context.store
        with store.read() as unit:
            record = unit.idempotency.get(key)
        if record is None or record.state is not IdempotencyState.DONE or record.made is None:
            return find()
        try:
            return get(int(record.made))
        except (NotFoundError, GoneError):
            with store.write() as unit:
                unit.idempotency.forget(key)
            return None

    def api(self, permissions: Mapping[str, str]) -> Api:
        """Return GitHub as the run's installation sees the repository."""
        return self.context.api(self.installation, self.repository, **permissions)


def publish_context_of(task: OutboxTaskRecord, context: TaskContext) -> PublishContext | None:
    """Read the run of a task and its repository, once; ``None``: nobody at GitHub asked for it.

    The run is private where its repository has become so: links to it are signed.
    """
    with context.store.read() as unit:
        run = unit.runs.get(task.task.run or "")
        number = None if run is None else run.job.repository_id
        known = None if number is None else unit.installations.repository(number)
    if run is None or number is None:
        return None
    job, installation, head = run.job, run.job.installation, run.job.head
    if installation is None or head is None:
        return None
    if known is not None:
        installation = known.installation
        private = job.private or known.private
        run = replace(run, job=replace(job, private=private))
    name = job.repository if known is None else known.full_name
    return PublishContext(run, number, name, installation, head, context)


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
    return f"{registration(app.api).slug}[bot]"
