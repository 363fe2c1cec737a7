"""Files of one JSON object a line, of which the rows asked for alone are parsed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable

from analyzers.vocabulary import JsonObject


class BadTable(Exception):  # noqa: N818 - a fact about the file
    """A table that holds something else than rows of its library."""


class Sheet:
    """The rows of a file, by the text of their first field, which is called ``field``.

    Raises ``BadTable`` where the first field of a row is another.
    """

    def __init__(self, file: Traversable | None, field: str) -> None:
        self.file = file
        self._begin = f'{{"{field}": "'
        self._lines: dict[str, list[str]] = {}
        for line in _lines(file):
            before, begin, rest = line.partition(self._begin)
            key, quote, _ = rest.partition('"')
            if before or not begin or not quote:
                raise BadTable(f"{file}: a row that does not begin with {self._begin}")
            self._lines.setdefault(key, []).append(line)

    @property
    def keys(self) -> Mapping[str, int]:
        """How many rows there are of each text."""
        return {key: len(lines) for key, lines in self._lines.items()}

    def of(self, keys: Iterable[str]) -> list[JsonObject]:
        """The rows of some keys, each once, in their order; raises ``BadTable``."""
        try:
            return [
                json.loads(line) for key in dict.fromkeys(keys) for line in self._lines.get(key, ())
            ]
        except ValueError as error:
            raise BadTable(f"{self.file}: {error}") from error


def line(row: Mapping[str, object]) -> str:
    """A row as a line of such a file."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def _lines(file: Traversable | None) -> list[str]:
    text = "" if file is None else file.read_text("utf-8")
    return text.removesuffix("\n").split("\n") if text else []
