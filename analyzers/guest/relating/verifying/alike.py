"""Whether two values are of kinds that can be compared at all."""

from __future__ import annotations

from typing import Any

from ..libraries.library import Library

_PLAIN = (bool, int, float, complex, str, type(None))
_WORDS = frozenset(("dtype", "device", "layout", "memory_format", "qscheme"))


def are_alike(one: Any, other: Any, library: Library) -> bool:
    """Whether both are arrays of one layout, plain values of one type, or containers of such.

    Objects of other kinds are never alike: nothing tells whether they are equal.
    """
    if library.is_array(one) or library.is_array(other):
        both = library.is_array(one) and library.is_array(other)
        return both and getattr(one, "layout", None) == getattr(other, "layout", None)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(
            are_alike(left, right, library) for left, right in zip(one, other)
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(
            are_alike(value, other[key], library) for key, value in one.items()
        )
    known = isinstance(one, _PLAIN) or type(one).__name__ in _WORDS
    return known and type(one) is type(other)
