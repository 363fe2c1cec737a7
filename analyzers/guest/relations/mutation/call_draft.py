"""The places of a call at which values stand, and calls with other values there."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from ..relation_types import Arrays, Library, LiveCall

ArgumentPath = tuple[Union[str, int], ...]
"""Where a value stands: ``("arguments", 0)``, ``("keywords", "dim")``, ``("inputs", 0)``.

Further numbers lead into tuples and lists: ``("arguments", 0, 1)``.
"""

FixedPaths = frozenset[ArgumentPath]
"""What may not vary: places (with all inside them), or one aspect of them.

An aspect is the last word: ``("arguments", 0, "shape")``.
"""

VALUE, SHAPE, DTYPE, STRIDES = "value", "shape", "dtype", "strides"
"""The aspects of an array; what is no array has its value alone."""


class _Missing:
    """Value of an argument that is left out."""


MISSING = _Missing()


def arguments(live: LiveCall) -> Iterator[tuple[ArgumentPath, Any]]:
    """Yield the arguments as they were given, with their places."""
    for number, value in enumerate(live.arguments):
        yield ("arguments", number), value
    for name, value in live.keywords.items():
        yield ("keywords", name), value
    for number, value in enumerate(live.inputs or ()):
        yield ("inputs", number), value


def leaves(live: LiveCall) -> Iterator[tuple[ArgumentPath, Any]]:
    """Yield the values inside tuples and lists, and all others as they stand."""
    for place, value in arguments(live):
        yield from _inside(place, value)


def _inside(place: ArgumentPath, value: Any) -> Iterator[tuple[ArgumentPath, Any]]:
    if type(value) not in (tuple, list):
        yield place, value
        return
    for number, item in enumerate(value):
        yield from _inside((*place, number), item)


def is_fixed(place: ArgumentPath, aspect: str, fixed: FixedPaths) -> bool:
    """Return whether this aspect of the value may not vary."""
    if not fixed:
        return False
    prefixes = [place[:length] for length in range(2, len(place) + 1)]
    return any(prefix in fixed or (*prefix, aspect) in fixed for prefix in prefixes)


def changed(live: LiveCall, changes: Mapping[ArgumentPath, Any]) -> LiveCall:
    """Return the call with other values at some places; :data:`MISSING` leaves arguments out."""
    parts: dict[str, Any] = {
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
    return LiveCall(live.api, live.function, parts["arguments"], parts["keywords"], parts["inputs"])


def _put(value: Any, path: Sequence[Union[str, int]], new: Any) -> Any:
    if not path:
        return new
    items: list[Any] = list(value)
    items[int(path[0])] = _put(items[int(path[0])], path[1:], new)
    return type(value)(items)


@dataclass(frozen=True)
class KnownCalls:
    """Knowledge of an API's calls: those that are valid, and the values at each place."""

    library: Library
    arrays: Arrays
    calls: Sequence[LiveCall]
    values: Mapping[ArgumentPath, Sequence[Any]]
    fixed: FixedPaths

    @property
    def words(self) -> Sequence[str]:
        """The strings that any argument was."""
        found = {
            value for values in self.values.values() for value in values if (type(value) is str)
        }
        return sorted(found)


def known(
    library: Library, arrays: Arrays, calls: Sequence[LiveCall], fixed: FixedPaths
) -> KnownCalls:
    """Return what the valid calls tell."""
    values: dict[ArgumentPath, list[Any]] = {}
    for live in calls:
        for place, value in arguments(live):
            values.setdefault(place, []).append(value)
    return KnownCalls(library, arrays, calls, values, fixed)


@dataclass(frozen=True)
class CallDraft:
    """A call to be mutated, and its sources of randomness (``numbers``: NumPy's)."""

    live: LiveCall
    known: KnownCalls
    rng: random.Random
    numbers: Any

    def changed(self, changes: Mapping[ArgumentPath, Any]) -> CallDraft:
        """Return with other values at some places."""
        return CallDraft(changed(self.live, changes), self.known, self.rng, self.numbers)

    def arrays(self, aspect: str) -> list[tuple[ArgumentPath, Any]]:
        """Return the arrays whose aspect may vary."""
        return [
            (place, value)
            for place, value in leaves(self.live)
            if self.is_array(value) and not is_fixed(place, aspect, self.known.fixed)
        ]

    def is_array(self, value: Any) -> bool:
        """Return whether it is an array that mutations understand."""
        return self.known.library.is_array(value) and self.known.arrays.is_plain(value)

    def plain(self, array: Any) -> tuple[str, tuple[int, ...], Any]:
        """Return dtype, shape and elements; see :class:`Library`."""
        return self.known.library.plain(array)

    def made(self, dtype: str, values: Any, like: Any) -> Any:
        """Return an array of the library."""
        return self.known.arrays.made(dtype, values, like)

    def picked(self, among: Sequence[Any]) -> Optional[Any]:
        """Return one of them, if there is any."""
        return self.rng.choice(among) if among else None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes and small numbers of the call: what its indices may be bounded by."""
        found = set()
        for _, value in leaves(self.live):
            if self.is_array(value):
                found |= set(value.shape)
            elif type(value) is int and 0 < value < 10_000:
                found.add(value)
        return tuple(sorted(found))


Mutation = Callable[[CallDraft], Optional[CallDraft]]
"""Another call, or ``None`` where the mutation does not apply."""
