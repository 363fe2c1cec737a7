"""Places for results of runs before: each repository has its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from worker.system.recording_folders import recording_folder_name

if TYPE_CHECKING:
    from worker.store.blobs import Blobs

FOLDER = "results"


class ResultStore(Protocol):
    """A place for small files of one repository."""

    def read(self, name: str) -> bytes:
        """Return a file's content; raise ``OSError`` where there is none."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Keep a file's content; raise ``OSError``."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, if it is there; raise ``OSError``."""
        ...


class FolderResults:
    """Results on this machine, for nobody but the user."""

    def __init__(self, cache: Path, owner: str) -> None:
        self._folder = cache / FOLDER / recording_folder_name(owner)

    def read(self, name: str) -> bytes:
        """Return a file's content; raise ``OSError`` where there is none."""
        return (self._folder / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Keep a file's content, whole or not at all; raise ``OSError``."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = self._folder / f".{name}.{time.monotonic_ns()}"
        part.write_bytes(content)
        part.replace(self._folder / name)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (self._folder / name).unlink(missing_ok=True)


class BlobResults:
    """Results among the blobs that all workers share."""

    def __init__(self, blobs: Blobs, owner: str) -> None:
        self._blobs = blobs
        self._prefix = results_prefix(owner)

    def read(self, name: str) -> bytes:
        """Return a file's content; raise ``OSError`` where there is none."""
        return self._blobs.read(f"{self._prefix}/{name}")

    def write(self, name: str, content: bytes) -> None:
        """Keep a file's content; raise ``OSError``."""
        self._blobs.put(f"{self._prefix}/{name}", content)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there; raise ``OSError``."""
        self._blobs.remove(f"{self._prefix}/{name}")


def results_prefix(owner: str) -> str:
    """Return where the results of one repository lie among the blobs."""
    return f"{FOLDER}/{recording_folder_name(owner)}"
