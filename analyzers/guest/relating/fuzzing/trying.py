"""What one call disagrees with: as much of it as was asked for."""

from __future__ import annotations

from typing import List, Optional, Sequence

from ..libraries.library import Library
from ..nouns import CRASH, Disagreement, Live, Relation
from ..oracles import CHEAP, judged
from . import bounds
from .statuses import ended


def asked(oracles: Optional[Sequence[str]]) -> Sequence[str]:
    """The oracles by name; by default the cheap ones and ``bounds``."""
    return (*CHEAP, bounds.NAME) if oracles is None else oracles


def disagreements(
    live: Live,
    library: Library,
    relations: Sequence[Relation],
    oracles: Optional[Sequence[str]],
) -> List[Disagreement]:
    """Run a call, and what the oracles compare it with; the process may die of it.

    ``oracles`` are those of :data:`oracles.ORACLES` and ``bounds``; by default
    the cheap ones and ``bounds``.  Where none are named, only how the call ends
    is looked at.
    """
    others = None if oracles is None else [name for name in oracles if name != bounds.NAME]
    found = ended(live, library) if others == [] else judged(live, library, relations, others)[1]
    is_asked = oracles is None or bounds.NAME in oracles
    if is_asked and not any(each.rule == CRASH for each in found):
        found = [*found, *bounds.judge(live, library)]
    return found
