"""Telling GitHub's deliveries from everybody else's."""

from __future__ import annotations

import hashlib
import hmac

_PREFIX = "sha256="


def signed(secret: bytes, body: bytes) -> str:
    """Return the ``X-Hub-Signature-256`` of a body."""
    return _PREFIX + hmac.new(secret, body, hashlib.sha256).hexdigest()


def is_signed(secret: bytes, body: bytes, header: str | None) -> bool:
    """Compare the header with the raw body's signature, in constant time."""
    expected = signed(secret, body).encode()
    return hmac.compare_digest(expected, (header or "").encode())
