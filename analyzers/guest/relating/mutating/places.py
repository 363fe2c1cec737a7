"""The places of a call at which values stand, and calls with other values there."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Sequence, Tuple, Union

from ..nouns import Live

Place = Tuple[Union[str, int], ...]
"""Where a value stands: ``("arguments", 0)``, ``("keywords", "dim")``, ``("inputs", 0)``.

Further numbers lead into tuples and lists: ``("arguments", 0, 1)``.
"""

Fixed = FrozenSet[Place]
"""What may not vary: places (with all inside them), or one aspect of them.

An aspect is the last word: ``("arguments", 0, "shape")``.
"""

VALUE, SHAPE, DTYPE, STRIDES = "value", "shape", "dtype", "strides"
"""The aspects of an array; what is no array has its value alone."""


class _Missing:
    """What stands where an argument is left out."""


MISSING = _Missing()


def arguments(live: Live) -> Iterator[Tuple[Place, Any]]:
    """The arguments as they were given, with their places."""
    for number, value in enumerate(live.arguments):
        yield ("arguments", number), value
    for name, value in live.keywords.items():
        yield ("keywords", name), value
    for number, value in enumerate(live.inputs or ()):
        yield ("inputs", number), value


def leaves(live: Live) -> Iterator[Tuple[Place, Any]]:
    """The values inside tuples and lists, and all others as they stand."""
    for place, value in arguments(live):
        yield from _inside(place, value)


def _inside(place: Place, value: Any) -> Iterator[Tuple[Place, Any]]:
    if type(value) not in (tuple, list):
        yield place, value
        return
    for number, item in enumerate(value):
        yield from _inside((*place, number), item)


def is_fixed(place: Place, aspect: str, fixed: Fixed) -> bool:
    """Whether this aspect of the value may not vary."""
    if not fixed:
        return False
    prefixes = [place[:length] for length in range(2, len(place) + 1)]
    return any(prefix in fixed or (*prefix, aspect) in fixed for prefix in prefixes)


def changed(live: Live, changes: Mapping[Place, Any]) -> Live:
    """The call with other values at some places; all else is shared with it.

    :data:`MISSING` leaves a keyword out, or a positional argument with all after it.
    """
    parts: Dict[str, Any] = {
        "arguments": list(live.arguments),
        "keywords": dict(live.keywords),
        "inputs": None if live.inputs is None else list(live.inputs),
    }
    removed = [place for place, value in changes.items() if value is MISSING]
    for place, value in changes.items():
        if value is not MISSING:
            room = parts[str(place[0])]
            within = len(place) > 2
            room[place[1]] = _put(room[place[1]], place[2:], value) if within else value
    for place in sorted(removed, key=repr, reverse=True):
        if place[0] == "keywords":
            parts["keywords"].pop(place[1], None)
        else:
            del parts[str(place[0])][place[1] :]
    return Live(live.api, live.function, parts["arguments"], parts["keywords"], parts["inputs"])


def _put(value: Any, path: Sequence[Union[str, int]], new: Any) -> Any:
    if not path:
        return new
    items: List[Any] = list(value)
    items[int(path[0])] = _put(items[int(path[0])], path[1:], new)
    return type(value)(items)
