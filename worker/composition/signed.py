"""Addresses of pages and files, as they stand in comments."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from worker.links import Links

DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Signed:
    """Links below ``public_url``; those of private runs open for ``seconds`` at least.

    They end with a day (UTC), so that a text stays the same for a day.
    ``links`` is ``None`` where there is no secret to sign with; ``now``
    tells the Unix time.
    """

    public_url: str | None
    links: Links | None
    seconds: int
    now: Callable[[], float]

    def run(self, run_id: str, private: bool) -> str | None:  # noqa: FBT001
        """Return the address of a run's page; ``None`` where nobody could open it."""
        return self._address(run_id, "", private=private)

    def file(self, run_id: str, name: str, private: bool) -> str | None:  # noqa: FBT001
        """Return the address of a file of a run, by its name in the report.

        ``None`` for a file outside the run's folder, too.
        """
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\0" in name:
            return None
        return self._address(run_id, f"/files/{quote(name, safe='/')}", private=private)

    def _address(self, run_id: str, rest: str, *, private: bool) -> str | None:
        if self.public_url is None or (private and self.links is None):
            return None
        address = f"{self.public_url.rstrip('/')}/runs/{quote(run_id, safe='')}{rest}"
        if not private or self.links is None:
            return address
        expires = math.ceil((self.now() + self.seconds) / DAY_SECONDS) * DAY_SECONDS
        return f"{address}?{self.links.query(run_id, expires)}"
