"""The oracles: what the executions of a model have against each other."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Iterator, List, Optional

from ..executions import EAGER, FLOAT64
from ..nouns import (
    CRASH,
    DIVERGENCE,
    NON_FINITE,
    NOT_COMPILED,
    RATIO,
    Model,
    Outcome,
    Outcomes,
    Verdict,
)
from .comparable import incomparable
from .finite import departs
from .measures import Measure, measured, unit, worst
from .noise import Noise
from .outcomes import DIED, RAISED, RETURNED, UNCOMPILED


def judge(model: Model, outcomes: Outcomes, ratio: float = RATIO) -> List[Verdict]:
    """What is wrong with the executions of a model, at most one verdict for each.

    Error over eager's own against float64 (``ratio`` and more is a divergence), values that
    are not finite in some executions only, crashes in some only, and what was not compiled.
    Where eager does not return, where the model is not the same twice, and where rounding
    alone explains a difference, nothing is told.
    """
    if outcomes[EAGER].status != RETURNED:
        return []
    return list(_Judging(model, outcomes, ratio).verdicts())


class _Judging:
    def __init__(self, model: Model, outcomes: Outcomes, ratio: float) -> None:
        self._model = model
        self._outcomes = outcomes
        self._ratio = ratio
        self._noise = Noise(model, outcomes[FLOAT64])

    def verdicts(self) -> Iterator[Verdict]:
        for name, outcome in self._outcomes.items():
            if name != FLOAT64:
                verdict = self._verdict(name, outcome)
                if verdict is not None and self._is_sound(verdict):
                    yield verdict

    def _verdict(self, name: str, outcome: Outcome) -> Optional[Verdict]:
        if outcome.status == UNCOMPILED:
            return Verdict(NOT_COMPILED, name, outcome.detail)
        if outcome.status in (RAISED, DIED):
            return Verdict(CRASH, name, f"eager returns, {name} {_ended(outcome)}")
        if outcome.status != RETURNED or self._outcomes[FLOAT64].status != RETURNED:
            return None
        return self._misshapen(name, outcome) or self._unequal(name, outcome)

    def _is_sound(self, verdict: Verdict) -> bool:
        return verdict.rule == NOT_COMPILED or self._is_comparable

    @cached_property
    def _is_comparable(self) -> bool:
        try:
            return incomparable(self._model) is None
        except Exception:
            return False

    def _misshapen(self, name: str, outcome: Outcome) -> Optional[Verdict]:
        """Another number of outputs, or others of another shape or kind."""
        eager, reference = self._outcomes[EAGER].outputs, self._outcomes[FLOAT64].outputs
        told = [_told(each) for each in eager]
        if [_told(each) for each in reference] != told:
            return None
        found = [_told(each) for each in outcome.outputs]
        if found == told:
            return None
        detail = f"eager gives {', '.join(told)}; {name} gives {', '.join(found) or 'nothing'}"
        pairs = enumerate(zip(told, found))
        index = next((place for place, (one, other) in pairs if one != other), 0)
        return Verdict(DIVERGENCE, name, detail, worst=index)

    def _unequal(self, name: str, outcome: Outcome) -> Optional[Verdict]:
        if name != EAGER and len(outcome.outputs) != len(self._outcomes[EAGER].outputs):
            return None
        found = self._non_finite(name, outcome) or self._divergent(name, outcome)
        return found or (None if name == EAGER else self._indices(name, outcome))

    def _non_finite(self, name: str, outcome: Outcome) -> Optional[Verdict]:
        for index in range(len(outcome.outputs)):
            detail = departs(name, self._model, index, self._outcomes)
            if detail is not None and self._noise.is_steady(unit(name), index):
                beside = worst(name, outcome, self._outcomes)
                d_mad = None if beside is None else beside.d_mad
                return Verdict(NON_FINITE, name, detail, None, d_mad, index)
        return None

    def _divergent(self, name: str, outcome: Outcome) -> Optional[Verdict]:
        if name == EAGER and not self._has_witness():
            return None
        measure = worst(name, outcome, self._outcomes)
        if measure is None or measure.ratio < self._ratio:
            return None
        measure = worst(name, outcome, self._outcomes, self._noise.floor(unit(name)))
        if measure is None or measure.ratio < self._ratio:
            return None
        return self._told(name, measure)

    def _told(self, name: str, measure: Measure) -> Verdict:
        detail = (
            f"{name} is off float64 by {measure.error:.3g} in output {measure.index}, where "
            f"rounding explains {measure.allowed:.3g} ({measure.ratio:.3g} times that)"
        )
        return Verdict(DIVERGENCE, name, detail, measure.ratio, measure.d_mad, measure.index)

    def _indices(self, name: str, outcome: Outcome) -> Optional[Verdict]:
        """Whole numbers that differ though float64, eager and all their neighbours agree."""
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
                return Verdict(DIVERGENCE, name, f"{detail} whole numbers", worst=index)
        return None

    def _has_witness(self) -> bool:
        """Whether another execution as precise as eager agrees with float64."""
        found = measured(self._outcomes)
        eager = self._outcomes[EAGER]
        others = [
            measure.error
            for name, measure in found.items()
            if name != EAGER and unit(name) == unit(EAGER)
        ]
        own = worst(EAGER, eager, self._outcomes)
        return own is not None and any(each * self._ratio <= own.error for each in others)


def _told(found: Any) -> str:
    kind = {"f": "floats", "b": "booleans"}.get(found.dtype.kind, "integers")
    return f"{kind} {tuple(found.shape)}"


def _ended(outcome: Outcome) -> str:
    return f"{'dies' if outcome.status == DIED else 'raises'}: {outcome.detail}"
