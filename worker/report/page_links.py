"""Addresses of pages and files, as they stand in comments."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, urlencode


@dataclass(frozen=True, slots=True)
class LinkSigner:
    """Signs and checks links with a key derived from ``secret``."""

    secret: bytes

    def query(self, run_id: str, expires: int) -> str:
        """Return the query that opens ``run_id`` until ``expires`` (Unix time)."""
        return urlencode({"expires": expires, "sig": self._signature(run_id, expires)})

    def open(self, run_id: str, expires: str, sig: str, now: float) -> bool:
        """Tell whether a query opens ``run_id`` at the time ``now``."""
        if not (expires.isascii() and expires.isdecimal() and len(expires) <= 12):
            return False
        genuine = hmac.compare_digest(self._signature(run_id, int(expires)).encode(), sig.encode())
        return genuine and now < int(expires)

    def _signature(self, run_id: str, expires: int) -> str:
        key = hmac.new(self.secret, b"assayer: links to runs", hashlib.sha256).digest()
        message = f"{run_id}\n{expires}".encode()
        return hmac.new(key, message, hashlib.sha256).hexdigest()


DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Links below ``public_url``, signed ones open for ``seconds`` until a day's end (UTC)."""

    public_url: str | None
    links: LinkSigner | None
    seconds: int
    now: Callable[[], float]

    def run(self, run_id: str, private: bool) -> str | None:  # noqa: FBT001
        """Return the address of a run's page; ``None`` where nobody could open it."""
        return self._address(run_id, "", private=private)

    def file(self, run_id: str, name: str, private: bool) -> str | None:  # noqa: FBT001
        """Return a run's file's address by name; ``None`` outside its folder."""
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
