"""Runs one input, as ``run`` does, and tells what it came to."""

from __future__ import annotations

import gc
from typing import Any, Dict, FrozenSet, Mapping, Sequence, Tuple

from .. import calls
from ..execution import Arguments, Prepared, execute
from ..generation.recipes import Recipe
from .outcomes import Outcome, judged

_COLLECT_EVERY = 200
Inputs = Mapping[str, Recipe]


class Trial:
    """Runs inputs of one target, each with values of its own."""

    def __init__(self, prepared: Prepared, seconds: float, ensures: Sequence[str]) -> None:
        self._prepared = prepared
        self._seconds = seconds
        self._ensures = ensures
        self._seen: FrozenSet[int] = frozenset()
        self._runs = 0

    def run(self, arguments: Arguments) -> Outcome:
        """Run one input; ``hits`` of the outcome are the points reached for the first time."""
        self._runs += 1
        if self._runs % _COLLECT_EVERY == 0:
            gc.collect()
        result = execute(
            self._prepared,
            arguments,
            calls.Nothing(),
            self._seconds,
            self._ensures,
            describe=_returned,
        )
        new: Tuple[int, ...] = ()
        if not result.hits <= self._seen:
            new = tuple(sorted(result.hits - self._seen))
            self._seen |= result.hits
        return judged(result.ending, new)


def _returned(value: Any) -> Dict[str, Any]:
    del value
    return {"kind": "returned"}


def as_arguments(inputs: Inputs) -> Dict[str, Dict[str, Any]]:
    """Recipes as arguments that are run here: nothing is written and read again."""
    return {place: {"kind": "made", "recipe": recipe} for place, recipe in inputs.items()}


def as_protocol(inputs: Inputs) -> Dict[str, Dict[str, Any]]:
    """Recipes as the arguments of the protocol."""
    return {place: {"kind": "made", "recipe": recipe.source()} for place, recipe in inputs.items()}
