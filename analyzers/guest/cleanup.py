"""Files that a call of the project's code writes: put back as they were, after the call.

A history, a cache or a counter on disk would else carry answers that were made up for
one input into the run of the next.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, Generator, Optional, Tuple

from . import arguments
from .files import is_asked

MOST_BYTES = 1 << 20
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_EVENTS: Dict[str, Tuple[int, ...]] = {
    "open": (0,),
    "os.mkdir": (0,),
    "os.rename": (0, 1),
    "os.remove": (0,),
    "os.link": (1,),
    "os.symlink": (1,),
    "sqlite3.connect": (0,),
}
"""Events of the interpreter that change files, and which of their arguments are paths."""


class _Watch:
    """The former contents of the paths that the call in progress changes; ``None``: nothing."""

    def __init__(self) -> None:
        self.root = ""
        self.is_on = False
        self._before: Dict[str, Optional[bytes]] = {}

    def hear(self, event: str, given: Tuple[Any, ...]) -> None:
        """Note what an event is about to change."""
        if not self.is_on or event not in _EVENTS:
            return
        if event == "open" and not (isinstance(given[2], int) and given[2] & _WRITING):
            return
        self.is_on = False
        try:
            for place in _EVENTS[event]:
                self._note(given[place])
        finally:
            self.is_on = True

    def _note(self, path: Any) -> None:
        if type(path) not in (str, bytes) or not is_asked(self.root, above=3):
            return
        full = Path(os.fsdecode(path)).absolute()
        if str(full) in self._before or arguments.is_scratch(str(full)):
            return
        if not os.path.lexists(full):
            self._before[str(full)] = None
        elif full.is_file() and not full.is_symlink() and full.stat().st_size <= MOST_BYTES:
            self._before[str(full)] = full.read_bytes()

    def undo(self) -> None:
        """Put everything back, the latest change first."""
        changed, self._before = list(self._before.items()), {}
        for path, contents in reversed(changed):
            with contextlib.suppress(OSError):
                _put_back(Path(path), contents)


_watch = _Watch()


def install(root: str) -> None:
    """Watch what code below ``root`` writes."""
    if not _watch.root:
        sys.addaudithook(_watch.hear)
    _watch.root = root


@contextlib.contextmanager
def undone() -> Generator[None, None, None]:
    """Undo at the end what the block writes; a block inside another leaves that to it."""
    if _watch.is_on:
        yield
        return
    _watch.is_on = True
    try:
        yield
    finally:
        _watch.is_on = False
        _watch.undo()


def _put_back(path: Path, contents: Optional[bytes]) -> None:
    if contents is not None:
        path.write_bytes(contents)
    elif path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        path.unlink()
