"""How far the outputs of an execution are from those of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from ..executions import EAGER, EXECUTIONS, FLOAT64
from ..nouns import Outcome, Outcomes

D_MAD_THRESHOLD = 0.4
"""From which LEMON tells an inconsistency (its section 4.3)."""


@dataclass(frozen=True)
class Measure:
    """An output's error over the largest of what it may be, and LEMON's measure beside it.

    ``index`` is the output, ``error`` the largest absolute one of its elements, ``allowed``
    what ``error`` is divided by.
    """

    ratio: float
    d_mad: float
    index: int
    error: float
    allowed: float


def measured(outcomes: Outcomes) -> Dict[str, Measure]:
    """For each execution but the reference, the worst of its floating outputs.

    Executions whose outputs are not of the reference's shapes are left out, as are all where
    there is no reference.  Nothing is run for it: noise is not allowed for.
    """
    found: Dict[str, Measure] = {}
    for name, outcome in outcomes.items():
        measure = None if name == FLOAT64 else worst(name, outcome, outcomes)
        if measure is not None:
            found[name] = measure
    return found


def worst(
    name: str, outcome: Outcome, outcomes: Outcomes, noise: Tuple[float, ...] = ()
) -> Optional[Measure]:
    """The worst output of an execution; ``noise`` is what is allowed besides for each output."""
    reference, eager = outcomes[FLOAT64].outputs, outcomes[EAGER].outputs
    if not _are_alike(reference, outcome.outputs) or not _are_alike(reference, eager):
        return None
    found: List[Tuple[float, int, float, float]] = []
    for index, expected in enumerate(reference):
        if expected.dtype.kind != "f" or not expected.size:
            continue
        own = 0.0 if name == EAGER else error(eager[index], expected)
        least = unit(name) * scale(expected)
        allowed = max(own, least, noise[index] if noise else 0.0, 2.0**-1022)
        wrong = error(outcome.outputs[index], expected)
        found.append((wrong / allowed, index, wrong, allowed))
    if not found:
        return None
    ratio, index, wrong, allowed = max(found, key=lambda each: each[0])
    beside = d_mad(outcome.outputs[index], eager[index], reference[index])
    return Measure(ratio, beside, index, wrong, allowed)


def departs_by(name: str, index: int, floor: float, outcomes: Outcomes) -> float:
    """An output's error over what rounding explains, ``floor`` being the noise of that output.

    Without end where only the execution's shape is another than the reference's.
    """
    expected = outcomes[FLOAT64].outputs[index]
    own, eager = outcomes[name].outputs[index], outcomes[EAGER].outputs[index]
    if own.shape != expected.shape or eager.shape != expected.shape:
        return math.inf if own.shape != eager.shape else 0.0
    if expected.dtype.kind != "f":
        return 0.0
    of_eager = 0.0 if name == EAGER else error(eager, expected)
    least = unit(name) * scale(expected)
    return error(own, expected) / max(of_eager, least, floor, 2.0**-1022)


def error(found: Any, expected: Any) -> float:
    """The largest absolute difference where both are finite."""
    import numpy

    with numpy.errstate(all="ignore"):
        differences = numpy.abs(found - expected)
    return float(numpy.max(differences, initial=0.0, where=numpy.isfinite(differences)))


def scale(expected: Any) -> float:
    """The largest finite magnitude of a reference."""
    import numpy

    sizes = numpy.abs(expected)
    return float(numpy.max(sizes, initial=0.0, where=numpy.isfinite(sizes)))


def unit(name: str) -> float:
    """The machine epsilon that an execution computes with; that of float32 where nobody says."""
    execution = EXECUTIONS.get(name)
    return 2.0**-23 if execution is None else max(execution.eps, 2.0**-23)


def d_mad(found: Any, eager: Any, expected: Any) -> float:
    """LEMON's distance of two executions by their mean absolute deviations from the truth.

    The truth of an input nobody labelled is what the reference predicts: one at the largest
    element of each row, zero elsewhere.
    """
    import numpy

    truth = numpy.zeros(expected.shape)
    if expected.ndim:
        largest = numpy.expand_dims(numpy.argmax(numpy.nan_to_num(expected), axis=-1), -1)
        numpy.put_along_axis(truth, largest, 1.0, axis=-1)
    first, second = (_deviation(each, truth) for each in (found, eager))
    total = first + second
    return abs(first - second) / total if total else 0.0


def _deviation(found: Any, truth: Any) -> float:
    import numpy

    return float(numpy.mean(numpy.abs(numpy.nan_to_num(found, posinf=0.0, neginf=0.0) - truth)))


def _are_alike(first: Tuple[Any, ...], second: Tuple[Any, ...]) -> bool:
    return len(first) == len(second) and all(
        one.shape == other.shape and (one.dtype.kind == "f") == (other.dtype.kind == "f")
        for one, other in zip(first, second)
    )
