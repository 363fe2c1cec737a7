"""Values that are not finite in one execution where others are, within what it can represent."""

from __future__ import annotations

from typing import Any, Optional

from ..executions import EAGER, FLOAT64, leaves
from ..nouns import Model, Outcomes
from .measures import unit

_LARGEST = ((2.0**-10, 65504.0), (2.0**-7, 3.3895e38), (2.0**-23, 3.4028e38))
_ORDINARY = 1e6
"""The magnitude of inputs up to which eager itself should stay in range."""


def departs(name: str, model: Model, index: int, outcomes: Outcomes) -> Optional[str]:
    """How an output of an execution is finite where the mathematics is not, or not where it is.

    What float64 alone can represent is out of range for the others, which is no fault.
    """
    expected = outcomes[FLOAT64].outputs[index]
    found = outcomes[name].outputs[index]
    if expected.dtype.kind != "f" or found.shape != expected.shape or not found.size:
        return None
    return _own(model, found, expected) if name == EAGER else _other(name, index, outcomes)


def _own(model: Model, found: Any, expected: Any) -> Optional[str]:
    """Eager's values that float64 has in range, for inputs of ordinary size."""
    places = _in_range(expected, EAGER) & ~_finite(found)
    if not places.any() or not _is_ordinary(model):
        return None
    return f"{_shown(found, places)} in float32, {_shown(expected, places)} in float64"


def _other(name: str, index: int, outcomes: Outcomes) -> Optional[str]:
    expected = outcomes[FLOAT64].outputs[index]
    eager, found = outcomes[EAGER].outputs[index], outcomes[name].outputs[index]
    both = _in_range(expected, name) & _finite(eager)
    neither = ~_finite(expected) & _same(eager, expected)
    places = (both & ~_finite(found)) | (neither & ~_same(found, expected))
    if not places.any():
        return None
    return f"{_shown(found, places)} in {name}, {_shown(eager, places)} in eager"


def _in_range(expected: Any, name: str) -> Any:
    import numpy

    largest = next((most for eps, most in _LARGEST if eps == unit(name)), _LARGEST[-1][1])
    with numpy.errstate(invalid="ignore"):
        return numpy.abs(expected) <= largest / 2


def _finite(found: Any) -> Any:
    import numpy

    return numpy.isfinite(found)


def _same(found: Any, expected: Any) -> Any:
    """Where both are NaN, or the same infinity."""
    import numpy

    return (numpy.isnan(found) & numpy.isnan(expected)) | (found == expected)


def _is_ordinary(model: Model) -> bool:
    tensors = leaves((model.inputs, dict(model.keywords)))
    floating = [each for each in tensors if each.is_floating_point() and each.numel()]
    return all(bool(each.abs().max() <= _ORDINARY) for each in floating)


def _shown(found: Any, places: Any) -> str:
    return f"{float(found[places][0]):g}"
