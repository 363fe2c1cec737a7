"""Results beside each other: tuples, dictionaries, arrays, numbers and the rest."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ..relation_types import Library
from .array_comparison import MISSING, PlainArray, Tolerance, array_difference

_PLAIN_TYPES = (str, bytes, bool, int, float, complex, type(None))
_NUMBERS = {"bool": "bool", "int": "int64", "float": "float64"}
MOST_TEXT = 80


def difference(
    result: Any, expected: Any, library: Library, tolerance: Optional[Tolerance] = None
) -> Optional[str]:
    """How a result differs from the expected one, ``None`` where it does not.

    Tuples, lists and dictionaries are walked; arrays and numbers are compared
    within the tolerance; NaN equals NaN, zeros have no sign, infinities are
    exact.  Objects of other kinds are not told apart.  The text names the first
    place: ``[2] is 3.0, expected 4.0``.
    """
    known = tolerance or Tolerance()
    return _difference(result, expected, known.precise, (library, known))


def _difference(
    result: Any, expected: Any, precise: Any, by: Tuple[Library, Tolerance]
) -> Optional[str]:
    library, tolerance = by
    ours, theirs = _plain(result, library), _plain(expected, library)
    if ours is not None and theirs is not None:
        return array_difference(ours, theirs, _plain(precise, library), tolerance)
    if isinstance(result, (tuple, list)) and isinstance(expected, (tuple, list)):
        return _of_items(result, expected, precise, by)
    if isinstance(result, dict) and isinstance(expected, dict):
        return _of_entries(result, expected, precise, by)
    if _is_comparable(result, library) and _is_comparable(expected, library):
        return (
            None if _equal(result, expected) else f"is {_said(result)}, expected {_said(expected)}"
        )
    return None


def _of_items(
    result: Any, expected: Any, precise: Any, by: Tuple[Library, Tolerance]
) -> Optional[str]:
    if len(result) != len(expected):
        return f"has {len(result)} items, expected {len(expected)}"
    names = getattr(type(result), "_fields", None) or range(len(result))
    if by[1].ties and _is_chosen(result, by[0]):
        names = list(names)[:1]
    known = isinstance(precise, (tuple, list)) and len(precise) == len(result)
    for index, name in enumerate(names):
        part = precise[index] if known else MISSING
        found = _difference(result[index], expected[index], part, by)
        if found is not None:
            return f"item {name}: {found}"
    return None


def _is_chosen(result: Any, library: Library) -> bool:
    """Whether these are elements and their indices, as ``sort`` and ``max`` give them."""
    if len(result) != 2:
        return False
    values, indices = _plain(result[0], library), _plain(result[1], library)
    if values is None or indices is None:
        return False
    return indices.dtype == "int64" and tuple(values.shape) == tuple(indices.shape)


def _of_entries(
    result: Any, expected: Any, precise: Any, by: Tuple[Library, Tolerance]
) -> Optional[str]:
    if set(result) != set(expected):
        return f"has the keys {_said(list(result))}, expected {_said(list(expected))}"
    for key, value in result.items():
        part = precise.get(key, MISSING) if isinstance(precise, dict) else MISSING
        found = _difference(value, expected[key], part, by)
        if found is not None:
            return f"item {_said(key)}: {found}"
    return None


def _plain(value: Any, library: Library) -> Optional[PlainArray]:
    """An array or number, ``None`` for all else (and for arrays that cannot be read)."""
    import numpy as np

    if isinstance(value, (bool, int, float, complex)):
        dtype = _NUMBERS.get(type(value).__name__, "complex128")
        kind: Any = object if isinstance(value, int) and abs(value) >= 2**63 else None
        return PlainArray(dtype, (), np.asarray(value, dtype=kind), is_number=True)
    if not library.is_array(value):
        return None
    try:
        return PlainArray(*library.plain(value))
    except Exception:
        return None


def _is_comparable(value: Any, library: Library) -> bool:
    kinds = (*_PLAIN_TYPES, tuple, list, dict)
    return isinstance(value, kinds) or library.is_array(value) or _is_dtype(value)


def _is_dtype(value: Any) -> bool:
    return type(value).__name__ in ("dtype", "device", "layout", "memory_format")


def _equal(result: Any, expected: Any) -> bool:
    if type(result) is not type(expected):
        return False
    try:
        return bool(result == expected)
    except Exception:
        return True


def _said(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
