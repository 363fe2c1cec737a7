"""Tells which dotted names the installed libraries have."""

from __future__ import annotations

import importlib
from typing import Any, Dict, Mapping

from . import standins
from .execution import Prepared

THERE, MISSING, ABSENT = "there", "missing", "absent"


def resolve(prepared: Prepared, message: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the ``resolved`` frame for a ``resolve`` frame (docs/guest-protocol.md)."""
    del prepared
    return {"type": "resolved", "states": {name: _state(name) for name in message["names"]}}


def nothing(reason: str) -> Dict[str, Any]:
    """Return the frame where no name could be looked up."""
    del reason
    return {"type": "resolved", "states": {}}


def _state(name: str) -> str:
    """Return whether a library has a name; ``absent`` where the library itself is not there."""
    root, *rest = name.split(".")
    found = _imported(root)
    if found is None or standins.is_standin(found):
        return ABSENT
    path = root
    for part in rest:
        path = f"{path}.{part}"
        found = _attribute(found, part, path)
        if found is None or standins.is_standin(found):
            return MISSING
    return THERE


def _attribute(owner: Any, name: str, path: str) -> Any:
    """Return an attribute or a submodule, ``True`` for one that is ``None``, ``None`` for none."""
    try:
        value = getattr(owner, name)
    except BaseException:
        return _imported(path)
    return True if value is None else value


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except BaseException:
        return None
