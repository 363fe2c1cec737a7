"""Frames between a process and its child: JSON and arrays, never pickles."""

from __future__ import annotations

import io
import json
import os
import select
import struct
import time
from typing import Any, Dict, List, Sequence, Tuple

Frame = Tuple[Dict[str, Any], List[Any]]
MOST_BYTES = 1 << 31
_HEAD = struct.Struct(">QQ")


class Ended(Exception):  # noqa: N818 - a fact about the other side
    """The other side has closed its end."""


class Late(Exception):  # noqa: N818 - a fact about the other side
    """The other side has not answered in time."""


def packed(message: Dict[str, Any], arrays: Sequence[Any]) -> bytes:
    """A frame as bytes: two lengths, JSON, an ``npz`` of the arrays by number."""
    import numpy

    body = json.dumps(message).encode()
    stored = io.BytesIO()
    named: Dict[str, Any] = {str(number): array for number, array in enumerate(arrays)}
    numpy.savez(stored, **named)
    data = stored.getvalue() if arrays else b""
    return _HEAD.pack(len(body), len(data)) + body + data


def written(descriptor: int, frame: bytes) -> None:
    """Write all of a frame; raises :class:`Ended`."""
    rest = memoryview(frame)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BrokenPipeError as error:
        raise Ended("it no longer reads") from error


def received(descriptor: int, seconds: float = -1.0) -> Frame:
    """The next frame, within ``seconds`` (below zero: whenever it comes).

    Raises :class:`Ended`, :class:`Late`, and ``ValueError`` for what is no frame.
    """
    until = None if seconds < 0 else time.monotonic() + seconds
    body_size, data_size = _HEAD.unpack(_exactly(descriptor, _HEAD.size, until))
    if body_size + data_size > MOST_BYTES:
        raise ValueError("a frame without end")
    message = json.loads(_exactly(descriptor, body_size, until))
    return message, _arrays(_exactly(descriptor, data_size, until))


def _arrays(data: bytes) -> List[Any]:
    if not data:
        return []
    import numpy

    with numpy.load(io.BytesIO(data), allow_pickle=False) as stored:
        return [stored[str(number)] for number in range(len(stored.files))]


def _exactly(descriptor: int, size: int, until: Any) -> bytes:
    found = bytearray()
    while len(found) < size:
        if until is not None:
            _await(descriptor, until)
        part = os.read(descriptor, min(size - len(found), 1 << 20))
        if not part:
            raise Ended("it has closed its end")
        found += part
    return bytes(found)


def _await(descriptor: int, until: float) -> None:
    remaining = until - time.monotonic()
    if remaining <= 0 or not select.select([descriptor], [], [], remaining)[0]:
        raise Late("it has not answered in time")
