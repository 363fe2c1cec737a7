"""Finds the layer that a verdict on a model is about.

Each unit is fed what double precision feeds it, in single precision, on the suspect: the
first that departs alone is the one, and an error that an earlier unit made is not its own.
Where a run of one unit takes seconds (exporters, compilers) one run gives the outputs of all
units, and the first that departs is then run alone to confirm it.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from ...runtime import time_limits
from ..judging.error_measures import measured
from ..judging.isolated_runs import run_in_process
from ..model_types import (
    CRASH,
    DIVERGENCE,
    NON_FINITE,
    NOT_COMPILED,
    ExecutionOutcome,
    ExecutionOutcomes,
    ExecutionVerdict,
    LocatedLayer,
    ModelUnderTest,
)
from .layer_program import program, source_of
from .model_units import (
    ModelUnit,
    bounds,
    first_departing_unit,
    is_foreign,
    is_near_eager,
    record_units,
    unit_model,
    verdict_of,
)

SECONDS = 60.0
_SUSPECT = 5.0
"""Error over what rounding explains from which a unit is more likely than those after it."""
_BY_NUMBERS = (DIVERGENCE, NON_FINITE)
_STATUSES = {"raised": CRASH, "died": CRASH, "uncompiled": NOT_COMPILED}


def first_departing_layer(
    model: ModelUnderTest,
    execution: str,
    outcomes: ExecutionOutcomes,
    root: str = "",
    seconds: float = SECONDS,
) -> Optional[LocatedLayer]:
    """Return the first unit of a model at which an execution departs; ``None`` where none does.

    ``outcomes`` are what the executions of the model came to, ``root`` is the folder that the
    paths of places are relative to.  Raises nothing that the model raises in double precision
    but what interrupts: then there is no reference, and ``None``.
    """
    if model.framework == "keras":
        from ..keras.layer_location import first_departing_keras_layer

        return first_departing_keras_layer(model, execution, root)
    try:
        units = record_units(model, root)
    except Exception:
        return None
    until = time_limits.now() + seconds
    rule = _STATUSES.get(outcomes.get(execution, ExecutionOutcome("returned")).status)
    if rule is None and is_foreign(execution):
        return _by_output(model, execution, units)
    return _by_unit(model, execution, units, (rule, until)) or (
        None if rule else _by_output(model, execution, units)
    )


def _by_unit(
    model: ModelUnderTest,
    execution: str,
    units: List[ModelUnit],
    wanted: Tuple[Optional[str], float],
) -> Optional[LocatedLayer]:
    rule, until = wanted
    for unit in units:
        if time_limits.now() > until:
            return None
        verdict = _alone(model, unit, execution)
        if verdict is not None and rule in (None, verdict.rule):
            return _located(model, unit, execution, verdict)
    return None


def _by_output(
    model: ModelUnderTest, execution: str, units: List[ModelUnit]
) -> Optional[LocatedLayer]:
    index = first_departing_unit(model, execution)
    if index is None or index >= len(units):
        return None
    before = units[: index + 1]
    unit = before[-1] if is_foreign(execution) else _furthest(model, before, execution)
    return _located(model, unit, execution, None)


def _furthest(model: ModelUnderTest, units: List[ModelUnit], execution: str) -> ModelUnit:
    """Return the unit that is furthest off, where none departs alone; the last if none is.

    An error that is too small where it is made to be told there grows on its way.
    """
    ratios = [_ratio(model, each, execution) for each in units]
    furthest = max(range(len(units)), key=ratios.__getitem__)
    return units[furthest] if ratios[furthest] >= _SUSPECT else units[-1]


def _ratio(model: ModelUnderTest, unit: ModelUnit, execution: str) -> float:
    try:
        found = measured(run_in_process(unit_model(model, unit), [execution])).get(execution)
    except Exception:
        return 0.0
    return 0.0 if found is None else found.ratio


def _alone(model: ModelUnderTest, unit: ModelUnit, execution: str) -> Optional[ExecutionVerdict]:
    try:
        alone = unit_model(model, unit)
        return None if is_near_eager(alone, execution) else verdict_of(alone, execution)
    except Exception:
        return None


def _located(
    model: ModelUnderTest, unit: ModelUnit, execution: str, verdict: Optional[ExecutionVerdict]
) -> LocatedLayer:
    source = "" if unit.function is not None else source_of(model.module.get_submodule(unit.name))
    rules = _BY_NUMBERS if verdict is None else (verdict.rule,)
    text, shown = program(unit, source, execution, rules)
    verdict = verdict or shown or _alone(model, unit, execution)
    low, high = bounds(unit)
    ratio = None if verdict is None else verdict.error_ratio
    return LocatedLayer(unit.place(source), text, ratio, low, high, verdict is not None)
