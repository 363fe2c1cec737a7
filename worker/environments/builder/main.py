"""Unpacks a source distribution, builds its wheel and sends that as bytes.

Foreign code runs in children that have no channel.  The host believes
nothing of what comes back.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .hooks import Backend
from .unpacking import unpack

PIECE = 1 << 20
HEADER = 4


def main(descriptor: int) -> None:
    """Read the order, follow it, say what has come of it."""
    with socket.socket(fileno=descriptor) as channel:
        order = _order(channel)
        try:
            for frame in _replies(order):
                _send(channel, frame)
        except (OSError, ValueError) as error:
            _send(channel, _said(kind="failed", reason=str(error)))


def _replies(order: dict[str, Any]) -> Iterator[bytes]:
    source = unpack(order["archive"], Path.cwd() / "source", order["size"], order["files"])
    backend = Backend(source, order["backend"], order["paths"])
    if order["dynamic"]:
        requires = backend.call("get_requires_for_build_wheel", optional=True)
        if requires:
            yield _said(kind="requires", requires=[str(each) for each in requires])
            return
    folder = Path.cwd() / "dist"
    folder.mkdir()
    wheel = folder / Path(str(backend.call("build_wheel", str(folder)))).name
    with wheel.open("rb") as file:
        yield _said(kind="wheel", name=wheel.name, size=wheel.stat().st_size)
        yield from iter(lambda: file.read(PIECE), b"")


def _said(**message: object) -> bytes:
    return json.dumps(message).encode("ascii")


def _send(channel: socket.socket, frame: bytes) -> None:
    channel.sendall(len(frame).to_bytes(HEADER, "big") + frame)


def _order(channel: socket.socket) -> dict[str, Any]:
    with channel.makefile("rb") as stream:
        length = int.from_bytes(stream.read(HEADER), "big")
        order: dict[str, Any] = json.loads(stream.read(length))
        return order
