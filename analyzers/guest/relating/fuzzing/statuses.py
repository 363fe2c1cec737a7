"""How calls end, and no more: for campaigns that look for crashes and hangs alone."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, List

from ..calls import copied
from ..libraries.library import Library
from ..nouns import CRASHED, Disagreement, Live
from ..outcomes import raised
from .findings import internal


def ended(live: Live, library: Library) -> List[Disagreement]:
    """Run it on copies: what its end disagrees with; the process may end with it.

    Results are dropped unread: printing them takes longer than most calls do.
    Warnings go where the process lets them.
    """
    own = _copied(live, library)
    try:
        library.seed()
        own.run()
    except Exception as error:
        outcome = raised(error)
        return [internal(live.api, outcome)] if outcome.status == CRASHED else []
    return []


def _copied(live: Live, library: Library) -> Live:
    """Copies, or the call itself where something in it cannot be copied."""
    own: Any = None
    with suppress(Exception):
        own = copied(live, library)
    return own or live
