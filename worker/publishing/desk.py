"""What somebody who carries out an errand works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from worker.publishing.pen import LostLeaseError, NotNowError, Patience, Pen, utc_now
from worker.settings.server import Settings
from worker.store import Store
from worker.store.records import Lease, RunRecord

if TYPE_CHECKING:
    from worker.composition.signed import Signed
    from worker.github.api import Api
    from worker.github.app import App
    from worker.store.blobs import Blobs

__all__ = ["Desk", "LostLeaseError", "NotNowError", "Patience", "Pen", "utc_now"]


@dataclass(frozen=True, slots=True)
class Desk:
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
    ring: Callable[[RunRecord], None]
    links: Signed
    now: Callable[[], datetime]
    sleep: Callable[[float], None]

    def api(self, installation: int, repository: int | None, **permissions: str) -> Api:
        """Return GitHub as an installation sees one repository, with these permissions."""
        return self.app.installation(installation, repository, permissions)

    def pen(self, installation: int) -> Pen:
        """Return what writes for an installation."""
        patience = Patience.of(self.settings)
        return Pen(self.store, self.lease, installation, patience, self.now, self.sleep)
