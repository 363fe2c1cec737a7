"""The valid inputs of a source, what comes of them, and harder ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Container, Iterator, List, Optional, Sequence, Tuple

from ..comparison.array_comparison import Tolerance
from ..comparison.result_comparison import difference
from ..library_calls import copy_call
from ..oracles.call_under_test import tolerance_of
from ..relation_types import Library, LibraryApi, LiveCall
from .call_runs import CallRun, arrays, given, run_call
from .input_variants import optional, variants

_PLAIN = (bool, int, float, complex, str, type(None))
_WORDS = frozenset(("dtype", "device", "layout", "memory_format", "qscheme"))


def are_alike(one: Any, other: Any, library: Library) -> bool:
    """Whether both are arrays of one layout, plain values of one type, or containers of such.

    Objects of other kinds are never alike: nothing tells whether they are equal.
    """
    if library.is_array(one) or library.is_array(other):
        both = library.is_array(one) and library.is_array(other)
        return both and getattr(one, "layout", None) == getattr(other, "layout", None)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(
            are_alike(left, right, library) for left, right in zip(one, other)
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(
            are_alike(value, other[key], library) for key, value in one.items()
        )
    known = isinstance(one, _PLAIN) or type(one).__name__ in _WORDS
    return known and type(one) is type(other)


BeginCall = Callable[[str], None]
"""Is told each call before it is run."""

VARIED, OPTIONAL = 4, 2
"""How many calls are varied to harder ones, and how many in their options."""


@dataclass(frozen=True)
class ValidCall:
    """A call of the source that succeeds, what it came to, and how exact that is.

    ``changes`` says that it changes what it is given; ``text`` is what it is called.
    """

    live: LiveCall
    ran: CallRun
    tolerance: Tolerance
    changes: bool
    text: str

    def differs(self, own: LiveCall, other: CallRun, library: Library) -> bool:
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


class SourceInputs:
    """Calls of an API with their texts: those that succeed are its valid inputs.

    ``begin`` is told the text of each before it is run; those whose texts are
    in ``avoided`` are not.
    """

    def __init__(
        self,
        api: LibraryApi,
        calls: Sequence[Tuple[LiveCall, str]],
        library: Library,
        begin: BeginCall,
        avoided: Container[str] = (),
        seed: int = 0,
    ) -> None:
        self.api = api
        self.library = library
        self._calls = calls
        self._begin = begin
        self._avoided = avoided
        self._seed = seed
        self._known: List[Optional[ValidCall]] = []

    @cached_property
    def valid(self) -> List[ValidCall]:
        """Those that succeed, in order."""
        tried = (self._tried(live, text) for live, text in self._calls)
        return [each for each in tried if each is not None]

    @property
    def harder(self) -> Iterator[ValidCall]:
        """Variants of the first of them, as far as they succeed."""
        for index in range(len(self._variants)):
            found = self._harder_at(index)
            if found is not None:
                yield found

    def harder_than(self, some: Sequence[ValidCall]) -> Iterator[ValidCall]:
        """Variants of some of them, as far as they succeed."""
        for live in self._varied(some):
            found = self._tried(live, f"{self.api.name}, varied")
            if found is not None:
                yield found

    @cached_property
    def _variants(self) -> List[LiveCall]:
        return self._varied(self.valid)

    def _varied(self, some: Sequence[ValidCall]) -> List[LiveCall]:
        lives = [tried.live for tried in _different(some, self.library)[:VARIED]]
        elements = variants(lives, self.library, self._seed)
        return [*elements, *optional(self.api, lives[:OPTIONAL])]

    def _harder_at(self, index: int) -> Optional[ValidCall]:
        known = self._known
        if index == len(known):
            text = f"{self.api.name}, variant {index}"
            known.append(self._tried(self._variants[index], text))
        return known[index]

    def _tried(self, live: LiveCall, text: str) -> Optional[ValidCall]:
        if text in self._avoided:
            return None
        self._begin(text)
        own = copy_call(live, self.library)
        found = run_call(own, self.library)
        if not found.succeeded:
            return None
        changes = difference(given(own), given(live), self.library) is not None
        return ValidCall(live, found, tolerance_of(live, self.library), changes, text)


def _different(tried: Sequence[ValidCall], library: Library) -> List[ValidCall]:
    """Those first whose arguments have types and dtypes that none before has."""
    found: List[ValidCall] = []
    rest: List[ValidCall] = []
    seen = set()
    for each in tried:
        form = _form(each.live, library)
        (rest if form in seen else found).append(each)
        seen.add(form)
    return [*found, *rest]


def _form(live: LiveCall, library: Library) -> Any:
    shapes = [(str(array.dtype), len(array.shape)) for array in arrays(given(live), library)]
    return tuple(shapes), tuple(type(item).__name__ for item in given(live)), tuple(live.keywords)
