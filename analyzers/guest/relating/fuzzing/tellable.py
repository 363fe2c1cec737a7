"""Calls as text, where need be with plainer arrays than they have."""

from __future__ import annotations

from typing import Any, Tuple

from ...generation.recipes import BadRecipe
from ..libraries.library import Library
from ..mutating.arrays import arrays_of
from ..mutating.places import changed, leaves
from ..nouns import Live
from ..told import told

_FEW = 8


def tellable(live: Live, library: Library) -> Tuple[str, bool]:
    """The text of the call, and whether it is that of the call itself.

    Where that has none, it is of one with arrays of one number, which need not
    show what the call did; empty where something else in it has no text.
    """
    text = told(live, library)
    if text:
        return text, True
    plainer = told(_plainer(live, library, is_bold=False), library)
    return plainer or told(_plainer(live, library, is_bold=True), library), False


def _plainer(live: Live, library: Library, is_bold: bool) -> Live:
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
        library.spelled(value)
    except BadRecipe:
        return False
    return True


def _constant(array: Any, library: Library) -> Any:
    import numpy as np

    dtype, shape, values = library.plain(array)
    if values.size <= _FEW:
        return array
    return arrays_of(library).made(dtype, np.full(shape, values.flat[0], values.dtype), array)
