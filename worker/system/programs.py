"""Environment of programs that we start: little of our own.

Ours may hold what references like ``env:NAME`` name, and nobody else needs it.
Nothing is looked up where we stand: that may be somebody else's checkout.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SAFE_PATH = "PYTHONSAFEPATH"
_OURS = Path(__file__).resolve().parents[2]


def environment(*kept: str, **more: str) -> dict[str, str]:
    """Return a program's environment: ``kept`` names of ours, ``more``, the system's ``PATH``."""
    ours = {name: os.environ[name] for name in kept if name in os.environ}
    return {"PATH": SEARCH_PATH} | ours | more


def search_path(folder: Path) -> str:
    """Return our ``PATH`` for a program in ``folder``, without entries in its checkout."""
    checkout = _checkout(folder)
    ours = os.environ.get("PATH", "").split(os.pathsep)
    trusted = (entry for entry in ours if _is_absolute(entry) and not _is_in(checkout, entry))
    return os.pathsep.join(dict.fromkeys((*trusted, *SEARCH_PATH.split(os.pathsep))))


def located(program: str, folder: Path) -> str | None:
    """Return the absolute path of a program that is started in ``folder``."""
    return shutil.which(program, path=search_path(folder))


def remove_current_folder() -> None:
    """Keep the current folder out of what this process and its children import and start."""
    here, entries = Path.cwd(), os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ[SAFE_PATH] = "1"
    os.environ["PATH"] = search_path(here)
    strange: set[Path] = set()
    if any(entries):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(_is_absolute, entries))
        strange = {(here / entry).resolve() for entry in entries if not _is_absolute(entry)}
    if not sys.flags.safe_path and Path(sys.path[0]).absolute() == here != _OURS:
        del sys.path[0]
    strange.discard(_OURS)
    sys.path[:] = [
        entry for entry in sys.path if _is_absolute(entry) and Path(entry).resolve() not in strange
    ]


def _is_absolute(entry: str) -> bool:
    return entry.startswith("/")


def _is_in(checkout: Path, entry: str) -> bool:
    """Say whether a folder lies in a checkout; one above a home folder holds only itself."""
    place, home = Path(entry).resolve(), Path(os.path.expanduser("~"))  # noqa: PTH111 - may be none
    if home.is_relative_to(checkout):
        return place == checkout
    return place.is_relative_to(checkout)


def _checkout(folder: Path) -> Path:
    """Return the top of the checkout that holds a folder; without one, the folder."""
    folder = folder.resolve()
    above = (place for place in (folder, *folder.parents) if os.path.lexists(place / ".git"))
    return next(above, folder)
