"""The folder that a project works in: its files, where it can write."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from pathlib import Path

from . import files

SHOWN = 1000
_OTHERS = ("env", "node_modules", "site-packages", "venv")


def enter(root: Path, own: Path) -> None:
    """Work in a folder that shows the project's files and can be written to."""
    place = Path(tempfile.mkdtemp(prefix="work-"))
    for folder in (root, own):
        _show(folder, place)
    os.chdir(place)
    files.work_in(str(place))


def _show(folder: Path, place: Path) -> None:
    """Show a folder's files as links, in folders that can be written to.

    Folders are made anew, those near the top first; behind ``SHOWN`` entries, and
    where others' code lies, they are links themselves.
    """
    left = SHOWN
    waiting = deque([(folder, place)])
    while waiting:
        shown, at = waiting.popleft()
        for entry in shown.iterdir():
            left -= 1
            link = at / entry.name
            if left > 0 and _is_own(entry) and not link.is_symlink():
                link.mkdir(exist_ok=True)
                waiting.append((entry, link))
            elif not os.path.lexists(link):
                link.symlink_to(entry)


def _is_own(entry: Path) -> bool:
    """Whether an entry is a folder that the project may write into."""
    named = not entry.name.startswith(".") and entry.name not in _OTHERS
    folder = named and entry.is_dir() and not entry.is_symlink()
    return folder and os.access(entry, os.R_OK | os.X_OK)
