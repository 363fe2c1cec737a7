"""The libraries whose calls can be compared."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Dict, Tuple

from .library import Library

LIBRARIES: Dict[str, Tuple[str, str]] = {
    "torch": ("torch_.library", "Torch"),
    "numpy": ("numpy_.library", "Numpy"),
    "jax": ("jax_.library", "Jax"),
    "keras": ("keras_.library", "Keras"),
}
"""The libraries by name: the module of this package, and the class in it."""


@cache
def library(name: str) -> Library:
    """The installed library of that name; raises ``LookupError``, and ``ImportError`` without it.

    It is imported only now, and made once in a process.
    """
    module, kind = LIBRARIES[name]
    found: Library = getattr(import_module(f".{module}", __package__), kind)()
    return found
