"""What arrays may hold instead: random values, ties, extremes, indices past the end."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Callable, Dict, Sequence, Tuple

from .array_construction import COMPLEX, FLOATS, cast
from .call_draft import CallDraft

_FLOAT_BOUNDS: Dict[str, Tuple[float, float, float]] = {
    "float16": (65504.0, 2.0**-14, 2.0**-24),
    "bfloat16": (3.3895313892515355e38, 2.0**-126, 2.0**-133),
    "float32": (3.4028234663852886e38, 2.0**-126, 2.0**-149),
    "float64": (1.7976931348623157e308, 2.0**-1022, 2.0**-1074),
}
"""The largest number of each dtype, its smallest normal one and its smallest."""


@cache
def extremes(dtype: str) -> Tuple[Any, ...]:
    """The extremes of a dtype, and a few plain values to go with them."""
    if dtype == "bool":
        return (False, True)
    if dtype in FLOATS:
        largest, normal, least = _FLOAT_BOUNDS[dtype]
        plain = (0.0, 1.0, -1.0, -0.0, 0.5, -2.5, 2.0, 20.0)
        return (*plain, math.nan, math.inf, -math.inf, largest, -largest, normal, least)
    if dtype in COMPLEX:
        nan, inf = math.nan, math.inf
        return (0j, 1 + 0j, -1 + 0j, 1j, complex(0, nan), complex(inf, 0), complex(-0.0, -0.0))
    return _integers(dtype)


def _integers(dtype: str) -> Tuple[int, ...]:
    bits = int(dtype.lstrip("uint"))
    if dtype.startswith("u"):
        return (0, 1, 2**bits - 1, 2, 5, 2 ** (bits - 1))
    far = (2**31,) if bits > 32 else ()
    return (0, 1, -1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 5, 2, *far)


INTS: Tuple[int, ...] = (0, 1, -1, 2, -2, 7, 2**31 - 1, 2**31, 2**63 - 1, -(2**63))
"""Integers for arguments that are numbers."""

NUMBERS: Tuple[float, ...] = (
    *(0.0, 1.0, -1.0, -0.0, 0.5, 2.5, -2.5, 1e-8, 100.0, 1e30, 1e308),
    *(math.inf, -math.inf, math.nan),
)
"""Floats for arguments that are numbers."""

Values = Any


def another(draft: CallDraft, dtype: str, values: Values) -> Values:
    """Other elements of the same dtype and shape."""
    return draft.rng.choice(_KINDS)(draft, dtype, values)


def _random(draft: CallDraft, dtype: str, values: Values) -> Values:
    numbers = draft.numbers
    if dtype == "bool":
        return numbers.random(values.shape) < 0.5
    if dtype in FLOATS or dtype in COMPLEX:
        scale = draft.rng.choice((1.0, 1.0, 1.0, 10.0, 1e-3, 1e4))
        drawn = numbers.standard_normal(values.shape) * scale
        imaginary = numbers.standard_normal(values.shape) if dtype in COMPLEX else None
        return cast(drawn if imaginary is None else drawn + 1j * imaginary, dtype)
    return cast(numbers.integers(0 if dtype[0] == "u" else -9, 10, values.shape), dtype)


def _tied(draft: CallDraft, dtype: str, values: Values) -> Values:
    return cast(draft.numbers.integers(0, 3, values.shape), dtype)


def _constant(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    with np.errstate(all="ignore"):
        return np.full_like(values, draft.rng.choice(extremes(dtype)))


def _pointed(draft: CallDraft, dtype: str, values: Values) -> Values:
    """One element is an extreme."""
    import numpy as np

    made = np.array(values)
    if made.size:
        with np.errstate(all="ignore"):
            made.flat[draft.rng.randrange(made.size)] = draft.rng.choice(extremes(dtype))
    return made


def _sprinkled(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    drawn = draft.numbers.integers(0, len(extremes(dtype)), values.shape)
    return cast(np.asarray(extremes(dtype))[drawn], dtype)


def _sorted(draft: CallDraft, _dtype: str, values: Values) -> Values:
    import numpy as np

    made = np.sort(values, axis=None).reshape(values.shape)
    return np.ascontiguousarray(made[::-1] if made.ndim and draft.rng.random() < 0.5 else made)


def _scaled(draft: CallDraft, dtype: str, values: Values) -> Values:
    import numpy as np

    if dtype == "bool":
        return ~values
    with np.errstate(all="ignore"):
        return cast(values * draft.rng.choice((-1, 2, 100)), dtype)


def _past_the_end(draft: CallDraft, dtype: str, values: Values) -> Values:
    """For indices, classes, pivots: one past the sizes and numbers of the call, or negative."""
    import numpy as np

    if dtype in FLOATS or dtype in COMPLEX or dtype == "bool":
        return _pointed(draft, dtype, values)
    bound = np.asarray(draft.rng.choice(_bounds(draft.sizes)), "int64").astype(values.dtype)
    if draft.rng.random() < 0.5:
        return np.full_like(values, bound)
    made = np.array(values)
    if made.size:
        made.flat[draft.rng.randrange(made.size)] = bound
    return made


def _bounds(sizes: Sequence[int]) -> Tuple[int, ...]:
    found = {-1, 0, 1}
    for size in sizes:
        found |= {size - 1, size, size + 1, -size, -size - 1}
    return tuple(sorted(found))


_KINDS: Tuple[Callable[[CallDraft, str, Values], Values], ...] = (
    _random,
    _random,
    _tied,
    _constant,
    _pointed,
    _sprinkled,
    _past_the_end,
    _past_the_end,
    _sorted,
    _scaled,
)


def crossed(draft: CallDraft, dtypes: Sequence[str]) -> Sequence[Values]:
    """For each dtype a vector, so that together they hold all combinations of some extremes."""
    return grid([_some(draft, dtype, len(dtypes)) for dtype in dtypes], dtypes)


def grid(chosen: Sequence[Sequence[Any]], dtypes: Sequence[str]) -> Sequence[Values]:
    """Vectors of these dtypes that together hold all combinations of what is chosen for each."""
    import numpy as np

    places = np.meshgrid(*[np.arange(len(part)) for part in chosen], indexing="ij")
    return [
        cast(np.asarray(part)[place.ravel()], dtype)
        for part, place, dtype in zip(chosen, places, dtypes)
    ]


def _some(draft: CallDraft, dtype: str, ways: int) -> Sequence[Any]:
    """Some extremes: not all, since one that is refused hides the others."""
    known = extremes(dtype)
    most = min(len(known), 15 if ways == 1 else 8 if ways == 2 else 4)
    return draft.rng.sample(known, draft.rng.randint(1, most))
