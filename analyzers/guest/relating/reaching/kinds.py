"""Kinds of calls and of what they come to: what is of a known kind is not compared again."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Dict, Hashable, Tuple, Union
from typing import Counter as Counts

from ..libraries.library import Library
from ..mutating.places import arguments
from ..nouns import Live, Outcome
from ..oracles.values import leaves

MOST_ELEMENTS = 4_096
_LONGEST = 60


class Kinds:
    """How many calls of each kind were judged so far, at most ``most`` each."""

    def __init__(self, library: Library, most: int) -> None:
        self._library = library
        self._most = most
        self._counts: Counts[Hashable] = Counter()

    def take(self, place: Hashable, live: Live) -> bool:
        """Whether a call is still to be judged; it counts as judged then."""
        kind = (place, of_call(live, self._library))
        if self._counts[kind] >= self._most:
            return False
        self._counts[kind] += 1
        return True


def of_call(live: Live, library: Library) -> Hashable:
    """Types, numbers of dimensions and magnitudes of what is given where."""
    given = [(place, _of_value(value, library)) for place, value in arguments(live)]
    return live.api, tuple(sorted(given, key=repr))


def of_outcome(outcome: Outcome, value: Any, library: Library) -> Hashable:
    """How a call ended, and of what types its value is, and whether it is empty or no number."""
    found = tuple(_of_result(leaf, library) for leaf in leaves(value))
    return outcome.status, outcome.exception, found[:4]


def _of_result(value: Any, library: Library) -> Hashable:
    if not library.is_array(value):
        return type(value).__name__
    try:
        dtype, shape, elements = library.plain(value)
    except Exception:
        return "array"
    told = _of_elements(elements)
    return dtype, 0 in shape, told.get("nan", False), told.get("inf", False)


def _of_value(value: Any, library: Library) -> Hashable:
    if library.is_array(value):
        return _of_array(value, library)
    if isinstance(value, (bool, str)) or value is None:
        return repr(value)[:_LONGEST]
    if isinstance(value, (int, float)):
        return type(value).__name__, _magnitude(value)
    return type(value).__name__


def _of_array(array: Any, library: Library) -> Hashable:
    contiguous = getattr(array, "is_contiguous", None)
    dense = bool(contiguous()) if callable(contiguous) else True
    try:
        dtype, shape, elements = library.plain(array)
    except Exception:
        return "array", str(getattr(array, "dtype", ""))
    return dtype, len(shape), 0 in shape, dense, tuple(sorted(_of_elements(elements).items()))


def _of_elements(elements: Any) -> Dict[str, Hashable]:
    """Whether there are values that are none, infinite or negative, and the largest magnitude."""
    import numpy as np

    if not 0 < elements.size <= MOST_ELEMENTS or elements.dtype.kind not in "iuf":
        return {}
    flat = elements.reshape(-1).astype(np.float64)
    finite = flat[np.isfinite(flat)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    return {
        "nan": bool(np.isnan(flat).any()),
        "inf": bool(np.isinf(flat).any()),
        "negative": bool((finite < 0).any()),
        "zero": bool((finite == 0).any()),
        "largest": _magnitude(largest),
    }


def _magnitude(number: Union[int, float]) -> Tuple[str, int]:
    """Zero, or its exponent of ten in steps of four."""
    if isinstance(number, float) and not math.isfinite(number):
        return "none", 0
    return ("zero", 0) if number == 0 else ("ten", round(math.log10(abs(number)) / 4))
