"""The oracles: what the executions of a model have against each other."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Iterator, List, Optional, Tuple

from ..executions.execution_registry import EAGER, FLOAT64
from ..executions.tensor_trees import as_numpy, tensor_leaves
from ..executions.torch_executions import run_without_gradients
from ..keras import keras_calls
from ..model_types import (
    CRASH,
    DIVERGENCE,
    NON_FINITE,
    NOT_COMPILED,
    RATIO,
    ExecutionOutcome,
    ExecutionOutcomes,
    ExecutionVerdict,
    ModelUnderTest,
)
from .error_measures import Noise, measured, unit, worst
from .isolated_runs import DIED, RAISED, RETURNED, UNCOMPILED


def incomparable(model: ModelUnderTest) -> Optional[str]:
    """Return why executions of a model cannot be compared; raises what the model raises."""
    first, again = _run(model), _run(model)
    if not _are_equal(first, again):
        return "it gives something else when it is called again: it keeps state"
    if not _are_equal(first, _run(model, seed=1)):
        return "it draws random numbers in evaluation mode"
    return None


def _run(model: ModelUnderTest, seed: int = 0) -> Tuple[Any, ...]:
    module = model.module
    if model.framework == "keras":
        found = keras_calls.predict(module, model.inputs, model.keywords, seed)
    else:
        found = run_without_gradients(module, seed)(*model.inputs, **model.keywords)
    return tuple(as_numpy(each) for each in tensor_leaves(found))


def _are_equal(first: Tuple[Any, ...], second: Tuple[Any, ...]) -> bool:
    import numpy

    return len(first) == len(second) and all(
        one.shape == other.shape and numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        for one, other in zip(first, second)
    )


_LARGEST = ((2.0**-10, 65504.0), (2.0**-7, 3.3895e38), (2.0**-23, 3.4028e38))
_ORDINARY = 1e6
"""The magnitude of inputs up to which eager itself should stay in range."""


def departs(
    name: str, model: ModelUnderTest, index: int, outcomes: ExecutionOutcomes
) -> Optional[str]:
    """Return how an output is finite where the mathematics is not, or not where it could be."""
    expected = outcomes[FLOAT64].outputs[index]
    found = outcomes[name].outputs[index]
    if expected.dtype.kind != "f" or found.shape != expected.shape or not found.size:
        return None
    from numpy import isfinite

    if name == EAGER:
        places = _in_range(expected, EAGER) & ~isfinite(found)
        if not places.any() or not _is_ordinary(model):
            return None
        return f"{_shown(found, places)} in float32, {_shown(expected, places)} in float64"
    eager = outcomes[EAGER].outputs[index]
    both = _in_range(expected, name) & isfinite(eager)
    neither = ~isfinite(expected) & _same(eager, expected)
    places = (both & ~isfinite(found)) | (neither & ~_same(found, expected))
    if not places.any():
        return None
    return f"{_shown(found, places)} in {name}, {_shown(eager, places)} in eager"


def _in_range(expected: Any, name: str) -> Any:
    import numpy

    largest = next((most for eps, most in _LARGEST if eps == unit(name)), _LARGEST[-1][1])
    with numpy.errstate(invalid="ignore"):
        return numpy.abs(expected) <= largest / 2


def _same(found: Any, expected: Any) -> Any:
    """Return where both are NaN, or the same infinity."""
    import numpy

    return (numpy.isnan(found) & numpy.isnan(expected)) | (found == expected)


def _is_ordinary(model: ModelUnderTest) -> bool:
    tensors = tensor_leaves((model.inputs, dict(model.keywords)))
    floating = [each for each in tensors if each.is_floating_point() and each.numel()]
    return all(bool(each.abs().max() <= _ORDINARY) for each in floating)


def _shown(found: Any, places: Any) -> str:
    return f"{float(found[places][0]):g}"


def judge(
    model: ModelUnderTest, outcomes: ExecutionOutcomes, ratio: float = RATIO
) -> List[ExecutionVerdict]:
    """Return what is wrong with the executions of a model, at most one verdict for each.

    Error over eager's own against float64 (``ratio`` and more is a divergence), values that
    are not finite in some executions only, crashes in some only, and what was not compiled.
    Where eager does not return, where the model is not the same twice, and where rounding
    alone explains a difference, nothing is told.
    """
    if outcomes[EAGER].status != RETURNED:
        return []
    return list(_Judging(model, outcomes, ratio).verdicts())


class _Judging:
    def __init__(self, model: ModelUnderTest, outcomes: ExecutionOutcomes, ratio: float) -> None:
        self._model = model
        self._outcomes = outcomes
        self._ratio = ratio
        self._noise = Noise(model, outcomes[FLOAT64])

    def verdicts(self) -> Iterator[ExecutionVerdict]:
        for name, outcome in self._outcomes.items():
            verdict = None if name == FLOAT64 else self._verdict(name, outcome)
            if verdict is not None and (verdict.rule == NOT_COMPILED or self._is_comparable):
                yield verdict

    def _verdict(self, name: str, outcome: ExecutionOutcome) -> Optional[ExecutionVerdict]:
        if outcome.status == UNCOMPILED:
            return ExecutionVerdict(NOT_COMPILED, name, outcome.detail)
        if outcome.status in (RAISED, DIED):
            ended = f"{'dies' if outcome.status == DIED else 'raises'}: {outcome.detail}"
            return ExecutionVerdict(CRASH, name, f"eager returns, {name} {ended}")
        if outcome.status != RETURNED or self._outcomes[FLOAT64].status != RETURNED:
            return None
        return self._misshapen(name, outcome) or self._unequal(name, outcome)

    @cached_property
    def _is_comparable(self) -> bool:
        try:
            return incomparable(self._model) is None
        except Exception:
            return False

    def _misshapen(self, name: str, outcome: ExecutionOutcome) -> Optional[ExecutionVerdict]:
        eager, reference = self._outcomes[EAGER].outputs, self._outcomes[FLOAT64].outputs
        told = [_output_message(each) for each in eager]
        if [_output_message(each) for each in reference] != told:
            return None
        found = [_output_message(each) for each in outcome.outputs]
        if found == told:
            return None
        detail = f"eager gives {', '.join(told)}; {name} gives {', '.join(found) or 'nothing'}"
        pairs = enumerate(zip(told, found))
        index = next((place for place, (one, other) in pairs if one != other), 0)
        return ExecutionVerdict(DIVERGENCE, name, detail, worst=index)

    def _unequal(self, name: str, outcome: ExecutionOutcome) -> Optional[ExecutionVerdict]:
        if name != EAGER and len(outcome.outputs) != len(self._outcomes[EAGER].outputs):
            return None
        found = self._non_finite(name, outcome) or self._divergent(name, outcome)
        return found or (None if name == EAGER else self._indices(name, outcome))

    def _non_finite(self, name: str, outcome: ExecutionOutcome) -> Optional[ExecutionVerdict]:
        for index in range(len(outcome.outputs)):
            detail = departs(name, self._model, index, self._outcomes)
            if detail is not None and self._noise.is_steady(unit(name), index):
                beside = worst(name, outcome, self._outcomes)
                d_mad = None if beside is None else beside.d_mad
                return ExecutionVerdict(NON_FINITE, name, detail, None, d_mad, index)
        return None

    def _divergent(self, name: str, outcome: ExecutionOutcome) -> Optional[ExecutionVerdict]:
        if name == EAGER and not self._has_witness():
            return None
        measure = worst(name, outcome, self._outcomes)
        if measure is None or measure.ratio < self._ratio:
            return None
        measure = worst(name, outcome, self._outcomes, self._noise.floor(unit(name)))
        if measure is None or measure.ratio < self._ratio:
            return None
        detail = (
            f"{name} is off float64 by {measure.error:.3g} in output {measure.index}, where "
            f"rounding explains {measure.allowed:.3g} ({measure.ratio:.3g} times that)"
        )
        return ExecutionVerdict(
            DIVERGENCE, name, detail, measure.ratio, measure.d_mad, measure.index
        )

    def _indices(self, name: str, outcome: ExecutionOutcome) -> Optional[ExecutionVerdict]:
        """Return whole numbers that differ though float64, eager and all their neighbours agree."""
        import numpy

        eager, reference = self._outcomes[EAGER].outputs, self._outcomes[FLOAT64].outputs
        for index, expected in enumerate(reference):
            found = outcome.outputs[index]
            if expected.dtype.kind == "f" or numpy.array_equal(found, expected):
                continue
            if numpy.array_equal(eager[index], expected) and self._noise.is_steady(
                unit(name), index
            ):
                count = int(numpy.sum(found != expected))
                detail = f"{name} differs from eager and float64 in {count} of {found.size}"
                return ExecutionVerdict(DIVERGENCE, name, f"{detail} whole numbers", worst=index)
        return None

    def _has_witness(self) -> bool:
        found = measured(self._outcomes)
        own = found.pop(EAGER, None)
        return own is not None and any(
            measure.error * self._ratio <= own.error
            for name, measure in found.items()
            if unit(name) == unit(EAGER)
        )


def _output_message(found: Any) -> str:
    kind = {"f": "floats", "b": "booleans"}.get(found.dtype.kind, "integers")
    return f"{kind} {tuple(found.shape)}"
