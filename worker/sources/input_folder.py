"""Pictures or texts from a folder of one's own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from analyzers.vocabulary import Input, InputKind, InputRequest, InputSupply, Origin
from worker.errors import UsageError
from worker.sources.keyword_search import keyword, names_of, unwanted
from worker.sources.picture_files import UnusablePicture, picture

INDEX = "index.json"
MOST_TEXT = 100_000
Made: TypeAlias = Callable[[bytes, str, str | None, Origin], Input]


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files of one sort; ``made`` makes an input of one or raises ``UnusablePicture``."""

    things: str
    suffixes: frozenset[str]
    made: Made


def _text(content: bytes, name: str, reading: str | None, origin: Origin) -> Input:
    if len(content) > MOST_TEXT:
        raise UnusablePicture("the text is larger than 100 kB")
    try:
        text = content.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise UnusablePicture("the text is not UTF-8") from error
    if not text:
        raise UnusablePicture("the text is empty")
    return Input(InputKind.TEXT, text.encode(), name, reading, ".txt", origin)


PICTURES = FolderFiles(
    "pictures", frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"}), picture
)
TEXTS = FolderFiles("texts", frozenset({".txt"}), _text)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A file and the keywords of what it shows, as ``keyword`` spells them."""

    file: Path
    keywords: frozenset[str]
    origin: Origin


@dataclass(frozen=True, slots=True)
class InputFolder:
    """Files as ``keyword/name.jpg``, or named by an ``index.json``.

    The index lists objects with ``file``, ``keywords`` and maybe ``url``, ``author``, ``licence``.
    Messages call the folder by its ``title``, if it has one.
    """

    root: Path
    files: FolderFiles = PICTURES
    title: str = ""

    def find(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """Return files with ``wanted.reading``, if any, and none of ``other_than``."""
        entries = [entry for entry in self._entries() if _fits(entry, wanted)]
        random.Random(seed).shuffle(entries)  # noqa: S311
        found: dict[str, Input] = {}
        for entry in entries:
            if len(found) == count:
                break
            try:
                item = self._input(entry, wanted.reading)
            except (UnusablePicture, OSError):
                continue
            found.setdefault(item.digest, item)
        if len(found) == count:
            return InputSupply(tuple(found.values()))
        things = self.files.things
        what = f"other {things}" if wanted.reading is None else f"{things} of {wanted.reading!r}"
        return InputSupply(
            tuple(found.values()), f"{self.title or self.root} has {len(found)} {what}"
        )

    def _input(self, entry: IndexEntry, reading: str | None) -> Input:
        return self.files.made(entry.file.read_bytes(), entry.file.name, reading, entry.origin)

    def _entries(self) -> list[IndexEntry]:
        index = self.root / INDEX
        if index.is_file():
            return list(_indexed(index))
        return [
            IndexEntry(file, frozenset({keyword(file.parent.name)}), Origin("folder"))
            for file in sorted(self.root.glob("*/*"))
            if file.suffix.lower() in self.files.suffixes
        ]


def _fits(entry: IndexEntry, wanted: InputRequest) -> bool:
    if entry.keywords & unwanted(wanted):
        return False
    return wanted.reading is None or bool(names_of(wanted.reading) & entry.keywords)


def _indexed(index: Path) -> Iterable[IndexEntry]:
    try:
        entries = json.loads(index.read_text("utf-8"))
        for entry in entries:
            yield _entry(index.parent, cast("Mapping[str, Any]", entry))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(
            "must be a list of objects with file and keywords", file=str(index)
        ) from error


def _entry(root: Path, entry: Mapping[str, Any]) -> IndexEntry:
    text: Callable[[str], str | None] = lambda key: str(entry[key]) if entry.get(key) else None  # noqa: E731
    file = (root / str(entry["file"])).resolve()
    if not file.is_relative_to(root.resolve()):
        raise ValueError("a file outside the folder")
    words = entry["keywords"]
    if not isinstance(words, list):
        raise TypeError("keywords must be a list")
    names = frozenset(keyword(str(word)) for word in cast("list[object]", words))
    origin = Origin("folder", text("url"), text("author"), text("licence"))
    return IndexEntry(file, names, origin)
