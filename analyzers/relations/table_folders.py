"""Folders of relation tables: the one that is shipped, and those built on this machine.

A table is a folder named by library and version (``torch-2.13.0``) with files
of one JSON object a line.  A file of an added folder stands in the place of
the shipped one: what was judged is shipped, what holds may be built anew.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

ABOUT = "about.json"
APIS = "apis.jsonl"
RELATIONS = "relations.jsonl"
DIVERGENCES = "divergences.jsonl"
_more: list[Path] = []
_forgetting: list[Callable[[], None]] = []


def add(folder: Path) -> None:
    """Read tables from a folder of folders, too; whatever was read before is read anew."""
    if folder not in _more:
        _more.append(folder)
    clear_caches()


def remove(folder: Path) -> None:
    """Read an added folder no more."""
    if folder in _more:
        _more.remove(folder)
    clear_caches()


def added() -> tuple[Path, ...]:
    """The folders that were added."""
    return tuple(_more)


def clear_caches() -> None:
    """Read anew what was read: a table was written."""
    for clear in _forgetting:
        clear()


def register_cache(clear: Callable[[], None]) -> None:
    """Call ``clear`` whenever tables are read anew: it empties a cache."""
    _forgetting.append(clear)


def table_file(name: str, file: str) -> Traversable | None:
    """A file of the table of that name: of the folder added last, or else as shipped."""
    for root in (*reversed(_more), _shipped()):
        place = root.joinpath(name).joinpath(file)
        if place.is_file():
            return place
    return None


def is_shipped(name: str) -> bool:
    """Return whether the relations of the table of that name are those that are shipped."""
    return not any((root / name / RELATIONS).is_file() for root in _more)


def tables() -> list[str]:
    """The names of the tables that are there, sorted."""
    roots = [root for root in (*_more, _shipped()) if root.is_dir()]
    there = {place.name for root in roots for place in root.iterdir()}
    return sorted(name for name in there if table_file(name, RELATIONS))


def _shipped() -> Traversable:
    return files("analyzers.relations").joinpath("data")
