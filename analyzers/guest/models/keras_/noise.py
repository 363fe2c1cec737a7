"""What rounding alone, and what chance, change in the outputs of a Keras model."""

from __future__ import annotations

from typing import Any

from ..nouns import Model
from .parcels import Parcel, parcel
from .running import arrayed, of_inputs, of_precision, predicted, remade


def sample(model: Model, seed: int, amplitude: float) -> Any:
    """What float64 gives where floating weights and inputs are each off by such a share."""
    import keras  # type: ignore[import-untyped]
    import numpy

    drawn = numpy.random.default_rng(seed % 2**32)

    def moved(value: Any) -> Any:
        if not isinstance(value, numpy.ndarray) or value.dtype.kind != "f":
            return value
        return value * (1.0 + amplitude * drawn.uniform(-1.0, 1.0, value.shape))

    arguments = arrayed((tuple(model.inputs), dict(model.keywords)))
    changed: Any = keras.tree.map_structure(moved, of_inputs(arguments, "float64"))
    inputs, keywords = changed
    given = parcel(model)
    weights = tuple(moved(each.astype("float64")) for each in given.weights)
    wide = remade(Parcel(given.config, given.modules, weights), (inputs, keywords), "float64")
    with of_precision("float64"):
        return predicted(wide, inputs, keywords)


def with_seed(model: Model, seed: int) -> Any:
    """What the model gives where Keras's random numbers begin with another seed."""
    return predicted(model.module, model.inputs, model.keywords, seed)
