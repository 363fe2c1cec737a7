"""The frame ``relate``: which inputs of a target lead to library calls that fail."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from ...execution import Prepared
from ..installed import installed


def relate(prepared: Prepared, message: Mapping[str, Any]) -> Dict[str, Any]:
    """The ``related`` frame for a ``relate`` frame."""
    if installed() is None:
        return nothing("no library whose calls can be seen is imported")
    return nothing("nothing is compared yet")


def nothing(obstacle: str) -> Dict[str, Any]:
    """A ``related`` frame that says why nothing was compared."""
    return {
        "type": "related",
        "reached": [],
        "beyond": [],
        "executions": 0,
        "seconds": 0.0,
        "obstacle": obstacle,
        "notes": [],
    }
