"""Calls as texts, where that can be said of them and is not too long."""

from __future__ import annotations

from typing import Optional

from ..generation.recipes import BadRecipe
from .libraries.library import Library
from .nouns import Live

LONGEST = 4_000


def told(live: Optional[Live], library: Library) -> str:
    """The source of a call; empty where it cannot be said, or is too long."""
    from .calls import called

    if live is None:
        return ""
    try:
        source = called(live, library).source()
    except (BadRecipe, RecursionError):
        return ""
    return source if len(source) <= LONGEST else ""
