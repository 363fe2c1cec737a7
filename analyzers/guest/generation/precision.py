"""The numbers of each dtype: which exist, which are next, and the bounds that they allow.

Floating-point numbers are stepped through by their bit patterns, whose order
is that of the numbers (IEEE 754); bfloat16 is the upper half of a float32.
"""

from __future__ import annotations

import math
import struct
from typing import Dict, Optional, Tuple

_FORMATS: Dict[str, Tuple[str, str, int, int]] = {
    "float16": ("<e", "<H", 0, 16),
    "bfloat16": ("<f", "<I", 16, 16),
    "float32": ("<f", "<I", 0, 32),
    "float64": ("<d", "<Q", 0, 64),
}
"""How to pack, how to read the bits, how many low bits are dropped, how many remain."""

LARGEST: Dict[str, float] = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
}
SMALLEST: Dict[str, float] = {
    "float16": 2.0**-14,
    "bfloat16": 2.0**-126,
    "float32": 2.0**-126,
    "float64": 2.0**-1022,
}
"""The smallest normal numbers: hardware flushes smaller ones to zero."""

EPSILON: Dict[str, float] = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "float64": 2.0**-52,
}

_BITS = {f"{sign}int{bits}": (sign, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}
WHOLE: Dict[str, Tuple[int, int]] = {
    "bool": (0, 1),
    **{
        name: (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        for name, (sign, bits) in _BITS.items()
    },
}
"""The least and the greatest number of each whole dtype."""

PARTS: Dict[str, str] = {"complex64": "float32", "complex128": "float64"}
"""The dtypes of the parts of complex numbers."""


def bounds(
    dtype: str, low: Optional[float], high: Optional[float], *, open_low: bool, open_high: bool
) -> Optional[Tuple[float, float]]:
    """The least and the greatest number of a dtype within bounds; ``None`` where there is none.

    An open bound at zero ends at the smallest normal number.  Without a bound
    the dtype's own holds.
    """
    if dtype in WHOLE:
        return _whole_bounds(WHOLE[dtype], low, high, open_low=open_low, open_high=open_high)
    dtype = PARTS.get(dtype, dtype)
    most = LARGEST[dtype]
    least = -most if low is None else _at_least(dtype, low, excluded=open_low)
    greatest = most if high is None else 0.0 - _at_least(dtype, -high, excluded=open_high)
    return (least, greatest) if least <= greatest and least <= most and greatest >= -most else None


def _whole_bounds(
    span: Tuple[int, int],
    low: Optional[float],
    high: Optional[float],
    *,
    open_low: bool,
    open_high: bool,
) -> Optional[Tuple[int, int]]:
    least, greatest = span
    if low is not None and low > -math.inf:
        least = max(least, math.floor(low) + 1 if open_low else math.ceil(low))
    if high is not None and high < math.inf:
        greatest = min(greatest, math.ceil(high) - 1 if open_high else math.floor(high))
    return (least, greatest) if least <= greatest else None


def _at_least(dtype: str, low: float, *, excluded: bool) -> float:
    """The least number of a dtype from ``low`` on; more than the largest where there is none."""
    if low > LARGEST[dtype]:
        return math.inf
    if low < -LARGEST[dtype]:
        return -LARGEST[dtype]
    if low == 0:
        return SMALLEST[dtype] if excluded else 0.0
    found = _truncated(dtype, low)
    while found < low or (excluded and found == low):
        found = following(dtype, found)
    return found


def _truncated(dtype: str, value: float) -> float:
    """A number of a dtype at or just below ``value``, which is within its range."""
    found = from_ordinal(dtype, _ordinal(dtype, value))
    return found if found <= value else from_ordinal(dtype, _ordinal(dtype, found) - 1)


def following(dtype: str, value: float) -> float:
    """The next greater number of a dtype."""
    return from_ordinal(dtype, _ordinal(dtype, value) + 1)


def _ordinal(dtype: str, value: float) -> int:
    packing, reading, dropped, bits = _FORMATS[dtype]
    try:
        packed = struct.pack(packing, value)
    except OverflowError:
        packed = struct.pack(packing, math.copysign(LARGEST[dtype], value))
    pattern: int = struct.unpack(reading, packed)[0] >> dropped
    sign = 1 << (bits - 1)
    return -(pattern & (sign - 1)) if pattern & sign else pattern


def from_ordinal(dtype: str, ordinal: int) -> float:
    """The number at a place in the order of a dtype's numbers; zero is at 0."""
    packing, reading, dropped, bits = _FORMATS[dtype]
    pattern = ordinal if ordinal >= 0 else -ordinal | (1 << (bits - 1))
    return struct.unpack(packing, struct.pack(reading, pattern << dropped))[0]  # type: ignore[no-any-return]


def rounded(dtype: str, value: float) -> float:
    """A number of a dtype next to ``value``, which is within its range."""
    return from_ordinal(dtype, _ordinal(dtype, value)) if dtype in _FORMATS else value
