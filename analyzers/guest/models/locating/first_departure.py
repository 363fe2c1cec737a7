"""Finds the layer that a verdict on a model is about.

Each unit is fed what double precision feeds it, in single precision, on the suspect: the
first that departs alone is the one, and an error that an earlier unit made is not its own.
Where a run of one unit takes seconds (exporters, compilers) one run gives the outputs of all
units, and the first that departs is then run alone to confirm it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Optional, Tuple

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
    compared,
    errors_of_units,
    is_foreign,
    record_units,
    unit_model,
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
    until = time_limits.now() + SECONDS
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
    errors: List[Tuple[str, float]] = []
    for unit in units:
        if time_limits.now() > until:
            return None
        verdict, ratio = _alone(model, unit, execution)
        if ratio is not None and rule is None:
            errors.append((unit.name, ratio))
        if verdict is not None and rule in (None, verdict.rule):
            return replace(_located(model, unit, execution, verdict), errors=tuple(errors))
    return None


def _by_output(
    model: ModelUnderTest, execution: str, units: List[ModelUnit]
) -> Optional[LocatedLayer]:
    errors = errors_of_units(model, execution)
    index = max(errors, default=len(units))
    if index >= len(units):
        return None
    if not is_foreign(execution):
        errors = _up_to_furthest(model, units[: index + 1], execution) or errors
    told = tuple((units[place].name, errors[place]) for place in sorted(errors))
    return replace(_located(model, units[max(errors)], execution, None), errors=told)


def _up_to_furthest(
    model: ModelUnderTest, units: List[ModelUnit], execution: str
) -> Dict[int, float]:
    """Return the ratios up to the unit furthest off, where none departs alone; none if none is."""
    ratios = [_ratio(model, each, execution) for each in units]
    furthest = max(range(len(units)), key=ratios.__getitem__)
    return dict(enumerate(ratios[: furthest + 1])) if ratios[furthest] >= _SUSPECT else {}


def _ratio(model: ModelUnderTest, unit: ModelUnit, execution: str) -> float:
    try:
        found = measured(run_in_process(unit_model(model, unit), [execution])).get(execution)
    except Exception:
        return 0.0
    return 0.0 if found is None else found.ratio


def _alone(
    model: ModelUnderTest, unit: ModelUnit, execution: str
) -> Tuple[Optional[ExecutionVerdict], Optional[float]]:
    try:
        return compared(unit_model(model, unit), execution, unit.output)
    except Exception:
        return None, None


def _located(
    model: ModelUnderTest, unit: ModelUnit, execution: str, verdict: Optional[ExecutionVerdict]
) -> LocatedLayer:
    source = "" if unit.function is not None else source_of(model.module.get_submodule(unit.name))
    rules = _BY_NUMBERS if verdict is None else (verdict.rule,)
    text, shown = program(unit, source, execution, rules)
    verdict = verdict or shown or _alone(model, unit, execution)[0]
    low, high = bounds(unit)
    ratio = None if verdict is None else verdict.error_ratio
    return LocatedLayer(unit.place(source), text, ratio, low, high, verdict is not None)
