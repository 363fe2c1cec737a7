"""Wrong kernels seeded into one execution: how many are told, and whether their layer is named.

    python -m benchmarks.models.kernels [MODEL ...]

Every operator that a model runs is made wrong in three ways, one at a time, in an execution
that is eager otherwise: all results off by a ten-thousandth, one element off by a thousandth of
the largest, the last axis turned round.  A fault that changes nothing in the execution's result
that float64 could show by half the ratio is no fault of the model, and is counted apart.  The
layer that is right is the first that runs the operator.  One line a model: faults, told, named,
the median of the seconds that it takes to name, and what clean executions were told of.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.executions.torch_executions import EPS32, run_without_gradients
from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_in_process
from analyzers.guest.models.locating.first_departure import first_departing_layer
from analyzers.guest.models.locating.model_units import record_units, unit_model
from analyzers.guest.models.model_extraction import prepared
from analyzers.guest.models.model_types import RATIO, ModelUnderTest
from benchmarks.models.zoo import MODELS

SUSPECT = "onednn-off"
CLEAN = ("onednn-off", "decompositions", "channels-last")
_MOVES = (
    "_reshape_alias _to_copy _unsafe_view alias arange as_strided clone copy_ detach empty "
    "expand eye lift_fresh ones permute scalar_tensor select slice split squeeze t transpose "
    "unbind unsqueeze view zeros"
)
Change = Callable[[torch.Tensor], torch.Tensor]


class Kernels(TorchDispatchMode):
    """Remembers the operators with floating results; those of one go through a change."""

    def __init__(self, operator: str = "", change: Change | None = None) -> None:
        super().__init__()
        self.operator = operator
        self.change = change
        self.seen: dict[str, None] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        first = found[0] if isinstance(found, (tuple, list)) and found else found
        if not isinstance(first, torch.Tensor) or not first.is_floating_point():
            return found
        self.seen[str(func)] = None
        if str(func) != self.operator or self.change is None:
            return found
        changed = self.change(first)
        if "_." in self.operator:
            return first.copy_(changed)
        return (changed, *found[1:]) if isinstance(found, tuple) else changed


class Faulty:
    """Eager with one wrong kernel."""

    name, eps, framework, foreign = SUSPECT, EPS32, "torch", False

    def __init__(self, operator: str, change: Change) -> None:
        self.wrong = (operator, change)

    def unavailable(self) -> None:
        """It is there."""

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """The module under the mode."""
        run = run_without_gradients(model.module)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with Kernels(*self.wrong):
                return run(*inputs, **keywords)

        return call


def scaled(found: torch.Tensor) -> torch.Tensor:
    """All off by a ten-thousandth."""
    return found * (1.0 + 1e-4)


def dented(found: torch.Tensor) -> torch.Tensor:
    """One element off by a thousandth of the largest."""
    changed = found.clone(memory_format=torch.contiguous_format)
    changed.view(-1)[changed.numel() // 2] += 1e-3 * (found.abs().max() + 1e-3)
    return changed


def turned(found: torch.Tensor) -> torch.Tensor:
    """The last axis the other way round."""
    return found.flip(-1) if found.dim() else found * 2.0


def operators(model: ModelUnderTest) -> tuple[str, ...]:
    """The operators that compute what a model gives."""
    with torch.no_grad(), Kernels() as kernels:
        model.module(*model.inputs, **model.keywords)
    return tuple(each for each in kernels.seen if each.split(".")[1] not in _MOVES.split())


def first_with(model: ModelUnderTest) -> dict[str, str]:
    """The first layer or function that runs each operator."""
    found: dict[str, str] = {}
    for unit in record_units(model):
        for operator in operators(unit_model(model, unit)):
            found.setdefault(operator, unit.name)
    return found


def examine(name: str) -> str:
    """All faults of one model, in one line."""
    zoo = importlib.import_module(f"benchmarks.models.zoo.{name}")
    torch.manual_seed(0)
    model = prepared(zoo.build(), zoo.inputs())
    false = len(judge(model, run_in_process(model, CLEAN)))
    places, own = first_with(model), EXECUTIONS[SUSPECT]
    faults = unseen = told = named = 0
    seconds = [0.0]
    for operator in operators(model):
        for change in (scaled, dented, turned):
            EXECUTIONS[SUSPECT] = Faulty(operator, change)
            outcomes = run_in_process(model, [SUSPECT])
            if SUSPECT in measured(outcomes) and measured(outcomes)[SUSPECT].ratio < RATIO / 2:
                unseen += 1
                continue
            faults += 1
            if all(each.execution != SUSPECT for each in judge(model, outcomes)):
                print(f"  not told: {name} {operator} {change.__name__}", flush=True)
                continue
            told += 1
            began = time.monotonic()
            found = first_departing_layer(model, SUSPECT, outcomes)
            seconds.append(time.monotonic() - began)
            named += found is not None and found.place.name == places.get(operator)
    EXECUTIONS[SUSPECT] = own
    spent = statistics.median(seconds)
    counts = f"faults {faults:3} told {told:3} named {named:3} without effect {unseen:3}"
    return f"{name:12} {counts} seconds {spent:.3f} false {false}"


def main(names: Sequence[str]) -> None:
    torch.set_num_threads(1)
    for name in names or MODELS:
        print(examine(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
