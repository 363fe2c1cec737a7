"""The first layer of a Keras model that gives something else on another backend.

Each layer is fed alone what it takes in float64 (rounded to float32), as LEMON's
localisation compares layers on the reference's inputs, so that what went wrong before a
layer does not count against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Optional, Tuple

from ..nouns import RATIO, Model, Place
from .executions import BACKENDS, EPS32, Remote
from .layers import Part, Step, layers, recorded, replayed
from .parcels import parcel
from .running import arrayed, of_inputs, of_precision, remade
from .said import said
from .sources import made_at, spelled
from .trees import Untold, flat

Replay = Callable[[List[Tuple[int, Any]]], List[Tuple[bool, Any]]]


@dataclass(frozen=True)
class Located:
    """A layer that departs by itself: where it is, and a program that makes it alone.

    ``ratio`` is its error over what rounding explains, infinite where it raises or is not
    finite; ``low`` and ``high`` are the range of what it is fed.
    """

    place: Place
    source: str
    ratio: float
    low: Optional[float] = None
    high: Optional[float] = None


def located(
    model: Model, execution: str, root: str = "", ratio: float = RATIO
) -> Optional[Located]:
    """The first layer that departs by ``ratio`` on an execution of another backend, if any.

    ``root`` is the folder that the path of its place is relative to.
    Raises ``Unsupported`` where the model cannot be handed over.
    """
    backend = execution[len("keras-") :]
    if execution != f"keras-{backend}" or backend not in BACKENDS:
        return None
    wide, steps = _reference(model)
    asked = [(step.layer, of_inputs(step.arguments, "float32")) for step in steps]
    expected = _here(wide, "float64")(asked)
    own = _here(model.module, "float32")(asked)
    remote = Remote(backend, model)
    found = [remote.replayed([each])[0] for each in asked]
    parts = layers(model.module)
    for step, given, outcomes in zip(steps, asked, zip(expected, own, found)):
        measured = _ratio(*outcomes)
        if measured >= ratio:
            return _told(
                parts[step.layer],
                measured,
                given[1],
                made_at(model.module, parts[step.layer], root),
            )
    return None


def _reference(model: Model) -> Tuple[Any, List[Step]]:
    """The model in float64, and what its layers are fed and give there."""
    arguments = arrayed((tuple(model.inputs), dict(model.keywords)))
    inputs, keywords = of_inputs(arguments, "float64")
    wide = remade(parcel(model), (inputs, keywords), "float64")
    with of_precision("float64"):
        return wide, recorded(wide, inputs, keywords)


def _here(model: Any, dtype: str) -> Replay:
    """Replays layers in this process."""

    def replay(steps: List[Tuple[int, Any]]) -> List[Tuple[bool, Any]]:
        with of_precision(dtype):
            return [_one(model, layer, given, dtype) for layer, given in steps]

    return replay


def _one(model: Any, layer: int, given: Any, dtype: str) -> Tuple[bool, Any]:
    try:
        return True, replayed(model, layer, given, dtype)
    except Exception as error:
        return False, said(error)


def _ratio(expected: Tuple[bool, Any], own: Tuple[bool, Any], found: Tuple[bool, Any]) -> float:
    """How much further than eager an output is from float64; zero where nothing can be told."""
    if not (expected[0] and own[0]):
        return 0.0
    if not found[0]:
        return float("inf")
    try:
        outputs = [flat(each[1]) for each in (expected, own, found)]
    except Untold:
        return 0.0
    if len({tuple(each.shape for each in output) for output in outputs}) > 1:
        return float("inf")
    return max((_apart(*each) for each in zip(*outputs)), default=0.0)


def _apart(expected: Any, own: Any, found: Any) -> float:
    import numpy

    if expected.dtype.kind not in "fc":
        same = numpy.array_equal(own, expected) and not numpy.array_equal(found, expected)
        return float("inf") if same else 0.0
    finite = numpy.isfinite(expected) & numpy.isfinite(own)
    if not numpy.isfinite(found[finite]).all():
        return float("inf")
    if not finite.any():
        return 0.0
    scale = float(numpy.abs(expected[finite]).max())
    error = float(numpy.abs(found[finite] - expected[finite]).max())
    noise = float(numpy.abs(own[finite] - expected[finite]).max())
    return error / max(noise, EPS32 * scale, 2.0**-126)


def _told(part: Part, ratio: float, given: Any, where: Tuple[str, int]) -> Located:
    source = spelled(part.layer)
    place = Place(part.name, type(part.layer).__name__, *where, source)
    bounds = list(_bounds(given))
    low = min((each[0] for each in bounds), default=None)
    high = max((each[1] for each in bounds), default=None)
    return Located(place, source, ratio, low, high)


def _bounds(given: Any) -> Iterator[Tuple[float, float]]:
    import numpy

    for each in flat(given):
        numbers = each[numpy.isfinite(each)] if each.dtype.kind == "f" else each
        if numbers.size and numbers.dtype.kind in "fiu":
            yield float(numbers.min()), float(numbers.max())
