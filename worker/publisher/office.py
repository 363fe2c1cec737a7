"""What all threads of a publisher share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Event

from sqlalchemy import exc

from worker.composition.signed import Signed
from worker.github.app import App
from worker.publishing.desk import Desk, NotNowError, Patience, utc_now
from worker.settings.server import Settings
from worker.store import Store
from worker.store.blobs import Blobs
from worker.store.records import Lease, RunRecord

STORE_AWAY = (
    exc.OperationalError,
    exc.InterfaceError,
    exc.DisconnectionError,
    exc.TimeoutError,
)
"""What the database's absence looks like; other errors of its are about what it was told."""


@dataclass(frozen=True, slots=True)
class Office:
    """The App, the store and the clock; ``stop`` says that the process ends.

    ``sleep`` (seconds) stands in for waiting until then.
    """

    settings: Settings
    store: Store
    app: App
    blobs: Blobs
    ring: Callable[[RunRecord], None]
    links: Signed
    stop: Event
    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], None] | None = None

    @property
    def patience(self) -> Patience:
        """How long requests, slots and leases may take."""
        return Patience.of(self.settings)

    def desk(self, lease: Lease) -> Desk:
        """Return what is needed to do the errands of a lane."""
        return Desk(
            settings=self.settings,
            store=self.store,
            app=self.app,
            blobs=self.blobs,
            lease=lease,
            ring=self.ring,
            links=self.links,
            now=self.now,
            sleep=self.sleep or self._wait,
        )

    def _wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise NotNowError(self.now(), "the process ends")
