"""Booleans, integers and floats."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from ..annotations.nouns import Constraint
from ..annotations.rendering import render
from .precision import LARGEST, SMALLEST, bounds
from .recipes import Literal, Recipe
from .scope import Scope, Unmeetable

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

LEAST_INT, MOST_INT = -(2**63), 2**63 - 1
"""Integers of which no bound is said fit into 64 bits, as those of every framework do."""


def bools(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """False, or true."""
    from hypothesis.strategies import booleans

    return booleans().map(Literal)


def ints(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Integers within bounds; shrinks to the one nearest zero."""
    from hypothesis.strategies import integers

    low, high = whole_bounds(constraint)
    step = constraint.value("multiple_of") or 1
    first, last = -(-low // step), high // step
    if first > last:
        raise Unmeetable(render(constraint), "no integer meets it")
    if step == 1:
        return integers(first, last).map(Literal)
    return integers(first, last).map(lambda times: Literal(times * step))


def whole_bounds(constraint: Constraint) -> Tuple[int, int]:
    """The least and the greatest integer that a constraint allows, both included."""
    low, high = constraint.value("min"), constraint.value("max")
    least = LEAST_INT if low in (None, -math.inf) else math.ceil(low)
    most = MOST_INT if high in (None, math.inf) else math.floor(high)
    return min(least, most) if low is None else least, max(least, most) if high is None else most


def floats(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Floats within bounds, none subnormal; NaN and infinities where they are allowed.

    An infinity needs the bound on its side to be missing.
    """
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
        raise Unmeetable(render(constraint), f"no {dtype} meets it")
    options = [numbers(dtype, *found).map(Literal)]
    if constraint.value("allow_inf"):
        options += [just(Literal(math.inf))] if high is None else []
        options += [just(Literal(-math.inf))] if low is None else []
    if constraint.value("allow_nan"):
        options.append(just(Literal(math.nan)))
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
