"""A line between two classes of texts, by logistic regression (Keeper, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

Point = tuple[float, ...]

_RIDGE = 0.001
"""Keeps the weights finite where the classes can be told apart without error."""
_MOST_DECIMALS = 4
_LEAST_WEIGHT = 0.05
"""Of a number in units of its spread: with less it has no say."""


@dataclass(frozen=True, slots=True)
class Line:
    """A condition on numbers: the first plus the weighted others, against a limit.

    ``above``: it holds on the side of greater numbers.  ``others`` are the
    weights of the numbers after the first, whose weight is 1.
    """

    others: tuple[float, ...]
    limit: float
    above: bool

    def holds(self, point: Point, *, strict: bool) -> bool:
        """Whether the condition is true of a point."""
        weighed = zip(self.others, point[1:], strict=True)
        value = point[0] + sum(weight * number for weight, number in weighed)
        if value == self.limit:
            return not strict
        return (value > self.limit) is self.above

    def accuracy(self, points: Sequence[Point], classes: Sequence[bool], *, strict: bool) -> int:
        """Count the points of which it is true if, and only if, they are of the class."""
        pairs = zip(points, classes, strict=True)
        return sum(self.holds(point, strict=strict) is wanted for point, wanted in pairs)

    def rounded(self, decimals: int) -> Line:
        """The line with so many decimals, without negative zeros."""
        others = tuple(round(weight, decimals) + 0.0 for weight in self.others)
        return replace(self, others=others, limit=round(self.limit, decimals) + 0.0)


def separated(points: Sequence[Point], classes: Sequence[bool], *, strict: bool) -> Line | None:
    """Fit a line, in as few decimals as keep what it gets right on these points.

    ``None`` where the first number has no say.
    """
    line = _fitted(points, classes)
    if line is None:
        return None
    exact = line.accuracy(points, classes, strict=strict)
    shorter = (line.rounded(decimals) for decimals in range(1, _MOST_DECIMALS + 1))
    kept = (short for short in shorter if short.accuracy(points, classes, strict=strict) >= exact)
    return next(kept, line)


def _fitted(points: Sequence[Point], classes: Sequence[bool]) -> Line | None:
    import numpy as np  # noqa: PLC0415 - like scipy, half a second that only findings need
    from scipy.optimize import minimize  # noqa: PLC0415

    numbers = np.asarray(points, dtype=float)
    spread = numbers.std(axis=0)
    spread[spread == 0] = 1.0
    x = np.column_stack([np.ones(len(points)), numbers / spread])
    sign = np.where(np.asarray(classes), 1.0, -1.0)

    def loss(weights: np.ndarray) -> float:
        errors = np.logaddexp(0.0, -sign * (x @ weights))
        return float(errors.mean() + _RIDGE * weights[1:] @ weights[1:])

    bias, *scaled = minimize(loss, np.zeros(x.shape[1])).x
    first, *others = (float(weight) for weight in scaled / spread)
    if abs(scaled[0]) < _LEAST_WEIGHT:
        return None
    return Line(tuple(weight / first for weight in others), -float(bias) / first, above=first > 0)
