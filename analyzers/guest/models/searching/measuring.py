"""How far the executions of a model are apart: its accumulated inconsistency."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Callable, Mapping, Optional, Sequence

from ..judging.measures import d_mad, error, scale
from ..nouns import Outcomes
from .nouns import D_MAD, ERROR, RATIO

EAGER, FLOAT64 = "eager", "float64"
_EPS = 2.0**-23
_HUGE = 1e30
_TINY = 1e-30

Distance = Callable[[Any, Any, Any, Any], float]


def accumulated(outcomes: Sequence[Outcomes], measure: str) -> float:
    """The distances of all pairs of executions that returned, summed over inputs and outputs."""
    return sum(_apart(each, _DISTANCES[measure]) for each in outcomes)


def _apart(outcomes: Outcomes, distance: Distance) -> float:
    reference = outcomes[FLOAT64].outputs
    eager = outcomes[EAGER].outputs
    alike = [
        each.outputs
        for each in outcomes.values()
        if each.status == "returned" and _same_shapes(each.outputs, reference)
    ]
    return sum(
        distance(one[index], other[index], expected, eager[index])
        for index, expected in enumerate(reference)
        if expected.dtype.kind == "f" and expected.size
        for one, other in combinations(alike, 2)
    )


def _same_shapes(outputs: Sequence[Any], reference: Sequence[Any]) -> bool:
    return [each.shape for each in outputs] == [each.shape for each in reference]


def _error(one: Any, other: Any, expected: Any, _eager: Any) -> float:
    """The largest difference over the reference's largest element, in epsilons of float32."""
    return error(one, other) / max(scale(expected) * _EPS, _TINY)


def _ratio(one: Any, other: Any, expected: Any, eager: Any) -> float:
    """The largest difference over eager's own error."""
    return error(one, other) / max(error(eager, expected), scale(expected) * _EPS, _TINY)


def _d_mad(one: Any, other: Any, expected: Any, _eager: Any) -> float:
    return d_mad(one, other, expected)


_DISTANCES: Mapping[str, Distance] = {ERROR: _error, RATIO: _ratio, D_MAD: _d_mad}


def useless(outcomes: Outcomes) -> Optional[str]:
    """Why nothing is to be learned from a mutant's outcomes; ``None`` where something is."""
    for name in (EAGER, FLOAT64):
        if outcomes[name].status != "returned":
            return f"{name} {outcomes[name].status}: {outcomes[name].detail}"
    floats = [each for each in outcomes[FLOAT64].outputs if each.dtype.kind == "f" and each.size]
    if not floats:
        return "it gives no float"
    if not any(_finite(each) for each in floats):
        return "all that it gives is NaN or infinite"
    if max(map(scale, floats)) > _HUGE:
        return "what it gives is out of float32's range"
    return None


def _finite(found: Any) -> bool:
    import numpy

    return bool(numpy.isfinite(found).any())
