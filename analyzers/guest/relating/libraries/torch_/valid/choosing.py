"""A few of many calls, as different from each other as they can be."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from ....nouns import Live
from ..values import is_tensor

Form = Tuple[Any, ...]


def varied(lives: Sequence[Live]) -> List[Live]:
    """All of them, in an order in which those of new forms come early, small ones first."""
    forms: Dict[Form, List[Live]] = {}
    for live in sorted(lives, key=_is_large):
        forms.setdefault(form(live), []).append(live)
    ordered: List[Live] = []
    at = 0
    while len(ordered) < len(lives):
        ordered += [group[at] for group in forms.values() if at < len(group)]
        at += 1
    return ordered


def form(live: Live) -> Form:
    """What kinds of values a call is given, and under which names."""
    inputs = () if live.inputs is None else tuple(_form(item) for item in live.inputs)
    named = tuple((name, _form(item)) for name, item in sorted(live.keywords.items()))
    return (live.api, tuple(_form(item) for item in live.arguments), named, inputs)


def _form(value: Any) -> Any:
    if is_tensor(value):
        return "tensor", value.dim(), value.numel() == 0, str(value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value).__name__, len(value), tuple(_form(item) for item in value[:2])
    if isinstance(value, (bool, str, type(None))):
        return value
    if isinstance(value, (int, float)):
        return type(value).__name__, (value > 0) - (value < 0)
    return type(value).__name__


def _is_large(live: Live) -> bool:
    """Whether a tensor has more elements than are written out."""
    from ..spelling import MOST_ELEMENTS

    given = [*live.arguments, *live.keywords.values(), *(live.inputs or ())]
    return any(is_tensor(item) and item.numel() > MOST_ELEMENTS for item in given)
