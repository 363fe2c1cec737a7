"""A unit of a model as a model of its own, and whether an execution of it departs."""

from __future__ import annotations

import functools
from typing import Any, List, Optional, Sequence, Tuple, Type

from ..executions import EAGER, EXECUTIONS, array, execution_of, leaves, mapped
from ..judging import judge, outcomes, quick
from ..judging.measures import error, scale
from ..nouns import RATIO, Model, Outcomes, Verdict
from .tape import Unit

_WITNESSES = ("onednn-off", "decompositions")
SECONDS = 60.0
_NEAR = (RATIO - 2.0) * 2.0**-23


def single(model: Model, unit: Unit) -> Model:
    """The layer or function that a unit is, fed what it was fed, in single precision."""
    module = model.module.get_submodule(unit.name) if unit.function is None else None
    made = _applied()(unit.function) if module is None else module
    given = mapped((unit.args, dict(unit.kwargs)), narrowed)
    return Model(made, tuple(given[0]), given[1])


def narrowed(tensor: Any) -> Any:
    """A tensor in single precision; integers stay as they are."""
    import torch

    if tensor.is_complex():
        return tensor.to(torch.complex64)
    return tensor.float() if tensor.is_floating_point() else tensor


def verdict_of(model: Model, execution: str) -> Optional[Verdict]:
    """What the oracles say of an execution of a model, the outcomes guarded where they must be."""
    found = judge(model, outcomes_of(model, execution), RATIO)
    return next((each for each in found if each.execution == execution), None)


def is_near_eager(model: Model, execution: str) -> bool:
    """Whether an execution gives what eager gives, so nearly that it cannot be told of.

    An error ``RATIO`` times eager's own and the rounding of the largest element is further
    from eager than all but one of these roundings.
    """
    if execution == EAGER or is_foreign(execution):
        return False
    try:
        found = [_arrays(model, name) for name in (EAGER, execution)]
    except Exception:
        return False
    return len(found[0]) == len(found[1]) and all(_is_near(*pair) for pair in zip(*found))


def _arrays(model: Model, execution: str) -> List[Any]:
    run = execution_of(execution, model).prepared(model)
    return [array(each) for each in leaves(run(*model.inputs, **model.keywords))]


def _is_near(one: Any, other: Any) -> bool:
    import numpy

    if one.shape != other.shape or one.dtype.kind != "f" or not numpy.isfinite(one).all():
        return numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return bool(numpy.isfinite(other).all()) and error(other, one) < _NEAR * scale(one)


def outcomes_of(model: Model, execution: str) -> Outcomes:
    """What an execution comes to beside the reference and eager."""
    if is_foreign(execution):
        return outcomes(model, [execution], SECONDS)
    return quick(model, [execution, *(_WITNESSES if execution == EAGER else ())])


def is_foreign(execution: str) -> bool:
    """Whether an execution exports or compiles, which takes seconds for each model."""
    return bool(getattr(EXECUTIONS.get(execution), "foreign", False))


def bounds(unit: Unit) -> Tuple[Optional[float], Optional[float]]:
    """The least and greatest finite number that a unit is fed."""
    found: List[Any] = [each for each in leaves((unit.args, unit.kwargs)) if each.numel()]
    finite: Sequence[Any] = [each[each.isfinite()] for each in found if each.is_floating_point()]
    finite = [each for each in finite if each.numel()]
    if not finite:
        return None, None
    return min(float(each.min()) for each in finite), max(float(each.max()) for each in finite)


@functools.cache
def _applied() -> Type[Any]:
    """The class of modules that call a function, made where torch is at hand."""
    import torch

    class Applied(torch.nn.Module):  # type: ignore[misc]
        """Calls a function; gives what it was given where that is changed in place."""

        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function
            self.train(False)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            found = self.function(*args, **kwargs)
            return args[0] if found is None else found

    return Applied
