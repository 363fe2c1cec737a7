"""The files of a hostile tree, within their limits."""

from __future__ import annotations

import codecs
import json
import posixpath
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worker.changes.tree_entries import TreeFolder

LARGEST = 16 << 20


class Unreadable(Exception):  # noqa: N818 - a fact about the tree
    """A file that cannot be read; the message says why."""


class TreeFiles:
    """A tree's regular files; links are not followed, nothing outside is reached."""

    def __init__(self, root: Path) -> None:
        self._folder = TreeFolder(root)
        self._root = root

    def has(self, path: str) -> bool:
        """Return whether a regular file lies there."""
        status = self._folder.status(path)
        return status is not None and stat.S_ISREG(status.st_mode)

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names in a folder, sorted; none where it is no folder of the tree."""
        status = self._folder.status(folder) if folder else self._root.stat()
        if status is not None and stat.S_ISDIR(status.st_mode):
            yield from sorted(entry.name for entry in (self._root / folder).iterdir())

    def text(self, path: str) -> str:
        """Return the text of a file; raise ``Unreadable``."""
        if not self.has(path):
            raise Unreadable("there is no such file in the tree")
        try:
            content = self._folder.read(path, LARGEST + 1)
        except OSError as error:
            raise Unreadable(error.strerror or "cannot be read") from error
        if len(content) > LARGEST:
            raise Unreadable(f"has more than {LARGEST:,} bytes")
        return decoded(content)

    def toml(self, path: str) -> dict[str, Any]:
        """A TOML document; raises ``Unreadable``."""
        try:
            return tomllib.loads(self.text(path))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise Unreadable("is no TOML") from error

    def json(self, path: str) -> dict[str, Any]:
        """A JSON object; raises ``Unreadable``."""
        try:
            document = json.loads(self.text(path))
        except (ValueError, RecursionError) as error:
            raise Unreadable("is no JSON") from error
        if not isinstance(document, dict):
            raise Unreadable("is no JSON object")
        return document


def decoded(content: bytes) -> str:
    """Return the text of a file; ``pip freeze`` on Windows writes UTF-16."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")


def joined(folder: str, path: str) -> str | None:
    """A relative path seen from a folder of the tree; ``None`` where it leaves the tree."""
    whole = posixpath.normpath(posixpath.join(folder, path))
    outside = posixpath.isabs(whole) or whole.split("/")[0] == ".."
    return None if outside or "\0" in whole else whole


def table(value: object) -> dict[str, Any]:
    """A table of a hostile document: an empty one where it is something else."""
    return value if isinstance(value, dict) else {}


def tables(value: object) -> list[dict[str, Any]]:
    """Return the tables in an array of a hostile document."""
    return [item for item in items(value) if isinstance(item, dict)]


def items(value: object) -> list[Any]:
    """An array of a hostile document: an empty one where it is something else."""
    return value if isinstance(value, list) else []


def texts(value: object) -> list[str]:
    """Return the strings in an array of a hostile document."""
    return [item for item in items(value) if isinstance(item, str)]
