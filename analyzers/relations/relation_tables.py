"""The relation table of a library's version; only rows of the APIs asked for are parsed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from typing import TypeVar

from analyzers.relations import table_folders, table_rows
from analyzers.relations.table_rows import InvalidRowError, LibraryFunction, ReviewedDivergence
from analyzers.vocabulary import JsonObject
from analyzers.vocabulary.library_relations import Divergence, Equivalence


class InvalidTableError(Exception):
    """A table that holds something else than rows of its library."""


class JsonLinesFile:
    """The rows of a file by their first field, ``field``; raises ``InvalidTableError``."""

    def __init__(self, file: Traversable | None, field: str) -> None:
        self.file = file
        self._begin = f'{{"{field}": "'
        self._lines: dict[str, list[str]] = {}
        text = "" if file is None else file.read_text("utf-8")
        for line in text.removesuffix("\n").split("\n") if text else ():
            before, begin, rest = line.partition(self._begin)
            key, quote, _ = rest.partition('"')
            if before or not begin or not quote:
                raise InvalidTableError(f"{file}: a row that does not begin with {self._begin}")
            self._lines.setdefault(key, []).append(line)

    @property
    def keys(self) -> Mapping[str, int]:
        """Return how many rows there are of each text."""
        return {key: len(lines) for key, lines in self._lines.items()}

    def of(self, keys: Iterable[str]) -> list[JsonObject]:
        """The rows of some keys, each once, in their order; raises ``InvalidTableError``."""
        try:
            return [
                json.loads(line) for key in dict.fromkeys(keys) for line in self._lines.get(key, ())
            ]
        except ValueError as error:
            raise InvalidTableError(f"{self.file}: {error}") from error


def line(row: Mapping[str, object]) -> str:
    """A row as a line of such a file."""
    return json.dumps(row, ensure_ascii=False) + "\n"


CLAIMED = ("bug", "")
"""The verdicts with which a divergence is told to an author: a bug, or not judged yet."""
_Row = TypeVar("_Row")


class RelationTable:
    """The table of one library version, its folder's ``name``; raises ``InvalidTableError``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.library, _, self.version = name.partition("-")

    def equivalences(self, apis: Iterable[str]) -> tuple[Equivalence, ...]:
        """The relations of which one of ``apis`` is the source: those of values first."""
        wanted = tuple(apis)
        parameters = {each.name: each.parameters for each in self.known(wanted)}
        found = self._read(
            self._relations,
            wanted,
            lambda row: table_rows.equivalence(row, self.library, parameters),
        )
        return tuple(sorted(found, key=lambda each: (each.source, each.kind != "value")))

    def divergences(
        self, apis: Iterable[str], verdicts: Iterable[str] = CLAIMED
    ) -> tuple[Divergence, ...]:
        """The divergences of ``apis`` with one of these verdicts."""
        wanted = frozenset(verdicts)
        return tuple(each.divergence for each in self.judged(apis) if each.verdict in wanted)

    def judged(self, apis: Iterable[str]) -> tuple[ReviewedDivergence, ...]:
        """All known divergences of ``apis``, with what a person found of each."""
        return self._read(self._divergences, apis, lambda row: table_rows.judged(row, self.library))

    def dismissed(self, apis: Iterable[str]) -> frozenset[tuple[str, str, str]]:
        """API, relation and related call of what was judged, and never a bug: nothing to tell."""
        found = self.judged(apis)
        claimed = {identity(each.divergence) for each in found if each.verdict in CLAIMED}
        return frozenset(identity(each.divergence) for each in found) - claimed

    def known(self, apis: Iterable[str]) -> tuple[LibraryFunction, ...]:
        """Return the table's rows of ``apis`` themselves; unknown ones are left out."""
        return self._read(self._apis, apis, lambda row: table_rows.known(row, self.library))

    @property
    def names(self) -> tuple[str, ...]:
        """All APIs that it knows, sorted."""
        sheets = (self._apis, self._relations, self._divergences)
        return tuple(sorted({name for sheet in sheets for name in sheet.keys}))

    @property
    def is_shipped(self) -> bool:
        """Return whether its relations are those that Assayer is shipped with."""
        return table_folders.is_shipped(self.name)

    @cached_property
    def about(self) -> JsonObject:
        """Return how it was made: ``version``, ``platform``, ``inputs``, …; may be empty."""
        place = table_folders.table_file(self.name, table_folders.ABOUT)
        try:
            found: object = json.loads(place.read_text("utf-8")) if place else {}
        except ValueError as error:
            raise InvalidTableError(f"{place}: {error}") from error
        if not isinstance(found, dict):
            raise InvalidTableError(f"{place}: is no object")
        return found

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return the numbers of APIs by status, relations by kind, divergences by verdict."""
        names = self.names
        found = self.judged(names)
        return {
            "apis": Counter(each.status for each in self.known(names)),
            "relations": Counter(each.kind for each in self.equivalences(names)),
            "divergences": Counter(each.verdict or "unjudged" for each in found),
        }

    @cached_property
    def _apis(self) -> JsonLinesFile:
        return JsonLinesFile(table_folders.table_file(self.name, table_folders.APIS), "name")

    @cached_property
    def _relations(self) -> JsonLinesFile:
        return JsonLinesFile(table_folders.table_file(self.name, table_folders.RELATIONS), "source")

    @cached_property
    def _divergences(self) -> JsonLinesFile:
        release = f"{self.library}-{self.version.partition('+')[0]}"
        file = table_folders.DIVERGENCES
        return JsonLinesFile(
            table_folders.table_file(self.name, file) or table_folders.table_file(release, file),
            "api",
        )

    @staticmethod
    def _read(
        sheet: JsonLinesFile, keys: Iterable[str], read: Callable[[JsonObject], _Row]
    ) -> tuple[_Row, ...]:
        try:
            return tuple(read(row) for row in sheet.of(keys))
        except InvalidRowError as error:
            raise InvalidTableError(f"{sheet.file}: {error}") from error


def table(library: str, version: str) -> RelationTable | None:
    """Return the table built for a version, else that of its release (``2.13.0`` of ``+cpu``)."""
    for name in dict.fromkeys((version, version.partition("+")[0])):
        found = _table(f"{library}-{name}")
        if found is not None:
            return found
    return None


def tables() -> tuple[RelationTable, ...]:
    """All tables that are there, by name."""
    return tuple(each for each in map(_table, table_folders.tables()) if each is not None)


@cache
def _table(name: str) -> RelationTable | None:
    return RelationTable(name) if table_folders.table_file(name, table_folders.RELATIONS) else None


table_folders.register_cache(_table.cache_clear)


def identity(divergence: Divergence) -> tuple[str, str, str]:
    """API, relation and related call of a divergence."""
    return divergence.api, divergence.relation, divergence.related
