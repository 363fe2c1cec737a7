"""How far the executions of a model are apart: its accumulated inconsistency."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple

from ..executions.execution_registry import EAGER, FLOAT64
from ..judging.error_measures import d_mad, error, scale
from ..model_types import ExecutionOutcomes, ModelUnderTest, Mutation

ERROR, RATIO, D_MAD = "error", "ratio", "d_mad"


@dataclass(frozen=True)
class SearchPlan:
    """How a search goes.

    It ends after ``mutants`` mutants or ``seconds``.  ``guided`` chooses seeds and rules by what
    amplified before, else both are drawn evenly from the start.  ``order`` is the most mutations
    that a mutant has, ``seeds`` how many mutants may be mutated further beside the model
    itself, ``memory`` the most bytes of weights that these may hold of their own.  ``measure``
    is how far executions are apart: ``error`` (their distance over the reference's size, in
    epsilons of float32), ``ratio`` (over eager's own error) or ``d_mad`` (the paper's).
    """

    mutants: int = 100
    seconds: float = 60.0
    seed: int = 0
    guided: bool = True
    order: int = 8
    seeds: int = 30
    memory: int = 2**28
    measure: str = RATIO


@dataclass(frozen=True)
class ModelMutant:
    """A mutant and what its executions came to.

    ``outcomes`` has one mapping for each input.  ``inconsistency`` is how far its executions
    are apart, summed over inputs and pairs; ``before`` that of the model it was made from,
    ``initial`` that of the unmutated model.  ``left_out`` says why nothing is to be
    learned from it (it fails, or all that it gives is NaN), else is empty.
    """

    model: ModelUnderTest
    mutations: Tuple[Mutation, ...]
    outcomes: Tuple[ExecutionOutcomes, ...]
    inconsistency: float = 0.0
    before: float = 0.0
    initial: float = 0.0
    left_out: str = ""

    @property
    def amplifies(self) -> bool:
        """Whether its executions are further apart than those of what it was made from."""
        return not self.left_out and self.inconsistency > self.before


_EPS = 2.0**-23
_HUGE = 1e30
_TINY = 1e-30

Distance = Callable[[Any, Any, Any, Any], float]


def accumulated(outcomes: Sequence[ExecutionOutcomes], measure: str) -> float:
    """The distances of all pairs of executions that returned, summed over inputs and outputs."""
    return sum(_apart(each, _DISTANCES[measure]) for each in outcomes)


def _apart(outcomes: ExecutionOutcomes, distance: Distance) -> float:
    reference = outcomes[FLOAT64].outputs
    eager = outcomes[EAGER].outputs
    alike = [
        each.outputs
        for each in outcomes.values()
        if each.status == "returned" and _same_shapes(each.outputs, reference)
    ]
    return sum(
        distance(one[index], other[index], expected, eager[index])
        for index, expected in enumerate(reference)
        if expected.dtype.kind == "f" and expected.size
        for one, other in combinations(alike, 2)
    )


def _same_shapes(outputs: Sequence[Any], reference: Sequence[Any]) -> bool:
    return [each.shape for each in outputs] == [each.shape for each in reference]


def _error(one: Any, other: Any, expected: Any, _eager: Any) -> float:
    """The largest difference over the reference's largest element, in epsilons of float32."""
    return error(one, other) / max(scale(expected) * _EPS, _TINY)


def _ratio(one: Any, other: Any, expected: Any, eager: Any) -> float:
    """The largest difference over eager's own error."""
    return error(one, other) / max(error(eager, expected), scale(expected) * _EPS, _TINY)


def _d_mad(one: Any, other: Any, expected: Any, _eager: Any) -> float:
    return d_mad(one, other, expected)


_DISTANCES: Mapping[str, Distance] = {ERROR: _error, RATIO: _ratio, D_MAD: _d_mad}


def useless(outcomes: ExecutionOutcomes) -> Optional[str]:
    """Why nothing is to be learned from a mutant's outcomes; ``None`` where something is."""
    for name in (EAGER, FLOAT64):
        if outcomes[name].status != "returned":
            return f"{name} {outcomes[name].status}: {outcomes[name].detail}"
    floats = [each for each in outcomes[FLOAT64].outputs if each.dtype.kind == "f" and each.size]
    if not floats:
        return "it gives no float"
    if not any(_finite(each) for each in floats):
        return "all that it gives is NaN or infinite"
    if max(map(scale, floats)) > _HUGE:
        return "what it gives is out of float32's range"
    return None


def _finite(found: Any) -> bool:
    import numpy

    return bool(numpy.isfinite(found).any())
