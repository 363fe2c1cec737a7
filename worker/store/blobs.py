"""Files that outlive a run: in a folder, or wherever fsspec can write."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from worker.errors import MachineError

_PART = re.compile(r"[^/\\\x00-\x1f\x7f]{1,255}")
_LONGEST_KEY = 900
_CHUNK = 1 << 20


class Blobs:
    """Files by their keys, in the folder or at the fsspec address ``url``.

    A key is ``a/b/c`` without ``..``; anything else raises ``ValueError``.
    What is put is there as a whole or not at all.  Raises ``OSError`` where
    the place is out of reach, ``MachineError`` where its driver is not
    installed.
    """

    def __init__(self, url: str) -> None:
        self._files, self._root, self._local = _open(url)

    def put(self, key: str, content: bytes) -> None:
        """Keep bytes, in place of what the key had."""
        self._put(key, lambda file: _ignore(file.write(content)))

    def put_file(self, key: str, file: Path) -> None:
        """Keep a file's content, in place of what the key had."""
        with file.open("rb") as source:
            self._put(key, lambda target: shutil.copyfileobj(source, target, _CHUNK))

    def put_folder(self, prefix: str, folder: Path) -> None:
        """Keep every regular file below a folder, under ``prefix/``; links are left out."""
        for file in _regular(folder):
            self.put_file(f"{prefix}/{file.relative_to(folder).as_posix()}", file)

    def open(self, key: str) -> BinaryIO:
        """Open what a key has; raises ``FileNotFoundError``."""
        path = self._path(key)
        if not self._files.isfile(path):
            raise FileNotFoundError(key)
        return cast("BinaryIO", self._files.open(path, "rb"))

    def read(self, key: str) -> bytes:
        """Return what a key has; raises ``FileNotFoundError``."""
        with self.open(key) as file:
            return file.read()

    def size(self, key: str) -> int:
        """Return how many bytes a key has; raises ``FileNotFoundError``."""
        path = self._path(key)
        if not self._files.isfile(path):
            raise FileNotFoundError(key)
        return int(cast("int", self._files.size(path)))

    def keys(self, prefix: str) -> tuple[str, ...]:
        """Return the keys under ``prefix/``, in order."""
        path = self._path(prefix)
        if not self._files.isdir(path):
            return ()
        found = (str(name) for name in cast("list[str]", self._files.find(path)))
        keys = (f"{prefix}/{name[len(path) :].lstrip('/')}" for name in found)
        return tuple(sorted(key for key in keys if not _is_partial(key)))

    def names(self, prefix: str) -> tuple[str, ...]:
        """Return what lies directly under ``prefix/``: files and folders, in order."""
        return tuple(sorted({key.split("/")[prefix.count("/") + 1] for key in self.keys(prefix)}))

    def remove(self, prefix: str) -> None:
        """Remove a key, or everything under ``prefix/``; what is not there is no error."""
        path = self._path(prefix)
        try:
            self._files.rm(path, recursive=True)
        except FileNotFoundError:
            return

    def _put(self, key: str, write: Callable[[BinaryIO], None]) -> None:
        path = self._path(key)
        if self._local:
            _replace(Path(path), write)
            return
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        with self._files.open(path, "wb") as file:
            write(cast("BinaryIO", file))

    def _path(self, key: str) -> str:
        parts = key.split("/")
        whole = all(_PART.fullmatch(part) and part not in {".", ".."} for part in parts)
        if not whole or len(key) > _LONGEST_KEY or _is_partial(key):
            raise ValueError(f"this is no key of a blob: {key[:80]!r}")
        return f"{self._root}/{key}"


def _open(url: str) -> tuple[AbstractFileSystem, str, bool]:
    if "://" not in url:
        url = Path(url).resolve().as_uri()
    try:
        files, root = cast("tuple[Any, str]", url_to_fs(url, use_listings_cache=False))
    except (ImportError, ValueError) as error:
        raise MachineError(
            f"the blobs' place cannot be opened: {error}",
            "Set [store] blobs to a folder, or install fsspec's driver for it.",
        ) from error
    return files, root.rstrip("/"), "file" in files.protocol


def _replace(path: Path, write: Callable[[BinaryIO], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{uuid.uuid4().hex}.partial")
    try:
        with partial.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _is_partial(key: str) -> bool:
    return key.endswith(".partial")


def _regular(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = Path(parent, name)
            if file.is_file() and not file.is_symlink():
                yield file


def _ignore(_written: int) -> None:
    """Writing says how much it wrote."""


CLONES = "clones"
MAX_BYTES = 2 << 30
MAX_FILES = 100_000
_CLASHES = (FileExistsError, IsADirectoryError, NotADirectoryError)
_REMEDY = "Look who else writes to the blobs, and run the check again."


def clone_key(run_id: str) -> str:
    """Return where the prepared clone of a run lies among the blobs."""
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
        if size > MAX_BYTES or number > MAX_FILES:
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
