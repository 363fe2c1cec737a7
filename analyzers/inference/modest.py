"""Small ranges where nobody says how far a number goes: large ones cost memory, not insight."""

from __future__ import annotations

from analyzers.guest.annotations.nouns import Argument, Constraint

from .intervals import NUMBERS, Interval, interval_of

_MOST_INT, _LEAST_FLOAT, _MOST_FLOAT = 16, 0.01, 10.0
_SPREAD = 4


def modest(constraint: Constraint) -> Constraint:
    """The constraint, with every open end of a range of numbers in it closed.

    It always is a part of what was there.  Without a lower bound numbers are
    positive where they can be.
    """
    if constraint.kind in NUMBERS:
        return _number(constraint)
    arguments = tuple((name, _inside(value)) for name, value in constraint.arguments)
    return Constraint(constraint.kind, arguments)


def _inside(value: Argument) -> Argument:
    if isinstance(value, Constraint):
        return modest(value)
    if isinstance(value, tuple):
        return tuple(modest(each) if isinstance(each, Constraint) else each for each in value)
    return value


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
