"""Unpacking a source distribution in the sandbox."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path


def unpack(archive: str, place: Path, size: int, files: int) -> Path:
    """Unpack a ``.tar.gz`` into a new folder; return the one folder in it.

    ``size`` bytes and ``files`` members at most.  Raises ``ValueError`` for
    an archive that is not as it should be.
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
