"""Unpacks a source distribution, builds its wheel and sends that as bytes.

Foreign code runs in children that have no channel.  The host believes
nothing of what comes back.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
import tarfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def unpack(archive: str, place: Path, size: int, files: int) -> Path:
    """Unpack a bounded ``.tar.gz`` into a new folder; return the one folder in it.

    Raises ``ValueError`` for an archive that is not as it should be.
    """
    place.mkdir()
    try:
        with tarfile.open(archive, "r:gz") as opened:
            for member in _bounded(opened, size, files):
                _extract(opened, member, place)
    except (tarfile.TarError, EOFError) as error:
        raise ValueError(f"the source cannot be unpacked: {error}") from error
    folders = list(place.iterdir())
    if len(folders) != 1:
        raise ValueError("the source is not one folder")
    return folders[0]


def _bounded(opened: tarfile.TarFile, size: int, files: int) -> Iterator[tarfile.TarInfo]:
    for count, member in enumerate(opened):
        size -= member.size
        if size < 0 or count >= files:
            raise ValueError("the source is too large")
        yield member


def _extract(opened: tarfile.TarFile, member: tarfile.TarInfo, place: Path) -> None:
    """Extract within ``place``; interpreters without filters do without links."""
    if hasattr(tarfile, "data_filter"):
        opened.extract(member, place, filter="data")
        return
    if member.name.startswith("/") or ".." in member.name.split("/"):
        raise ValueError("the source has a file outside its folder")
    if member.isreg() or member.isdir():
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        opened.extract(member, place)


LONGEST = 60_000
MOST_OPEN = 1024


class Backend:
    """A build backend, ``module:object``, for the source in a folder; ``paths`` are importable."""

    def __init__(self, source: Path, name: str, paths: list[str]) -> None:
        self._source = source
        self._module, _, self._object = name.partition(":")
        self._paths = [str(source / path) for path in paths]

    def call(self, hook: str, *arguments: str, optional: bool = False) -> Any:
        """Return a hook's JSON, ``None`` if absent and optional; raise ``ValueError``."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            self._run(writing, lambda: self._result(hook, arguments, optional=optional))
        os.close(writing)
        _, status = os.waitpid(child, 0)
        os.set_blocking(reading, False)
        try:
            said = os.read(reading, LONGEST) if status == 0 else b""
        except BlockingIOError:
            said = b""
        os.close(reading)
        if not said:
            raise ValueError(f"{hook} failed")
        return json.loads(said.decode("ascii"))

    def _run(self, writing: int, result: Any) -> None:
        status = 1
        try:
            os.closerange(3, writing)
            os.closerange(writing + 1, MOST_OPEN)
            os.chdir(self._source)
            sys.path[:1] = self._paths
            sys.argv[:] = ["build"]
            os.write(writing, json.dumps(result()).encode("ascii")[:LONGEST])
            status = 0
        except BaseException:  # noqa: BLE001 - whatever a backend throws
            traceback.print_exc()
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)

    def _result(self, hook: str, arguments: tuple[str, ...], *, optional: bool) -> Any:
        found: Any = importlib.import_module(self._module)
        for name in filter(None, self._object.split(".")):
            found = getattr(found, name)
        if optional and not hasattr(found, hook):
            return None
        return getattr(found, hook)(*arguments)


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
