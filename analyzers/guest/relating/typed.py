"""Which types of values an API is known to take: those that valid calls give it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Iterable, Mapping, Set

from .libraries.library import Library
from .nouns import Api, Live
from .synthesis.binding import Inapplicable, bound
from .synthesis.similarity import bare


def typed(api: Api, lives: Iterable[Live], library: Library) -> Api:
    """The API with the types that these calls of it give to its parameters."""
    seen: Dict[str, Set[str]] = {}
    for live in lives:
        for name, kind in types_of(api, live, library).items():
            seen.setdefault(name, set()).add(kind)
    return taking(api, seen)


def types_of(api: Api, live: Live, library: Library) -> Dict[str, str]:
    """The types that a call gives, by the parameters' bare names; none where it does not fit."""
    try:
        values = bound(api, live)
    except Inapplicable:
        return {}
    return {name: type_of(value, library) for name, value in values.items()}


def taking(api: Api, types: Mapping[str, Iterable[str]]) -> Api:
    """The API with more types for its parameters, by their bare names."""
    taken = tuple(
        replace(item, types=item.types.union(types.get(bare(item.name), ())))
        for item in api.parameters
    )
    return replace(api, parameters=taken)


def type_of(value: Any, library: Library) -> str:
    """The name of a value's type; that of arrays is the same for all libraries."""
    if library.is_array(value):
        return "tensor"
    return "None" if value is None else type(value).__name__
