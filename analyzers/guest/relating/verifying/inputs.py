"""The valid inputs of a source, what comes of them, and harder ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Container, Iterator, List, Optional, Sequence, Tuple

from ..calls import copied
from ..comparing import Tolerance, difference
from ..libraries.library import Library
from ..nouns import Api, Live
from ..oracles.trial import tolerance_of
from .alike import are_alike
from .options import optional
from .runs import Ran, arrays, given, ran
from .variants import variants

Begin = Callable[[str], None]
"""Is told each call before it is run."""

VARIED, OPTIONAL = 4, 2
"""How many calls are varied to harder ones, and how many in their options."""


@dataclass(frozen=True)
class Tried:
    """A call of the source that succeeds, what it came to, and how exact that is.

    ``changes`` says that it changes what it is given; ``text`` is what it is called.
    """

    live: Live
    ran: Ran
    tolerance: Tolerance
    changes: bool
    text: str

    def differs(self, own: Live, other: Ran, library: Library) -> bool:
        """Whether another call, run on ``own`` copies of these arguments, came to something else.

        Where this one changes its arguments, they are compared as well.
        """
        if not are_alike(other.value, self.ran.value, library):
            return True
        if difference(other.value, self.ran.value, library, self.tolerance) is not None:
            return True
        if not self.changes:
            return False
        left, right = given(own), given(self.ran.live)
        return difference(left, right, library, self.tolerance) is not None


class Inputs:
    """Calls of an API with their texts: those that succeed are its valid inputs.

    ``begin`` is told the text of each before it is run; those whose texts are
    in ``avoided`` are not.
    """

    def __init__(
        self,
        api: Api,
        calls: Sequence[Tuple[Live, str]],
        library: Library,
        begin: Begin,
        avoided: Container[str] = (),
        seed: int = 0,
    ) -> None:
        self.api = api
        self.library = library
        self._calls = calls
        self._begin = begin
        self._avoided = avoided
        self._seed = seed
        self._known: List[Optional[Tried]] = []

    @cached_property
    def valid(self) -> List[Tried]:
        """Those that succeed, in order."""
        tried = (self._tried(live, text) for live, text in self._calls)
        return [each for each in tried if each is not None]

    @property
    def harder(self) -> Iterator[Tried]:
        """Variants of the first of them, as far as they succeed."""
        for index in range(len(self._variants)):
            found = self._harder_at(index)
            if found is not None:
                yield found

    def harder_than(self, some: Sequence[Tried]) -> Iterator[Tried]:
        """Variants of some of them, as far as they succeed."""
        for live in self._varied(some):
            found = self._tried(live, f"{self.api.name}, varied")
            if found is not None:
                yield found

    @cached_property
    def _variants(self) -> List[Live]:
        return self._varied(self.valid)

    def _varied(self, some: Sequence[Tried]) -> List[Live]:
        lives = [tried.live for tried in _different(some, self.library)[:VARIED]]
        elements = variants(lives, self.library, self._seed)
        return [*elements, *optional(self.api, lives[:OPTIONAL])]

    def _harder_at(self, index: int) -> Optional[Tried]:
        known = self._known
        if index == len(known):
            text = f"{self.api.name}, variant {index}"
            known.append(self._tried(self._variants[index], text))
        return known[index]

    def _tried(self, live: Live, text: str) -> Optional[Tried]:
        if text in self._avoided:
            return None
        self._begin(text)
        own = copied(live, self.library)
        found = ran(own, self.library)
        if not found.succeeded:
            return None
        changes = difference(given(own), given(live), self.library) is not None
        return Tried(live, found, tolerance_of(live, self.library), changes, text)


def _different(tried: Sequence[Tried], library: Library) -> List[Tried]:
    """Those first whose arguments have types and dtypes that none before has."""
    found: List[Tried] = []
    rest: List[Tried] = []
    seen = set()
    for each in tried:
        form = _form(each.live, library)
        (rest if form in seen else found).append(each)
        seen.add(form)
    return [*found, *rest]


def _form(live: Live, library: Library) -> Any:
    shapes = [(str(array.dtype), len(array.shape)) for array in arrays(given(live), library)]
    return tuple(shapes), tuple(type(item).__name__ for item in given(live)), tuple(live.keywords)
