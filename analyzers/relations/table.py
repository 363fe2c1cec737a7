"""The relation table of a library's version: what its calls should agree with, and where not.

Only the rows of the APIs asked for are parsed and checked, so that a table of
thousands of relations costs a pull request a few milliseconds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import TypeVar

from analyzers.relations import rows, shelves
from analyzers.relations.rows import BadRow, Judged, Known
from analyzers.relations.sheets import BadTable, Sheet
from analyzers.vocabulary import JsonObject
from analyzers.vocabulary.relations import Divergence, Equivalence

CLAIMED = ("bug", "")
"""The verdicts with which a divergence is told to an author: a bug, or not judged yet."""
_Row = TypeVar("_Row")


class Table:
    """The table of one version of a library; ``name`` is its folder's (``torch-2.13.0``).

    What it gives is checked on the way: everything raises ``BadTable``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.library, _, self.version = name.partition("-")

    def equivalences(self, apis: Iterable[str]) -> tuple[Equivalence, ...]:
        """The relations of which one of ``apis`` is the source: those of values first."""
        wanted = tuple(apis)
        parameters = {each.name: each.parameters for each in self.known(wanted)}
        found = self._read(
            self._relations, wanted, lambda row: rows.equivalence(row, self.library, parameters)
        )
        return tuple(sorted(found, key=lambda each: (each.source, each.kind != "value")))

    def divergences(
        self, apis: Iterable[str], verdicts: Iterable[str] = CLAIMED
    ) -> tuple[Divergence, ...]:
        """The divergences of ``apis`` with one of these verdicts."""
        wanted = frozenset(verdicts)
        return tuple(each.divergence for each in self.judged(apis) if each.verdict in wanted)

    def judged(self, apis: Iterable[str]) -> tuple[Judged, ...]:
        """All known divergences of ``apis``, with what a person found of each."""
        return self._read(self._divergences, apis, lambda row: rows.judged(row, self.library))

    def dismissed(self, apis: Iterable[str]) -> frozenset[tuple[str, str, str]]:
        """API, relation and related call of what was judged, and never a bug: nothing to tell."""
        found = self.judged(apis)
        claimed = {_identity(each.divergence) for each in found if each.verdict in CLAIMED}
        return frozenset(_identity(each.divergence) for each in found) - claimed

    def known(self, apis: Iterable[str]) -> tuple[Known, ...]:
        """What the table says of ``apis`` themselves; those that it does not know are left out."""
        return self._read(self._apis, apis, lambda row: rows.known(row, self.library))

    @property
    def names(self) -> tuple[str, ...]:
        """All APIs that it knows, sorted."""
        sheets = (self._apis, self._relations, self._divergences)
        return tuple(sorted({name for sheet in sheets for name in sheet.keys}))

    @property
    def is_shipped(self) -> bool:
        """Whether its relations are those that Assayer is shipped with."""
        return shelves.is_shipped(self.name)

    @cached_property
    def about(self) -> JsonObject:
        """How it was made: ``version``, ``platform``, ``inputs``, ``seconds``, …; may be empty."""
        place = shelves.found(self.name, shelves.ABOUT)
        try:
            found: object = json.loads(place.read_text("utf-8")) if place else {}
        except ValueError as error:
            raise BadTable(f"{place}: {error}") from error
        if not isinstance(found, dict):
            raise BadTable(f"{place}: is no object")
        return found

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many APIs of each status, relations of each kind, divergences of each verdict."""
        names = self.names
        found = self.judged(names)
        return {
            "apis": Counter(each.status for each in self.known(names)),
            "relations": Counter(each.kind for each in self.equivalences(names)),
            "divergences": Counter(each.verdict or "unjudged" for each in found),
        }

    @cached_property
    def _apis(self) -> Sheet:
        return Sheet(shelves.found(self.name, shelves.APIS), "name")

    @cached_property
    def _relations(self) -> Sheet:
        return Sheet(shelves.found(self.name, shelves.RELATIONS), "source")

    @cached_property
    def _divergences(self) -> Sheet:
        """What was judged of a release holds for all that is built of it."""
        release = f"{self.library}-{self.version.partition('+')[0]}"
        file = shelves.DIVERGENCES
        return Sheet(shelves.found(self.name, file) or shelves.found(release, file), "api")

    @staticmethod
    def _read(
        sheet: Sheet, keys: Iterable[str], read: Callable[[JsonObject], _Row]
    ) -> tuple[_Row, ...]:
        try:
            return tuple(read(row) for row in sheet.of(keys))
        except BadRow as error:
            raise BadTable(f"{sheet.file}: {error}") from error


def table(library: str, version: str) -> Table | None:
    """The table of a library's version, ``2.13.0+cpu`` as of its release ``2.13.0``.

    One that was built for that very version comes before one of the release.
    """
    for name in dict.fromkeys((version, version.partition("+")[0])):
        found = _table(f"{library}-{name}")
        if found is not None:
            return found
    return None


def tables() -> tuple[Table, ...]:
    """All tables that are there, by name."""
    return tuple(each for each in map(_table, shelves.tables()) if each is not None)


@cache
def _table(name: str) -> Table | None:
    return Table(name) if shelves.found(name, shelves.RELATIONS) else None


shelves.forgotten_by(_table.cache_clear)


def _identity(divergence: Divergence) -> tuple[str, str, str]:
    return divergence.api, divergence.relation, divergence.related
