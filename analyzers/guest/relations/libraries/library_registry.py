"""The libraries whose calls can be compared."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Optional

from ...runtime.standins import InertModule
from ..relation_types import Library

LIBRARIES: dict[str, tuple[str, str]] = {
    "torch": ("..torch_library.torch_library", "Torch"),
}
"""The libraries by name: the module, relative to this package, and the class in it."""


@cache
def library(name: str) -> Library:
    """Return the installed library, made once; raises ``LookupError`` or ``ImportError``."""
    module, kind = LIBRARIES[name]
    found: Library = getattr(import_module(module, __package__), kind)()
    return found


def loaded_library() -> Optional[Library]:
    """The library that is imported here; ``None`` where none is, or a stand-in is in its place."""
    for name in LIBRARIES:
        module = sys.modules.get(name)
        if module is not None and not isinstance(module, InertModule):
            return library(name)
    return None
