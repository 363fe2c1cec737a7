"""Gradients, and one step of SGD, executed several ways that should give the same.

The derivative is that of a fixed weighted sum of the floating outputs, by each parameter that
trains, in evaluation mode; beside the gradients stand the outputs after one short step.  Both
are outputs of a module, so that the oracles for outputs judge them.
"""

from __future__ import annotations

import copy
import functools
import re
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Type

from .executions.execution_registry import EAGER, FLOAT64
from .executions.tensor_trees import tensor_leaves
from .judging.error_measures import Noise, departs_by, unit
from .judging.execution_oracles import judge
from .judging.isolated_runs import run_in_process, run_isolated
from .locating.first_departure import first_departing_layer
from .locating.layer_program import source_of
from .locating.model_units import record_units
from .model_types import (
    GRADIENT,
    RATIO,
    ExecutionOutcomes,
    ExecutionVerdict,
    LayerLocation,
    ModelUnderTest,
)

LEARNING_RATE = 1e-2
DERIVING = ("onednn-off", "decompositions", "channels-last", "cuda")
"""Executions under which a backward pass runs as a forward pass does."""


@dataclass(frozen=True)
class GradientDeparture:
    """Departure of one execution's gradients from the others'.

    ``verdict`` is of the rule ``gradient`` and names the parameter; ``outcomes`` are those of
    the derivative, whose output ``verdict.worst`` is.  ``place`` is the layer that departs
    forward, by less than the model's outputs show; where none does that of the last parameter,
    in the order of the run, whose gradient departs: what is wrong there, or between it and the
    next that is right, goes back to all parameters before.
    """

    verdict: ExecutionVerdict
    outcomes: ExecutionOutcomes
    place: Optional[LayerLocation]


def gradient_departures(
    model: ModelUnderTest,
    names: Sequence[str] = ("onednn-off", "decompositions"),
    ratio: float = RATIO,
    root: str = "",
) -> List[GradientDeparture]:
    """Return departures of gradients, and of outputs after one step of SGD.

    ``names`` are of :data:`DERIVING`; others are left out.  ``root`` is the folder that the
    paths of places are relative to.  A model without parameters that train, and one that
    cannot be derived eagerly, is not told of.
    """
    chosen = [name for name in names if name in DERIVING]
    if not chosen or not trains(model):
        return []
    deriving = replace(model, module=_deriving()(copy.deepcopy(model.module)))
    found = (run_isolated if "cuda" in chosen else run_in_process)(deriving, chosen)
    verdicts = [each for each in judge(deriving, found, ratio) if each.execution in chosen]
    if not verdicts:
        return []
    weights = [name for name, each in model.module.named_parameters() if each.requires_grad]
    noise = Noise(deriving, found[FLOAT64])
    return [_told(model, each, found, (weights, noise, root)) for each in verdicts]


def trains(model: ModelUnderTest) -> bool:
    """Return whether a model has parameters that training changes."""
    return model.framework == "torch" and any(p.requires_grad for p in model.module.parameters())


def _told(
    model: ModelUnderTest,
    verdict: ExecutionVerdict,
    found: ExecutionOutcomes,
    given: Tuple[List[str], Noise, str],
) -> GradientDeparture:
    weights, noise, root = given
    wrong = [weights[at] for at in _departing(verdict, found, noise) if at < len(weights)]
    units = _units(model, root)

    def order(name: str) -> Tuple[int, int]:
        number, _ = units.get(_owner(name, units), (-1, None))
        return number, weights.index(name)

    last = max(wrong, key=order, default=None)
    forward = first_departing_layer(model, verdict.execution, {}, root)
    if forward is not None:
        place: Optional[LayerLocation] = forward.place
    else:
        place = None if last is None else _place(model, last, units)
    labelled = replace(_labelled(verdict, weights, last), rule=GRADIENT)
    return GradientDeparture(labelled, found, place)


def _departing(verdict: ExecutionVerdict, found: ExecutionOutcomes, noise: Noise) -> Iterator[int]:
    name = verdict.execution
    count = {len(found[each].outputs) for each in (EAGER, FLOAT64, name)}
    if len(count) != 1:
        yield verdict.worst
        return
    for index, floor in enumerate(noise.floor(unit(name))):
        if departs_by(name, index, floor, found) >= RATIO:
            yield index


def _units(model: ModelUnderTest, root: str) -> Dict[str, Tuple[int, LayerLocation]]:
    found: Dict[str, Tuple[int, LayerLocation]] = {}
    try:
        for number, each in enumerate(record_units(model, root)):
            found.setdefault(each.name, (number, each.place()))
    except Exception:
        return {}
    return found


def _owner(name: str, units: Dict[str, Tuple[int, LayerLocation]]) -> str:
    """Return the layer that a parameter belongs to: attention's projections are parts of it."""
    parts = name.split(".")[:-1]
    for end in range(len(parts), 0, -1):
        if ".".join(parts[:end]) in units:
            return ".".join(parts[:end])
    return ".".join(parts)


def _place(
    model: ModelUnderTest, name: str, units: Dict[str, Tuple[int, LayerLocation]]
) -> LayerLocation:
    owner = _owner(name, units)
    layer = model.module.get_submodule(owner)
    _, place = units.get(owner, (-1, LayerLocation(owner, type(layer).__name__)))
    return replace(place, source=source_of(layer))


def _labelled(
    verdict: ExecutionVerdict, weights: Sequence[str], last: Optional[str]
) -> ExecutionVerdict:
    at = verdict.worst
    one = f"output {at - len(weights)} after one step"
    name = f"the gradient of {weights[at]}" if at < len(weights) else one
    detail = re.sub(rf"\boutput {at}\b", name, verdict.detail)
    detail = detail if name in detail else f"{name}: {detail}"
    if last is not None and f"the gradient of {last}" not in detail:
        detail = f"{detail}; the last parameter whose gradient departs is {last}"
    return replace(verdict, detail=detail)


@functools.cache
def _deriving() -> Type[Any]:
    import torch

    class Deriving(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, module: Any) -> None:
            super().__init__()
            self.module = module
            self.train(False)

        def forward(self, *inputs: Any, **keywords: Any) -> Tuple[Any, ...]:
            named = {n: p for n, p in self.module.named_parameters() if p.requires_grad}
            found: Any
            with torch.enable_grad():
                total = _weighted(self.module(*inputs, **keywords))
                found = torch.autograd.grad(total, list(named.values()), allow_unused=True)
            pairs = zip(named.items(), found)
            gradients = [torch.zeros_like(p) if g is None else g for (_, p), g in pairs]
            slope = torch.stack([each.square().sum() for each in gradients]).sum().sqrt()
            rate = LEARNING_RATE / (1.0 + slope)
            moved = {n: (p - rate * g).detach() for (n, p), g in zip(named.items(), gradients)}
            stepped = torch.func.functional_call(self.module, moved, inputs, keywords)
            return (
                *gradients,
                *(each for each in tensor_leaves(stepped) if each.is_floating_point()),
            )

    return Deriving


def _weighted(outputs: Any) -> Any:
    import torch

    found = [each for each in tensor_leaves(outputs) if each.is_floating_point()]
    total: Any = 0.0
    for each in found:
        places = torch.arange(each.numel(), dtype=each.dtype, device=each.device)
        total = total + (each * (1.0 + 0.5 * torch.sin(places)).reshape(each.shape)).sum()
    return total / max(1, sum(each.numel() for each in found))
