"""The numbers of each dtype: which exist, which are next, and the bounds that they allow.

Floating-point numbers are stepped through by their bit patterns, whose order
is that of the numbers (IEEE 754); bfloat16 is the upper half of a float32.
"""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from ...annotations.constraints import Constraint
from ...annotations.syntax import render
from ..recipes import LiteralRecipe, Recipe
from .call_scope import CallScope, UnsatisfiableConstraint

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

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
    """Return the least and greatest number of a dtype within bounds; ``None`` without any.

    An open bound at zero ends at the smallest normal number.
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


LEAST_INT, MOST_INT = -(2**63), 2**63 - 1
"""Integers of which no bound is said fit into 64 bits, as those of every framework do."""


def bools(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """False, or true."""
    from hypothesis.strategies import booleans

    return booleans().map(LiteralRecipe)


def ints(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Integers within bounds; shrinks to the one nearest zero."""
    from hypothesis.strategies import integers

    low, high = whole_bounds(constraint)
    step = constraint.value("multiple_of") or 1
    first, last = -(-low // step), high // step
    if first > last:
        raise UnsatisfiableConstraint(render(constraint), "no integer meets it")
    if step == 1:
        return integers(first, last).map(LiteralRecipe)
    return integers(first, last).map(lambda times: LiteralRecipe(times * step))


def whole_bounds(constraint: Constraint) -> Tuple[int, int]:
    """The least and the greatest integer that a constraint allows, both included."""
    low, high = constraint.value("min"), constraint.value("max")
    least = LEAST_INT if low in (None, -math.inf) else math.ceil(low)
    most = MOST_INT if high in (None, math.inf) else math.floor(high)
    return min(least, most) if low is None else least, max(least, most) if high is None else most


def floats(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Draw floats within bounds, none subnormal; NaN and, on sides without a bound, infinities."""
    from hypothesis.strategies import just, one_of

    low, high = _finite(constraint.value("min")), _finite(constraint.value("max"))
    dtype = f"float{constraint.value('width', 64)}"
    found = bounds(
        dtype,
        low,
        high,
        open_low=constraint.value("exclude_min", False),
        open_high=constraint.value("exclude_max", False),
    )
    if found is None:
        raise UnsatisfiableConstraint(render(constraint), f"no {dtype} meets it")
    options = [numbers(dtype, *found).map(LiteralRecipe)]
    if constraint.value("allow_inf"):
        options += [just(LiteralRecipe(math.inf))] if high is None else []
        options += [just(LiteralRecipe(-math.inf))] if low is None else []
    if constraint.value("allow_nan"):
        options.append(just(LiteralRecipe(math.nan)))
    return one_of(options)


def _finite(bound: Optional[float]) -> Optional[float]:
    return None if bound in (None, math.inf, -math.inf) else bound


def numbers(dtype: str, low: float, high: float) -> SearchStrategy[float]:
    """Normal numbers and zero of a dtype between two of its own."""
    from hypothesis.strategies import floats as drawn

    normal: Dict[str, Any] = {"allow_subnormal": False}
    tiny = any(0 < abs(bound) < SMALLEST[dtype] for bound in (low, high))
    whole = abs(low) == LARGEST[dtype] == high
    return drawn(
        None if whole else low,
        None if whole else high,
        allow_nan=False,
        allow_infinity=False,
        width=int(dtype[5:]),  # type: ignore[arg-type]
        **({} if tiny else normal),
    )


MOST_LENGTH = 16
"""How many characters a string has where nothing is said."""


def strings(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Strings of printable characters, or of the alphabet's, or that a whole pattern matches."""
    from hypothesis.strategies import text

    low = constraint.value("min_len", 0)
    high = constraint.value("max_len")
    most = max(low, MOST_LENGTH) if high is None else high
    pattern = constraint.value("pattern")
    if pattern is not None:
        return _matching(constraint, pattern).map(LiteralRecipe)
    alphabet = constraint.value("alphabet")
    if alphabet is not None and not alphabet and low > 0:
        raise UnsatisfiableConstraint(render(constraint), "its alphabet is empty")
    letters = _letters() if alphabet is None else "".join(alphabet)
    return text(letters, min_size=low, max_size=most).map(LiteralRecipe)


def _letters() -> Any:
    """Printable characters: others, surrogates above all, few files and terminals can hold."""
    from hypothesis.strategies import characters

    return characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))


def _matching(constraint: Constraint, pattern: str) -> SearchStrategy[str]:
    from hypothesis.strategies import from_regex

    low, high = constraint.value("min_len", 0), constraint.value("max_len")
    alphabet = constraint.value("alphabet")
    try:
        found = from_regex(
            re.compile(pattern),
            fullmatch=True,
            **({} if alphabet is None else {"alphabet": "".join(alphabet)}),
        )
        found.validate()
    except Exception as error:
        raise UnsatisfiableConstraint(
            render(constraint), f"its pattern cannot be drawn from: {error}"
        ) from error
    if not low and high is None:
        return found
    return found.filter(lambda drawn: low <= len(drawn) and (high is None or len(drawn) <= high))
