"""Calls with another number, word or option: equality by a default value falls away there."""

from __future__ import annotations

import math
from typing import Any, Iterator, List, Sequence

from ...generation.recipes import Literal
from ..mutating.places import changed, leaves
from ..nouns import Api, Live, Parameter

MOST = 12
"""How many variants are made of a call."""


def optional(api: Api, calls: Sequence[Live]) -> Iterator[Live]:
    """Each call with one number or truth value changed, and with one option given that was not."""
    for live in calls:
        yield from [*_renumbered(live), *_given(api, live)][:MOST]


def _renumbered(live: Live) -> Iterator[Live]:
    for place, value in leaves(live):
        for other in _others(value):
            yield changed(live, {place: other})


def _given(api: Api, live: Live) -> Iterator[Live]:
    for parameter in api.parameters[len(live.arguments) :]:
        if parameter.is_input or parameter.name.startswith("*") or parameter.name in live.keywords:
            continue
        for other in _others(_default(parameter)):
            keywords = {**live.keywords, parameter.name: other}
            yield Live(live.api, live.function, list(live.arguments), keywords, live.inputs)


def _default(parameter: Parameter) -> Any:
    return parameter.default.value if isinstance(parameter.default, Literal) else None


def _others(value: Any) -> List[Any]:
    if type(value) is bool:
        return [not value]
    if type(value) is int and abs(value) < 64:
        return [value + 1]
    if type(value) is float and math.isfinite(value):
        return [value / 2 + 0.3]
    return []
