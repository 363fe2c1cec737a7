"""Contents as requests carry them: bytes, or base64 in JSON."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Optional


def content_of(value: Any) -> Optional[bytes]:
    """The bytes that a field of bytes holds; ``None`` where there are none."""
    if isinstance(value, str):
        value = _decoded(value)
    if not isinstance(value, (bytes, bytearray, memoryview)) or not value:
        return None
    return bytes(value)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text.encode("utf-8", "surrogateescape")
