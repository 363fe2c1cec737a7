"""The line of a project that is being executed."""

from __future__ import annotations

import inspect
import os
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Optional, Tuple

_GUEST = f"{Path(__file__).resolve().parents[2]}{os.sep}"
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_STANDARD = sysconfig.get_paths()["stdlib"]


def use(root: str) -> Tuple[str, int]:
    """The innermost frame of code of the project at ``root``: its path from there, and line.

    Without a root any code that belongs to no library is the project's, and its path is the
    whole one.  ``("", 0)`` where there is none.
    """
    frame: Optional[FrameType] = inspect.currentframe()
    while frame is not None:
        path = frame.f_code.co_filename
        if _is_project(path, root):
            return (os.path.relpath(path, root) if root else path), frame.f_lineno
        frame = frame.f_back
    return "", 0


def _is_project(path: str, root: str) -> bool:
    inside = path.startswith(root.rstrip(os.sep) + os.sep) if root else not path.startswith("<")
    if not inside or path.startswith((_GUEST, _STANDARD)):
        return False
    return not any(each in path for each in _LIBRARIES)
