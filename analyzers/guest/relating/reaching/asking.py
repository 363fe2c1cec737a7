"""Which oracles judge the calls of a project, and whose fault a disagreement is."""

from __future__ import annotations

import sys
from typing import List

from ..libraries.library import Library
from ..nouns import CRASH, CRASHED, Disagreement, Live
from ..oracles import ORACLES
from ..oracles.values import operands
from ..uncompiled import COMPILER

ITSELF = (
    *("value", "reference", "decomposition", "float64"),
    *("strides", "in-place", "numpy", "arguments", "documentation"),
)
"""Oracles that can tell that the call itself, and not only a variant of it, is wrong."""
COMPILED = ("meta",)
"""Those that matter to a project that compiles."""


def asked() -> List[str]:
    """The names of the oracles for the project that is loaded here."""
    names = (*ITSELF, *COMPILED) if COMPILER in sys.modules else ITSELF
    return [name for name in names if name in ORACLES]


def concerns(found: Disagreement, live: Live, library: Library) -> bool:
    """Whether a disagreement speaks of the call as the project makes it.

    A call on contiguous arrays that differs from itself on strided ones, or from
    its variant that writes in place, shows a fault of what the project does not call.
    """
    if found.rule == CRASH or found.outcome.status == CRASHED:
        return True
    if found.relation == "strides":
        return any(_is_strided(leaf, library) for leaf in operands(live))
    if found.relation == "in-place":
        return live.api.endswith("_") or bool(live.keywords.get("inplace"))
    return True


def _is_strided(leaf: object, library: Library) -> bool:
    contiguous = getattr(leaf, "is_contiguous", None)
    return library.is_array(leaf) and callable(contiguous) and not contiguous()
