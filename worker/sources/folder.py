"""Pictures from a folder of one's own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from analyzers.vocabulary import Input, Origin, Supply, Wanted
from worker.errors import UsageError
from worker.sources.pictures import Unusable, picture

INDEX = "index.json"
_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A file and the keywords of what it shows, as ``keyword`` spells them."""

    file: Path
    keywords: frozenset[str]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Folder:
    """Files as ``keyword/name.jpg``, or named by an ``index.json``.

    The index is a list of objects: ``file`` (relative), ``keywords``, and
    optionally ``url``, ``author`` and ``licence``.
    """

    root: Path

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """Pictures that show ``wanted.reading`` and none of ``other_than``.

        Without a reading: pictures that show none of ``other_than``.
        """
        entries = [entry for entry in self._entries() if _fits(entry, wanted)]
        random.Random(seed).shuffle(entries)  # noqa: S311
        found: list[Input] = []
        for entry in entries:
            if len(found) == count:
                break
            try:
                found.append(_input(entry, wanted.reading))
            except (Unusable, OSError):
                continue
        if len(found) == count:
            return Supply(tuple(found))
        what = "other pictures" if wanted.reading is None else f"pictures of {wanted.reading!r}"
        return Supply(tuple(found), f"{self.root} has {len(found)} {what}")

    def _entries(self) -> list[Entry]:
        index = self.root / INDEX
        if index.is_file():
            return list(_indexed(index))
        return [
            Entry(file, frozenset({keyword(file.parent.name)}), Origin("folder"))
            for file in sorted(self.root.glob("*/*"))
            if file.suffix.lower() in _SUFFIXES
        ]


def keyword(text: str) -> str:
    """A keyword without case, and with spaces for ``_`` and ``-``."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def _fits(entry: Entry, wanted: Wanted) -> bool:
    if entry.keywords & {keyword(other) for other in wanted.other_than}:
        return False
    return wanted.reading is None or keyword(wanted.reading) in entry.keywords


def _input(entry: Entry, reading: str | None) -> Input:
    return picture(entry.file.read_bytes(), entry.file.name, reading, entry.origin)


def _indexed(index: Path) -> Iterable[Entry]:
    try:
        entries = json.loads(index.read_text("utf-8"))
        for entry in entries:
            yield _entry(index.parent, cast("Mapping[str, Any]", entry))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(
            "must be a list of objects with file and keywords", file=str(index)
        ) from error


def _entry(root: Path, entry: Mapping[str, Any]) -> Entry:
    text: Callable[[str], str | None] = lambda key: str(entry[key]) if entry.get(key) else None  # noqa: E731
    file = (root / str(entry["file"])).resolve()
    if not file.is_relative_to(root.resolve()):
        raise ValueError("a file outside the folder")
    words = entry["keywords"]
    if not isinstance(words, list):
        raise TypeError("keywords must be a list")
    names = frozenset(keyword(str(word)) for word in cast("list[object]", words))
    origin = Origin("folder", text("url"), text("author"), text("licence"))
    return Entry(file, names, origin)
