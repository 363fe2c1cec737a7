"""Note libraries that stand-ins replace, and those used, from all processes through a pipe."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import Dict, Iterable, List, Set, Tuple

_PIECE = 1 << 16
_LONGEST = 200
_clients: Set[str] = set()
_libraries: Dict[str, None] = {}
_told: Set[str] = set()
_pipe: List[Tuple[int, int]] = []


def exempt(packages: Iterable[str]) -> None:
    """Take packages for clients of ML APIs: descriptions stand in for them, which is no loss."""
    _clients.update(packages)


def note(name: str) -> None:
    """Note that the library, or the part of one, of this dotted name is stood in for."""
    if name.partition(".")[0] not in _clients and _library(name) is None:
        _libraries[name[:_LONGEST]] = None


def libraries() -> List[str]:
    """Return what was stood in for so far."""
    return list(_libraries)


def use(name: str) -> None:
    """Tell that the stand-in of this dotted name was used, once in each process."""
    if not _libraries or name in _told:
        return
    _told.add(name)
    library = _library(name)
    if library is not None and _pipe:
        with suppress(OSError):
            os.write(_pipe[0][1], f"{library}\n".encode())


def begin() -> None:
    """Count from now on: what was used while the project was loaded is no run."""
    if not _pipe:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        _pipe.append((reading, writing))
    _told.clear()
    used()


def used() -> List[str]:
    """Return the libraries whose stand-ins were used since this was asked before."""
    found: Dict[str, None] = {}
    while _pipe:
        try:
            piece = os.read(_pipe[0][0], _PIECE)
        except OSError:
            break
        found.update(dict.fromkeys(piece.decode("utf-8", "replace").split("\n")))
    found.pop("", None)
    return list(found)


def _library(name: str) -> object:
    parts = re.split(r"[.(\[]", name)
    heads = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return next((head for head in heads if head in _libraries), None)
