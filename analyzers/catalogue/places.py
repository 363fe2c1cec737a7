"""Where descriptions lie: the folder that is shipped, and one of the operator's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Protocol

KINDS = ("apis", "limits", "ordinary", "schemas")
_more: list[Path] = []
_forgetting: list[Callable[[], None]] = []


class Entry(Protocol):
    """A data file."""

    @property
    def name(self) -> str:
        """Its name, without the folder's."""
        ...

    def read_text(self, encoding: str) -> str:
        """Its text.  Raises ``OSError``."""
        ...


def add(folder: Path) -> None:
    """Read descriptions from a folder, too: ``apis``, ``schemas``, ``ordinary``, ``limits``.

    What stands there comes after what is shipped, and in its place where the
    names are the same.  Whatever was read before is read anew.
    """
    if folder not in _more:
        _more.append(folder)
        _forget()


def remove(folder: Path) -> None:
    """Read an added folder no more."""
    if folder in _more:
        _more.remove(folder)
        _forget()


def data(kind: str, suffix: str) -> Iterator[Entry]:
    """The data files of a kind, by name, those of added folders last."""
    shipped = files("analyzers.catalogue").joinpath(kind)
    yield from sorted(
        (entry for entry in shipped.iterdir() if entry.name.endswith(suffix)),
        key=lambda entry: entry.name,
    )
    for folder in _more:
        yield from sorted((folder / kind).glob(f"*{suffix}"))


def forgotten_by(clear: Callable[[], None]) -> None:
    """Call ``clear`` whenever another folder is read: it empties a cache."""
    _forgetting.append(clear)


def _forget() -> None:
    for clear in _forgetting:
        clear()
