"""The library that a project's code has loaded."""

from __future__ import annotations

import sys
from typing import Optional

from ..standins import InertModule
from .libraries.library import Library

WATCHED = ("torch",)
"""The libraries whose calls can be seen while a project makes them."""


def installed() -> Optional[Library]:
    """The library that is imported here; ``None`` where none is, or a stand-in is in its place."""
    from .libraries import library

    for name in WATCHED:
        module = sys.modules.get(name)
        if module is not None and not isinstance(module, InertModule):
            return library(name)
    return None
