"""A wrong kernel too slight to be told of on the model itself: what a search is to amplify.

The papers' libraries had bugs; those installed here have none on the zoo that would be known
beforehand.  So an execution is eager with one operator wrong: every second element of what it
gives is off by a part of itself, as small as lets the model depart by :data:`SLIGHT` times
eager's own error, a fifth of what is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.judging.isolated_runs import run_in_process
from analyzers.guest.models.model_types import ModelUnderTest
from benchmarks.models.kernels import SUSPECT, Change, Faulty, operators

SLIGHT = 4.0
_CLOSE = 1.5
_TRIES = 8
_MOST = 0.05


@dataclass(frozen=True, slots=True)
class Fault:
    """An operator, and by which part of itself every second element that it gives is off."""

    operator: str
    part: float


def slight(model: ModelUnderTest) -> list[Fault]:
    """The faults of a model's operators, those left out that cannot be so slight."""
    found = (_slight(model, operator) for operator in operators(model))
    return [each for each in found if each is not None]


@contextmanager
def faulty(fault: Fault) -> Generator[str, None, None]:
    """The name of the execution that has the fault inside."""
    own = EXECUTIONS[SUSPECT]
    EXECUTIONS[SUSPECT] = Faulty(fault.operator, _astray(fault.part))
    try:
        yield SUSPECT
    finally:
        EXECUTIONS[SUSPECT] = own


def _slight(model: ModelUnderTest, operator: str) -> Fault | None:
    part = 1e-5
    for _ in range(_TRIES):
        fault = Fault(operator, part)
        with faulty(fault) as name:
            found = measured(run_in_process(model, [name])).get(name)
        if found is None or not math.isfinite(found.ratio):
            return None
        if SLIGHT / _CLOSE <= found.ratio <= SLIGHT * _CLOSE:
            return fault
        part *= 8.0 if found.ratio < _CLOSE else SLIGHT / found.ratio
        if part > _MOST:
            return None
    return None


def _astray(part: float) -> Change:
    def change(found: torch.Tensor) -> torch.Tensor:
        changed = found.clone(memory_format=torch.contiguous_format)
        changed.view(-1)[::2] *= 1.0 + part
        return changed

    return change


def built_from(
    build: Callable[[], torch.nn.Module], inputs: tuple[torch.Tensor, ...]
) -> ModelUnderTest:
    """A model whose normalisation layers know the statistics of what they are fed.

    An untrained one has none: in evaluation what its layers give vanishes beside the last bias.
    """
    module = build()
    norms: list[Any] = [each for each in module.modules() if hasattr(each, "running_mean")]
    kept = [each.momentum for each in norms]
    for norm in norms:
        norm.momentum = None  # their running statistics are then plain means
    module.train()
    with torch.no_grad():
        for _ in range(4):
            module(*(_like(each) for each in inputs))
    for norm, momentum in zip(norms, kept, strict=True):
        norm.momentum = momentum
    return ModelUnderTest(module.eval(), inputs)


def _like(given: torch.Tensor) -> torch.Tensor:
    if not given.is_floating_point():
        return given
    return torch.randn(8, *given.shape[1:])
