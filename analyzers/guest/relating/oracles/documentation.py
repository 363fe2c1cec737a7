"""Arguments that the documentation forbids, taken without a word."""

from __future__ import annotations

import inspect
from math import isnan
from typing import Any, Dict, Iterator, List

from ..nouns import EXCEPTION, STATUS, Disagreement, Live, Outcome
from ..outcomes import succeeded
from .ranges import Stated, stated_for
from .trial import Trial
from .values import leaves

NAME = "documentation"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """Each stated range that a call which returned does not keep."""
    rows = stated_for(trial.live.api) if trial.library.name == "torch" else ()
    said = " ".join(str(trial.live.function.__doc__).split()) if rows else ""
    given = _given(trial.live) if rows else {}
    for row in rows:
        if row.quote in said and _is_outside(given.get(row.parameter), row):
            yield _silent(trial, row)


def _silent(trial: Trial, row: Stated) -> Disagreement:
    said = f"its documentation: {row.parameter} is {row.quote!r}"
    expected = Outcome(EXCEPTION, f"an exception, for {row.parameter} is out of its stated range")
    return Disagreement(trial.live.api, said, NAME, STATUS, succeeded(trial.value), expected)


def _given(live: Live) -> Dict[str, Any]:
    """The values of a call by its parameters' names, those of a layer's inputs included."""
    found = _bound(live.function, live.arguments, live.keywords)
    if live.inputs is not None:
        forward = getattr(live.function, "forward", None)
        found.update(_bound(forward, [None, *live.inputs], {}))
    return found


def _bound(function: Any, arguments: List[Any], keywords: Dict[str, Any]) -> Dict[str, Any]:
    try:
        return dict(inspect.signature(function).bind(*arguments, **keywords).arguments)
    except (TypeError, ValueError):
        return dict(keywords)


def _is_outside(value: Any, row: Stated) -> bool:
    """Whether any number of a value is out of its range; NaN says nothing."""
    numbers = [number for leaf in leaves(value) for number in _numbers(leaf)]
    return any(not isnan(number) and not row.admits(number) for number in numbers)


def _numbers(leaf: Any) -> List[float]:
    if type(leaf) in (int, float):
        return [float(leaf)]
    if not hasattr(leaf, "detach") or not leaf.numel() or leaf.is_complex():
        return []
    return [float(leaf.min()), float(leaf.max())]
