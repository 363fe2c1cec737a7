"""Which types of values an API is known to take: those that valid calls give it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Iterable, Set

from .libraries.library import Library
from .nouns import Api, Live
from .synthesis.binding import Inapplicable, bound
from .synthesis.similarity import bare


def typed(api: Api, lives: Iterable[Live], library: Library) -> Api:
    """The API with the types that these calls of it give to its parameters."""
    seen: Dict[str, Set[str]] = {}
    for live in lives:
        try:
            values = bound(api, live)
        except Inapplicable:
            continue
        for name, value in values.items():
            seen.setdefault(name, set()).add(type_of(value, library))
    taken = tuple(
        replace(item, types=item.types | seen.get(bare(item.name), set()))
        for item in api.parameters
    )
    return replace(api, parameters=taken)


def type_of(value: Any, library: Library) -> str:
    """The name of a value's type; that of arrays is the same for all libraries."""
    if library.is_array(value):
        return "tensor"
    return "None" if value is None else type(value).__name__
