"""Whether a model gives the same when it is run again: what does not cannot be compared."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ..executions import EAGER, array, execution_of, leaves, mapped
from ..executions.eager import seeded
from ..keras_.noise import with_seed
from ..nouns import Model


def incomparable(model: Model) -> Optional[str]:
    """Why executions of a model cannot be compared; ``None`` where they can.

    Raises what the model raises.
    """
    first, again = _run(model), _run(model)
    if not _are_equal(first, again):
        return "it gives something else when it is called again: it keeps state"
    if not _are_equal(first, _run_with(model, seed=1)):
        return "it draws random numbers in evaluation mode"
    return None


def _run(model: Model) -> Tuple[Any, ...]:
    run = execution_of(EAGER, model).prepared(model)
    return tuple(array(each) for each in leaves(run(*model.inputs, **model.keywords)))


def _run_with(model: Model, seed: int) -> Tuple[Any, ...]:
    if model.framework == "keras":
        return tuple(array(each) for each in leaves(with_seed(model, seed)))

    def copied(tensor: Any) -> Any:
        return tensor.detach().clone()

    with seeded(seed):
        found = model.module(*mapped(model.inputs, copied), **mapped(model.keywords, copied))
    return tuple(array(each) for each in leaves(found))


def _are_equal(first: Tuple[Any, ...], second: Tuple[Any, ...]) -> bool:
    import numpy

    return len(first) == len(second) and all(
        one.shape == other.shape and numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        for one, other in zip(first, second)
    )
