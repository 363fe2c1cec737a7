"""What oracles import at their first call, imported once before processes are forked."""

from __future__ import annotations

from contextlib import suppress
from typing import Iterable, Optional, Set, Tuple

from .libraries.library import Library
from .nouns import Live, Relation

_CALLS = {"torch": ("torch.neg", "torch.ones")}
"""Of each library a function that every oracle knows, and what makes an array for it."""


def warm(library: Library, oracles: Optional[Iterable[str]] = None) -> None:
    """Let oracles (those that are asked by default) judge a call that is well, once."""
    from .oracles import judged

    chosen = None if oracles is None else tuple(oracles)
    if (library.name, chosen) in _done:
        return
    _done.add((library.name, chosen))
    name, maker = _CALLS[library.name]
    live = Live(name, library.function(name), [library.function(maker)(1)])
    with suppress(KeyError):
        judged(live, library, [Relation(name, name, f"{name}(input)", "value")], chosen)


_done: Set[Tuple[str, Optional[Tuple[str, ...]]]] = set()
