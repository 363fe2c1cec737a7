"""Folders that are made once and used by many, on this machine.

Whoever uses one holds its lock shared, whoever makes or removes it exclusively; the kernel frees
the lock.  A folder is made under another name and appears whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from worker.errors import MachineError
from worker.system.temporary_files import made_folder, remove, sweep_folders

MANIFEST = "manifest.json"
BUILDING = "building"
POLL_SECONDS = 0.1
_ATTEMPTS = 20


class CacheLease:
    """The use of a folder; while it is held nobody removes the folder."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    def manifest(self) -> dict[str, Any]:
        """Return what was written about the folder when it was made."""
        document: dict[str, Any] = json.loads((self.path / MANIFEST).read_text("utf-8"))
        return document

    def close(self) -> None:
        """Give the folder back."""
        if self._lock is not None:
            os.utime(self._lock)
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        """Use the folder until the block ends."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Give it back."""
        self.close()


class FolderCache:
    """The folders below ``root``; together at most ``size`` bytes, as far as unused."""

    def __init__(self, root: Path, size: int) -> None:
        self._ready = root / "ready"
        self._building = root / BUILDING
        self._locks = root / "locks"
        self.downloads = root / "downloads"
        self._size = size
        try:
            for folder in (self._ready, self._building, self._locks, self.downloads):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MachineError(
                f"The folder for environments {root} cannot be made: {error.strerror}.",
                "Set [environments] folder to one that can be written.",
            ) from error

    def lent(self, key: str) -> CacheLease | None:
        """Return the folder of that name, ``None`` where it has not been made."""
        lock = self._open(key)
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        return self._lease(key, lock)

    def made(self, key: str, make: Callable[[Path], None], seconds: float) -> CacheLease:
        """Return the folder of that name, made by ``make`` where it is not there.

        One process makes it, the others wait up to ``seconds``; raises ``TimeoutError``.
        """
        deadline = time.monotonic() + seconds
        for _ in range(_ATTEMPTS):
            if lease := self.lent(key):
                return lease
            lock = self._exclusive(key, deadline)
            try:
                if not (self._ready / key).is_dir():
                    self._make(key, make)
                fcntl.flock(lock, fcntl.LOCK_SH)
            except BaseException:
                os.close(lock)
                raise
            if lease := self._lease(key, lock):
                self.evict()
                return lease
        raise TimeoutError("the environment is removed as often as it is made")

    def evict(self) -> None:
        """Remove what was used least recently and is not in use, down to the size."""
        self.sweep()
        sizes = {path.name: _size(path) for path in self._ready.iterdir()}
        excess = sum(sizes.values()) - self._size
        for key in sorted(sizes, key=self._used):
            if excess <= 0:
                return
            if self.remove(key):
                excess -= sizes[key]

    def sweep(self) -> None:
        """Remove what dead processes left half made."""
        sweep_folders(self._building)

    def keys(self) -> list[str]:
        """Return the names of what is there, the least recently used first."""
        return sorted((path.name for path in self._ready.iterdir()), key=self._used)

    def _make(self, key: str, make: Callable[[Path], None]) -> None:
        with self._half_made(key) as folder:
            make(folder)
            folder.chmod(0o755)
            folder.rename(self._ready / key)

    @contextmanager
    def _half_made(self, key: str) -> Generator[Path]:
        folder, lock = made_folder(self._building, key)
        try:
            yield folder
        finally:
            if folder.exists():
                remove(folder)
            os.close(lock)

    def touch(self, key: str) -> None:
        """Count a folder as used now."""
        with suppress(FileNotFoundError):
            os.utime(self._locks / key)

    def remove(self, key: str) -> bool:
        """Remove a folder; whether it was there and nobody used it."""
        lock = self._open(key)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            gone = self._building / f"{key}-{secrets.token_hex(6)}"
            (self._ready / key).rename(gone)
        except OSError:
            return False
        finally:
            os.close(lock)
        remove(gone)
        return True

    def _open(self, key: str) -> int:
        return os.open(self._locks / key, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)

    def _exclusive(self, key: str, deadline: float) -> int:
        lock = self._open(key)
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            if time.monotonic() > deadline:
                os.close(lock)
                raise TimeoutError("another process has been making the environment for too long")
            time.sleep(POLL_SECONDS)

    def _lease(self, key: str, lock: int) -> CacheLease | None:
        if not (self._ready / key).is_dir():
            os.close(lock)
            return None
        os.utime(lock)
        return CacheLease(self._ready / key, lock)

    def _used(self, key: str) -> float:
        with suppress(OSError):
            return (self._locks / key).stat().st_mtime
        return 0.0


def _size(path: Path) -> int:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads((path / MANIFEST).read_text("utf-8"))["size"])
    return 0


def size_on_disk(folder: Path) -> int:
    """Return the bytes that the files below a folder take up; links are not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118
    return total
