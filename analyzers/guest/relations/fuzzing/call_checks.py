"""Calls as text, where need be with plainer arrays than they have."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, List, Optional, Sequence, Tuple

from ...inputs.recipes import BadRecipe
from ..library_calls import call_source, copy_call, exception_outcome
from ..mutation.array_construction import arrays_of
from ..mutation.call_draft import changed, leaves
from ..oracles.oracle_registry import CHEAP, judge_call
from ..relation_types import CRASH, CRASHED, Disagreement, Library, LiveCall, Relation
from . import memory_bounds
from .fuzz_findings import internal_assertion

_FEW = 8


def writable_call(live: LiveCall, library: Library) -> Tuple[str, bool]:
    """The text of the call, and whether it is that of the call itself.

    Where that has none, it is of one with arrays of one number, which need not
    show what the call did; empty where something else in it has no text.
    """
    text = call_source(live, library)
    if text:
        return text, True
    plainer = call_source(_plainer(live, library, is_bold=False), library)
    return plainer or call_source(_plainer(live, library, is_bold=True), library), False


def _plainer(live: LiveCall, library: Library, is_bold: bool) -> LiveCall:
    """With a number in place of the elements of arrays: those without text, or all but small."""
    arrays = arrays_of(library)
    changes = {
        place: _constant(value, library)
        for place, value in leaves(live)
        if library.is_array(value)
        and arrays.is_plain(value)
        and (is_bold or not _has_text(value, library))
    }
    return changed(live, changes)


def _has_text(value: Any, library: Library) -> bool:
    try:
        library.recipe_of(value)
    except BadRecipe:
        return False
    return True


def _constant(array: Any, library: Library) -> Any:
    import numpy as np

    dtype, shape, values = library.plain(array)
    if values.size <= _FEW:
        return array
    return arrays_of(library).made(dtype, np.full(shape, values.flat[0], values.dtype), array)


def end_disagreements(live: LiveCall, library: Library) -> List[Disagreement]:
    """Run it on copies: what its end disagrees with; the process may end with it.

    Results are dropped unread: printing them takes longer than most calls do.
    Warnings go where the process lets them.
    """
    own = _copied(live, library)
    try:
        library.seed()
        own.run()
    except Exception as error:
        outcome = exception_outcome(error)
        return [internal_assertion(live.api, outcome)] if outcome.status == CRASHED else []
    return []


def _copied(live: LiveCall, library: Library) -> LiveCall:
    """Copies, or the call itself where something in it cannot be copied."""
    own: Any = None
    with suppress(Exception):
        own = copy_call(live, library)
    return own or live


def chosen_oracles(oracles: Optional[Sequence[str]]) -> Sequence[str]:
    """The oracles by name; by default the cheap ones and ``bounds``."""
    return (*CHEAP, memory_bounds.NAME) if oracles is None else oracles


def disagreements(
    live: LiveCall,
    library: Library,
    relations: Sequence[Relation],
    oracles: Optional[Sequence[str]],
) -> List[Disagreement]:
    """Run a call, and what the oracles compare it with; the process may die of it.

    ``oracles`` are those of :data:`oracles.ORACLES` and ``bounds``; by default
    the cheap ones and ``bounds``.  Where none are named, only how the call ends
    is looked at.
    """
    others = None if oracles is None else [name for name in oracles if name != memory_bounds.NAME]
    found = (
        end_disagreements(live, library)
        if others == []
        else judge_call(live, library, relations, others)[1]
    )
    is_asked = oracles is None or memory_bounds.NAME in oracles
    if is_asked and not any(each.rule == CRASH for each in found):
        found = [*found, *memory_bounds.judge(live, library)]
    return found
