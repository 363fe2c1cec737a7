"""Intervals of numbers, which bounds of integers and of floats are alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

from analyzers.guest.annotations.constraints import Constraint

from .constraint_builders import build_if_possible, map_parts, options_of

NUMBERS = ("ints", "floats")
SIZED = ("lists", "strings", "dicts")
"""What a bound on a length alone may be said of."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from ``low`` to ``high``; ``None`` is no bound; bounds may be excluded."""

    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False

    def meet(self, other: Interval) -> Interval:
        """Return what lies in both."""
        low, open_low = _tighter(self._least, other._least, 1)
        high, open_high = _tighter(self._most, other._most, -1)
        return Interval(low, high, open_low, open_high)

    def join(self, other: Interval) -> Interval:
        """The smallest interval around both."""
        low, open_low = _wider(self._least, other._least, 1)
        high, open_high = _wider(self._most, other._most, -1)
        return Interval(low, high, open_low, open_high)

    def filled(self, other: Interval) -> Interval:
        """With the other's bounds where this has none."""
        low, open_low = self._least if self.low is not None else other._least
        high, open_high = self._most if self.high is not None else other._most
        return Interval(low, high, open_low, open_high)

    @property
    def _least(self) -> tuple[float | None, bool]:
        return self.low, self.open_low

    @property
    def _most(self) -> tuple[float | None, bool]:
        return self.high, self.open_high

    @property
    def bounded(self) -> bool:
        """Return whether there is a bound."""
        return self.low is not None or self.high is not None

    def around(self, value: float) -> bool:
        """Return whether a value lies in it."""
        return _above(value, self._least, 1) and _above(value, self._most, -1)

    def ints(self, multiple_of: int | None = None) -> Constraint | None:
        """The integers in it; ``None`` where there are none."""
        low = None if self.low is None else math.ceil(self.low)
        if low is not None and low == self.low and self.open_low:
            low += 1
        high = None if self.high is None else math.floor(self.high)
        if high is not None and high == self.high and self.open_high:
            high -= 1
        return build_if_possible("ints", min=low, max=high, multiple_of=multiple_of)

    def floats(self, **more: object) -> Constraint | None:
        """The floats in it; ``None`` where there are none."""
        return build_if_possible("floats", **self.arguments(), **more)

    def arguments(self) -> dict[str, object]:
        """The bounds as arguments of a constraint with excluded bounds."""
        return {
            "min": self.low,
            "max": self.high,
            "exclude_min": True if self.open_low else None,
            "exclude_max": True if self.open_high else None,
        }

    def numbers(self) -> list[Constraint]:
        """The numbers in it, whether integers or floats."""
        return [each for each in (self.ints(), self.floats()) if each is not None]


def interval_of(constraint: Constraint) -> Interval:
    """The bounds of a constraint; bounds that are no literals are none."""
    low, high = constraint.value("min"), constraint.value("max")
    return Interval(
        low if isinstance(low, (int, float)) else None,
        high if isinstance(high, (int, float)) else None,
        constraint.value("exclude_min") is True,
        constraint.value("exclude_max") is True,
    )


def _tighter(
    first: tuple[float | None, bool], second: tuple[float | None, bool], sign: int
) -> tuple[float | None, bool]:
    if first[0] is None or second[0] is None:
        return second if first[0] is None else first
    if first[0] == second[0]:
        return first[0], first[1] or second[1]
    return max(first, second, key=lambda bound: sign * (bound[0] or 0))


def _wider(
    first: tuple[float | None, bool], second: tuple[float | None, bool], sign: int
) -> tuple[float | None, bool]:
    if first[0] is None or second[0] is None:
        return None, False
    if first[0] == second[0]:
        return first[0], first[1] and second[1]
    return min(first, second, key=lambda bound: sign * (bound[0] or 0))


def _above(value: float, bound: tuple[float | None, bool], sign: int) -> bool:
    if bound[0] is None:
        return True
    return sign * value > sign * bound[0] or (value == bound[0] and not bound[1])


def is_bound_alone(constraint: Constraint) -> bool:
    """Return whether it states no type: a bound of integers and floats, a length of anything."""
    parts = options_of(constraint)
    kinds = {part.kind for part in parts if isinstance(part, Constraint)}
    return kinds in (set(NUMBERS), set(SIZED))


def is_length(constraint: Constraint) -> bool:
    """Return whether it is a length of anything that has one."""
    kinds = {part.kind for part in options_of(constraint) if isinstance(part, Constraint)}
    return kinds == set(SIZED)


_MOST_INT, _LEAST_FLOAT, _MOST_FLOAT = 16, 0.01, 10.0
_SPREAD = 4


def with_default_bounds(constraint: Constraint) -> Constraint:
    """The constraint, with every open end of a range of numbers in it closed.

    It always is a part of what was there.  Without a lower bound numbers are
    positive where they can be.
    """
    if constraint.kind in NUMBERS:
        return _number(constraint)
    arguments = tuple(
        (name, map_parts(value, with_default_bounds)) for name, value in constraint.arguments
    )
    return Constraint(constraint.kind, arguments)


def _number(constraint: Constraint) -> Constraint:
    given = interval_of(constraint)
    if given.low is not None and given.high is not None:
        return constraint
    if constraint.value("allow_nan") or constraint.value("allow_inf"):
        return constraint
    whole = constraint.kind == "ints"
    multiple = constraint.value("multiple_of") or 1
    least, most = (1, _MOST_INT * multiple) if whole else (_LEAST_FLOAT, _MOST_FLOAT)
    low, high = given.low, given.high
    if low is None:
        low = least if high is None or high > least else high - most
    if high is None:
        high = max(most, low * _SPREAD)
    closed = Interval(low, high, given.open_low, given.open_high)
    width = constraint["width"]
    found = closed.ints(constraint.value("multiple_of")) if whole else closed.floats(width=width)
    return found or constraint
