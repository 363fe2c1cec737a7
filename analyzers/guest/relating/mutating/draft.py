"""A call on its way to another one: what mutations know of it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..libraries.library import Library
from ..nouns import Live
from .arrays import Arrays
from .places import Fixed, Place, arguments, changed, is_fixed, leaves


@dataclass(frozen=True)
class Known:
    """What is known of an API's calls: those that are valid, and the values at each place."""

    library: Library
    arrays: Arrays
    calls: Sequence[Live]
    values: Mapping[Place, Sequence[Any]]
    fixed: Fixed

    @property
    def words(self) -> Sequence[str]:
        """The strings that any argument was."""
        found = {value for values in self.values.values() for value in values if _is_text(value)}
        return sorted(found)


def known(library: Library, arrays: Arrays, calls: Sequence[Live], fixed: Fixed) -> Known:
    """What the valid calls tell."""
    values: Dict[Place, List[Any]] = {}
    for live in calls:
        for place, value in arguments(live):
            values.setdefault(place, []).append(value)
    return Known(library, arrays, calls, values, fixed)


def _is_text(value: Any) -> bool:
    return type(value) is str


@dataclass(frozen=True)
class Draft:
    """A call to be mutated, and where randomness is from.

    ``numbers`` is a NumPy generator.
    """

    live: Live
    known: Known
    rng: random.Random
    numbers: Any

    def changed(self, changes: Mapping[Place, Any]) -> Draft:
        """With other values at some places."""
        return Draft(changed(self.live, changes), self.known, self.rng, self.numbers)

    def arrays(self, aspect: str) -> List[Tuple[Place, Any]]:
        """The arrays whose aspect may vary."""
        return [
            (place, value)
            for place, value in leaves(self.live)
            if self.is_array(value) and not is_fixed(place, aspect, self.known.fixed)
        ]

    def is_array(self, value: Any) -> bool:
        """Whether it is an array that mutations understand."""
        return self.known.library.is_array(value) and self.known.arrays.is_plain(value)

    def plain(self, array: Any) -> Tuple[str, Tuple[int, ...], Any]:
        """Dtype, shape and elements; see :class:`Library`."""
        return self.known.library.plain(array)

    def made(self, dtype: str, values: Any, like: Any) -> Any:
        """An array of the library."""
        return self.known.arrays.made(dtype, values, like)

    def picked(self, among: Sequence[Any]) -> Optional[Any]:
        """One of them, if there is any."""
        return self.rng.choice(among) if among else None

    @property
    def sizes(self) -> Tuple[int, ...]:
        """The sizes and small numbers of the call: what its indices may be bounded by."""
        found = set()
        for _, value in leaves(self.live):
            if self.is_array(value):
                found |= set(value.shape)
            elif type(value) is int and 0 < value < 10_000:
                found.add(value)
        return tuple(sorted(found))


Mutation = Callable[[Draft], Optional[Draft]]
"""Another call, or ``None`` where the mutation does not apply."""
