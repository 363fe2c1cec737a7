"""TOML with the line of every key, for error messages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

from worker.errors import UsageError

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")


def parse(text: str, file: str) -> dict[str, Any]:
    """The document of a TOML text; ``UsageError`` with file and line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        last = text.count("\n") + 1
        line = int(place[1]) if place and place[1] else last
        said = _AT_LINE.sub("", str(error)).strip()
        raise UsageError(f"this is not TOML: {said}", file=file, line=line) from error


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The 1-based line on which the statement that sets ``path`` begins.

    ``path`` are keys and indices from the root of a document that parses.
    ``None`` for a path that the document does not have.
    """
    lines = text.splitlines(keepends=True)
    if not _has(_prefix(lines, len(lines)), path):
        return None
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        if _has(_prefix(lines, middle), path):
            high = middle
        else:
            low = middle + 1
    return low


def dotted(path: Sequence[str | int]) -> str:
    """A path as TOML writes it: ``engines."google.vision".endpoint``."""
    return ".".join(key if re.fullmatch(r"[\w-]+", key) else f'"{key}"' for key in map(str, path))


def _prefix(lines: Sequence[str], count: int) -> Any:
    """The document of the first ``count`` lines, or of the fewest more that parse."""
    for end in range(count, len(lines) + 1):
        try:
            return tomllib.loads("".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
    return {}


def _has(document: Any, path: Sequence[str | int]) -> bool:
    for key in path:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True
