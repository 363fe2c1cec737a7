"""A model that gives what its units give, one after another: one export shows them all."""

from __future__ import annotations

import functools
from typing import Any, List, Optional, Sequence, Tuple, Type

from ..executions.execution_registry import EAGER, EXECUTIONS, FLOAT64, execution_of
from ..executions.tensor_trees import as_numpy, map_tensors, tensor_leaves
from ..judging.error_measures import Noise, departs_by, error, scale, unit
from ..judging.execution_oracles import departs, judge
from ..judging.isolated_runs import run_in_process, run_isolated
from ..model_types import RATIO, ExecutionOutcomes, ExecutionVerdict, ModelUnderTest
from .unit_recording import ModelUnit, Tape, recording_units

_WITNESSES = ("onednn-off", "decompositions")
SECONDS = 60.0
_NEAR = (RATIO - 2.0) * 2.0**-23


def unit_model(model: ModelUnderTest, unit: ModelUnit) -> ModelUnderTest:
    """The layer or function that a unit is, fed what it was fed, in single precision."""
    module = model.module.get_submodule(unit.name) if unit.function is None else None
    made = _applied()(unit.function) if module is None else module
    given = map_tensors((unit.args, dict(unit.kwargs)), narrowed)
    return ModelUnderTest(made, tuple(given[0]), given[1])


def narrowed(tensor: Any) -> Any:
    """A tensor in single precision; integers stay as they are."""
    import torch

    if tensor.is_complex():
        return tensor.to(torch.complex64)
    return tensor.float() if tensor.is_floating_point() else tensor


def verdict_of(model: ModelUnderTest, execution: str) -> Optional[ExecutionVerdict]:
    """What the oracles say of an execution of a model, the outcomes guarded where they must be."""
    found = judge(model, outcomes_of(model, execution), RATIO)
    return next((each for each in found if each.execution == execution), None)


def is_near_eager(model: ModelUnderTest, execution: str) -> bool:
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


def _arrays(model: ModelUnderTest, execution: str) -> List[Any]:
    run = execution_of(execution, model).prepared(model)
    return [as_numpy(each) for each in tensor_leaves(run(*model.inputs, **model.keywords))]


def _is_near(one: Any, other: Any) -> bool:
    import numpy

    if one.shape != other.shape or one.dtype.kind != "f" or not numpy.isfinite(one).all():
        return numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return bool(numpy.isfinite(other).all()) and error(other, one) < _NEAR * scale(one)


def outcomes_of(model: ModelUnderTest, execution: str) -> ExecutionOutcomes:
    """What an execution comes to beside the reference and eager."""
    if is_foreign(execution):
        return run_isolated(model, [execution], SECONDS)
    return run_in_process(model, [execution, *(_WITNESSES if execution == EAGER else ())])


def is_foreign(execution: str) -> bool:
    """Whether an execution exports or compiles, which takes seconds for each model."""
    return bool(getattr(EXECUTIONS.get(execution), "foreign", False))


def bounds(unit: ModelUnit) -> Tuple[Optional[float], Optional[float]]:
    """The least and greatest finite number that a unit is fed."""
    found: List[Any] = [each for each in tensor_leaves((unit.args, unit.kwargs)) if each.numel()]
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


RETURNED = "returned"


def with_unit_outputs(
    model: ModelUnderTest, names: Sequence[str] = (), only: Optional[int] = None
) -> ModelUnderTest:
    """The model that gives the outputs of all units in order, or those of one.

    ``names`` are those of the units of a run: what an exporter's run has besides, such as
    tensors made of sizes that it follows, is left out.
    """
    made = _class()(model.module, tuple(names), only)
    return ModelUnderTest(made, model.inputs, model.keywords, model.framework)


def first_departing_unit(model: ModelUnderTest, execution: str) -> Optional[int]:
    """The first unit whose output departs when the model runs on an execution as a whole.

    What an exporter makes of a model that gives everything may be right where the model
    is not, for nothing is fused then: prefixes of the model are halved in that case.
    """
    probe = with_unit_outputs(model)
    run_in_process(probe, [])
    names, counts = probe.module.ran, probe.module.sizes
    if not counts:
        return None
    output = _first(with_unit_outputs(model, names), execution)
    if output is not None:
        return _owner(counts, output)
    return _halved(model, execution, names) if is_foreign(execution) else None


def _halved(model: ModelUnderTest, execution: str, names: Sequence[str]) -> Optional[int]:
    """The first unit up to which the model departs, given that the last does."""
    low, high = 0, len(names) - 1
    if _first(with_unit_outputs(model, names, high), execution) is None:
        return None
    while low < high:
        middle = (low + high) // 2
        if _first(with_unit_outputs(model, names, middle), execution) is None:
            low = middle + 1
        else:
            high = middle
    return low


def _aligned(units: List[ModelUnit], names: Sequence[str]) -> List[ModelUnit]:
    """The units that have these names in this order; all where none are given."""
    if not names:
        return units
    left, found = list(reversed(names)), []
    for each in units:
        if left and left[-1] == each.name:
            left.pop()
            found.append(each)
    return found


def _owner(counts: Tuple[int, ...], output: int) -> Optional[int]:
    """The unit that an output is of."""
    for index, count in enumerate(counts):
        if output < count:
            return index
        output -= count
    return None


def _first(model: ModelUnderTest, execution: str) -> Optional[int]:
    """The first output that departs from the reference by more than rounding explains."""
    found = outcomes_of(model, execution)
    if any(found[name].status != RETURNED for name in (EAGER, FLOAT64, execution)):
        return None
    lengths = {len(found[name].outputs) for name in (EAGER, FLOAT64, execution)}
    if len(lengths) != 1:
        return None
    floors = Noise(model, found[FLOAT64]).floor(unit(execution))
    for index, floor in enumerate(floors):
        off = departs_by(execution, index, floor, found) >= RATIO
        if off or departs(execution, model, index, found):
            return index
    return None


@functools.cache
def _class() -> Type[Any]:
    """The module's class, made where torch is at hand."""
    import torch

    class Tapped(torch.nn.Module):  # type: ignore[misc]
        """``ran`` and ``sizes`` are the units of the last call, and how many tensors each gave."""

        def __init__(self, module: Any, names: Tuple[str, ...], only: Optional[int]) -> None:
            super().__init__()
            self.module = module
            self.names = names
            self.only = only
            self.ran: Tuple[str, ...] = ()
            self.sizes: Tuple[int, ...] = ()
            self.train(False)

        def forward(self, *inputs: Any, **keywords: Any) -> Any:
            tape = Tape(keeps=False)
            with recording_units(self.module, tape):
                self.module(*inputs, **keywords)
            units = _aligned(tape.units, self.names)
            self.ran = tuple(each.name for each in units)
            found = [tuple(tensor_leaves(each.output)) for each in units]
            self.sizes = tuple(len(each) for each in found)
            chosen = found if self.only is None else found[self.only : self.only + 1]
            return tuple(tensor for each in chosen for tensor in each)

    return Tapped
