"""A model that gives what its units give, one after another: one export shows them all."""

from __future__ import annotations

import functools
from typing import Any, List, Optional, Sequence, Tuple, Type

from ..executions import EAGER, FLOAT64, leaves
from ..judging import quick
from ..judging.finite import departs
from ..judging.measures import departs_by, unit
from ..judging.noise import Noise
from ..nouns import RATIO, Model
from .single import is_foreign, outcomes_of
from .tape import Tape, Unit, taping

RETURNED = "returned"


def tapped(model: Model, names: Sequence[str] = (), only: Optional[int] = None) -> Model:
    """The model that gives the outputs of all units in order, or those of one.

    ``names`` are those of the units of a run: what an exporter's run has besides, such as
    tensors made of sizes that it follows, is left out.
    """
    made = _class()(model.module, tuple(names), only)
    return Model(made, model.inputs, model.keywords, model.framework)


def departing(model: Model, execution: str) -> Optional[int]:
    """The first unit whose output departs when the model runs on an execution as a whole.

    What an exporter makes of a model that gives everything may be right where the model
    is not, for nothing is fused then: prefixes of the model are halved in that case.
    """
    probe = tapped(model)
    quick(probe, [])
    names, counts = probe.module.ran, probe.module.sizes
    if not counts:
        return None
    output = _first(tapped(model, names), execution)
    if output is not None:
        return _owner(counts, output)
    return _halved(model, execution, names) if is_foreign(execution) else None


def _halved(model: Model, execution: str, names: Sequence[str]) -> Optional[int]:
    """The first unit up to which the model departs, given that the last does."""
    low, high = 0, len(names) - 1
    if _first(tapped(model, names, high), execution) is None:
        return None
    while low < high:
        middle = (low + high) // 2
        if _first(tapped(model, names, middle), execution) is None:
            low = middle + 1
        else:
            high = middle
    return low


def _aligned(units: List[Unit], names: Sequence[str]) -> List[Unit]:
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


def _first(model: Model, execution: str) -> Optional[int]:
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
            with taping(self.module, tape):
                self.module(*inputs, **keywords)
            units = _aligned(tape.units, self.names)
            self.ran = tuple(each.name for each in units)
            found = [tuple(leaves(each.output)) for each in units]
            self.sizes = tuple(len(each) for each in found)
            chosen = found if self.only is None else found[self.only : self.only + 1]
            return tuple(tensor for each in chosen for tensor in each)

    return Tapped
