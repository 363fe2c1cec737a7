"""Frames between host and guest (``docs/guest-protocol.md``); used by both."""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
import struct
from typing import Any, Dict, Mapping, Optional

LIMIT = 32 * 1024 * 1024
_HEADER = struct.Struct(">I")


class WireError(Exception):
    """The other side does not speak the protocol."""


def pack(frame: Mapping[str, Any], attached: bytes = b"") -> bytes:
    """A frame as bytes, with its length; raises :class:`WireError` when too long.

    ``attached`` follows the JSON as it is: base64 takes longer than all the rest.
    """
    try:
        body = _dumped(frame)
    except ValueError:
        body = _dumped(_finite(frame))
    if attached:
        body = b"\0".join((body, attached))
    if len(body) > LIMIT:
        raise WireError(f"a frame of {len(body)} bytes is too long")
    return _HEADER.pack(len(body)) + body


def unpack(body: bytes) -> Dict[str, Any]:
    """The frame that a body holds; raises :class:`WireError`."""
    try:
        frame = json.loads(body, object_hook=_bytes)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {error}") from error
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        raise WireError("not an object with a type")
    return frame


def _dumped(frame: Any) -> bytes:
    text = json.dumps(frame, separators=(",", ":"), default=_unplain, allow_nan=False)
    return text.encode("ascii")


def _finite(value: Any) -> Any:
    """The same with the numbers that JSON lacks as protobuf's JSON writes them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _unplain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}
    return str(value)


def _bytes(value: Dict[str, Any]) -> Any:
    encoded = value.get("$bytes")
    if len(value) != 1 or not isinstance(encoded, str):
        return value
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise WireError("not base64") from error


class Wire:
    """One end of the socket, as a file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def send(self, frame: Mapping[str, Any], attached: bytes = b"") -> None:
        """Write a whole frame."""
        self.write(pack(frame, attached))

    def write(self, data: bytes) -> None:
        """Write packed frames."""
        view = memoryview(data)
        while view:
            view = view[os.write(self.descriptor, view) :]

    def receive(self) -> Optional[Dict[str, Any]]:
        """Read a whole frame; ``None`` at the end of the stream."""
        header = self._read(_HEADER.size)
        if not header:
            return None
        (length,) = _HEADER.unpack(header)
        if length > LIMIT:
            raise WireError(f"a frame of {length} bytes is too long")
        return unpack(self._read(length))

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = os.read(self.descriptor, min(size - len(parts), 1 << 20))
            if not part:
                if parts:
                    raise WireError("the stream ended inside a frame")
                return b""
            parts += part
        return bytes(parts)
