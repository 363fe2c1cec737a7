"""Files that outlive a run: in a folder, or wherever fsspec can write."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

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

    def fetch_file(self, key: str, file: Path) -> None:
        """Write what a key has to a file; raises ``FileNotFoundError``."""
        with self.open(key) as source, file.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK)

    def fetch_folder(self, prefix: str, folder: Path) -> None:
        """Write everything under ``prefix/`` below a folder."""
        for key in self.keys(prefix):
            target = folder / key.removeprefix(f"{prefix}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            self.fetch_file(key, target)

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
