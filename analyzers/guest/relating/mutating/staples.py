"""Mutations that every form of a call is tried with before any is drawn."""

from __future__ import annotations

import math
from typing import Any, Dict, FrozenSet, List, Optional, Sequence, Tuple

from ..nouns import Live
from . import contents, shaping
from .arrays import FLOATS
from .draft import Draft, Mutation
from .extremes import extremes
from .places import DTYPE, SHAPE, VALUE, arguments, is_fixed

_MOST_FORMS = 6
_MOST_ARRAYS = 3


def _whole(draft: Draft) -> Optional[Draft]:
    """All pairs of the extremes of int64 but 0, which is refused as a divisor too early."""
    return _paired(draft, "int64", [item for item in extremes("int64") if item])


def _half(draft: Draft) -> Optional[Draft]:
    """Pairs of what half precision holds: its own range is easily left."""
    return _paired(draft, "float16", [20.0, -20.0, 1.0, -1.0, 300.0, -65504.0])


def _paired(draft: Draft, dtype: str, chosen: Sequence[Any]) -> Optional[Draft]:
    fixed = draft.known.fixed
    aspects = (VALUE, SHAPE, DTYPE)
    free = [
        (place, array)
        for place, array in draft.arrays(VALUE)[:_MOST_ARRAYS]
        if not any(is_fixed(place, aspect, fixed) for aspect in aspects)
    ]
    made = contents.grid([chosen[: 8 - 2 * len(free)] for _ in free], [dtype] * len(free))
    changes = {place: draft.made(dtype, new, old) for (place, old), new in zip(free, made)}
    return draft.changed(changes) if changes else None


def _undefined(draft: Draft) -> Optional[Draft]:
    """The last of each array's numbers is none, and all else is plain."""
    return _with(draft, math.nan, -1)


def _infinite(draft: Draft) -> Optional[Draft]:
    """The first of each array's numbers is infinite, and all else is plain."""
    return _with(draft, math.inf, 0)


def _with(draft: Draft, value: float, place: int) -> Optional[Draft]:
    import numpy as np

    changes = {}
    for at, array in draft.arrays(VALUE):
        dtype, _, values = draft.plain(array)
        if dtype in FLOATS and values.size:
            made = np.array(values)
            made.flat[place] = value
            changes[at] = draft.made(dtype, made, array)
    return draft.changed(changes) if changes else None


def _without_batch(draft: Draft) -> Optional[Draft]:
    """The first axis of the first array has no elements."""
    free = draft.arrays(SHAPE)[:1]
    return shaping.cut(draft, free, 0) if free and free[0][1].ndim else None


def _mixed(draft: Draft) -> Optional[Draft]:
    """The second floating array is of double precision, or of single where it was."""
    floating = [item for item in draft.arrays(DTYPE) if draft.plain(item[1])[0] in FLOATS]
    for place, array in floating[1:2]:
        dtype, _, values = draft.plain(array)
        other = "float32" if dtype == "float64" else "float64"
        return draft.changed({place: draft.made(other, values, array)})
    return None


STAPLES: Tuple[Mutation, ...] = (
    _whole,
    shaping.overlapped,
    _without_batch,
    _mixed,
    _undefined,
    _half,
    _infinite,
)


def kinds_of(calls: Sequence[Live]) -> List[Live]:
    """One call of each combination of keywords and words, the first ones there are."""
    found: Dict[FrozenSet[Any], Live] = {}
    for live in calls:
        words = {
            (place, repr(value) if isinstance(value, (str, bool)) else "")
            for place, value in arguments(live)
        }
        found.setdefault(frozenset(words), live)
    return list(found.values())[:_MOST_FORMS]
