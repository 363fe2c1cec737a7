"""A prepared clone as one file, on its way from the publisher to a worker."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from worker.errors import MachineError

CLONES = "clones"
MOST_BYTES = 2 << 30
MOST_FILES = 100_000
_CLASHES = (FileExistsError, IsADirectoryError, NotADirectoryError)
_REMEDY = "Look who else writes to the blobs, and run the check again."


def clone_key(run_id: str) -> str:
    """Where the prepared clone of a run lies among the blobs."""
    return f"{CLONES}/{run_id}.tar"


def pack(folder: Path, file: Path) -> None:
    """Write the files below a folder into an archive; links are left out."""
    with tarfile.open(file, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            if not path.is_symlink() and (path.is_file() or path.is_dir()):
                archive.add(path, path.relative_to(folder).as_posix(), recursive=False)


def unpack(stream: IO[bytes], folder: Path) -> None:
    """Write an archive's files into an empty folder.

    Raises ``MachineError`` for anything but plain files and folders inside
    it, for more than ``MOST_BYTES`` or ``MOST_FILES``, and for no archive.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in _checked(archive):
                _write(archive, member, folder)
    except (tarfile.TarError, ValueError, EOFError, *_CLASHES) as error:
        raise MachineError(f"a prepared clone is damaged ({error})", _REMEDY) from error


def _checked(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    size = 0
    for number, member in enumerate(archive, 1):
        size += member.size
        if not (member.isreg() or member.isdir()):
            raise MachineError("a prepared clone holds more than files and folders", _REMEDY)
        if size > MOST_BYTES or number > MOST_FILES:
            raise MachineError("a prepared clone is too large", _REMEDY)
        yield member


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write one member; tarfile's own filters are missing from Python 3.11.0 to 3.11.3."""
    place = PurePosixPath(member.name)
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise MachineError("a prepared clone leads out of its folder", _REMEDY)
    path = folder / place
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    source = archive.extractfile(member)
    assert source is not None
    with source, path.open("xb") as target:
        shutil.copyfileobj(source, target)
    if member.mode & 0o100:
        path.chmod(0o755)
