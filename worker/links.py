"""Links that open a private run's page for a while."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Links:
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
