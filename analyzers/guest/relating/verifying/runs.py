"""Calls run on copies of what they are given, all from the same random numbers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Tuple

from ..libraries.library import Library
from ..nouns import SUCCESS, Live
from ..outcomes import raised


@dataclass(frozen=True)
class Ran:
    """How a call ended, its value, and the copies that it ran on, perhaps changed by it."""

    status: str
    value: Any
    live: Live

    @property
    def succeeded(self) -> bool:
        """Whether there is a value."""
        return self.status == SUCCESS


def ran(live: Live, library: Library, *, seeded: bool = True) -> Ran:
    """Run a call on what it has, which must be a copy; ``seeded``: from the first random number."""
    if seeded:
        library.seed()
    return attempted(live.run, live)


def attempted(function: Callable[[], Any], live: Live) -> Ran:
    """The end of whatever runs in the name of a call."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function()
    except Exception as error:
        return Ran(raised(error).status, None, live)
    return Ran(SUCCESS, value, live)


def arrays(value: Any, library: Library) -> Iterator[Any]:
    """The arrays in a value, also inside containers."""
    if library.is_array(value):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays(item, library)
    elif isinstance(value, dict):
        yield from arrays(list(value.values()), library)


def given(live: Live) -> List[Any]:
    """All that a call is given, in order."""
    return [*live.arguments, *live.keywords.values(), *(live.inputs or ())]


def plain(value: Any, library: Library) -> List[Tuple[str, Tuple[int, ...], Any]]:
    """The arrays in a value as NumPy has them; those that cannot be read are left out."""
    found = []
    for array in arrays(value, library):
        try:
            found.append(library.plain(array))
        except Exception:
            continue
    return found
