"""The values at which kernels go wrong: bounds of each dtype, zeros, NaN, ±inf, denormals."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Dict, Tuple

from .arrays import COMPLEX, FLOATS

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
