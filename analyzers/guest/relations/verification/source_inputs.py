"""The valid inputs of a source, what comes of them, and harder ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Callable, Container, Iterator, Optional, Sequence

from ...inputs.recipes import LiteralRecipe
from ..library_calls import copy_call
from ..mutation.array_construction import COMPLEX, FLOATS, INTEGERS
from ..mutation.call_draft import ArgumentPath, changed, leaves
from ..oracles.call_under_test import tolerance_of
from ..relation_types import Arrays, Library, LibraryApi, LiveCall
from ..result_comparison import Tolerance, difference
from .call_validity import CallRun, arrays, given, run_call

MOST = 12
"""How many variants are made of a call."""


def optional(api: LibraryApi, calls: Sequence[LiveCall]) -> Iterator[LiveCall]:
    """Each call with one number or truth value changed, and with one option given that was not."""
    for live in calls:
        values = list(leaves(live))
        for item in api.parameters[len(live.arguments) :]:
            is_open = not (item.is_input or item.name.startswith("*") or item.name in live.keywords)
            if is_open and isinstance(item.default, LiteralRecipe):
                values.append((("keywords", item.name), item.default.value))
        made = (changed(live, {at: other}) for at, value in values for other in _others(value))
        yield from islice(made, MOST)


def _others(value: Any) -> list[Any]:
    if type(value) is bool:
        return [not value]
    if type(value) is int and abs(value) < 64:
        return [value + 1]
    if type(value) is float and math.isfinite(value):
        return [value / 2 + 0.3]
    return []


Values = Any
_Draw = Callable[[Any, Values], Values]
MOST_ELEMENTS = 1 << 14


def variants(calls: Sequence[LiveCall], library: Library, seed: int = 0) -> Iterator[LiveCall]:
    """Yield each call with other elements in all of its arrays, a kind of them after another.

    Random numbers, ties, NaN, infinities, integers, complex numbers and one
    more dimension for floats; fractions for integers; truth for all.  The same
    seed gives the same variants.
    """
    import numpy as np

    maker = library.arrays
    numbers = np.random.Generator(np.random.PCG64(seed))
    for change in _CHANGES:
        for live in calls:
            made = _changed(live, change, (library, maker, numbers))
            if made is not None:
                yield made


def _changed(live: LiveCall, change: _Change, by: tuple[Library, Arrays, Any]) -> Any:
    library, maker, numbers = by
    changes: dict[ArgumentPath, Any] = {}
    try:
        for place, value in leaves(live):
            if not library.is_array(value) or not maker.is_plain(value):
                continue
            dtype, _, values = library.plain(value)
            if values.size > MOST_ELEMENTS:
                return None
            for dtypes, new, draw in change:
                elements = draw(numbers, values) if dtype in dtypes else values
                if elements is not values:
                    changes[place] = maker.made(new or dtype, elements, value)
    except Exception:
        return None
    return changed(live, changes) if changes else None


def _coins(numbers: Any, values: Values) -> Values:
    return numbers.random(values.shape) < 0.5


def _normal(numbers: Any, values: Values) -> Values:
    return 3 * numbers.standard_normal(values.shape)


def _complex(numbers: Any, values: Values) -> Values:
    return numbers.standard_normal(values.shape) + 1j * numbers.standard_normal(values.shape)


def _whole(numbers: Any, values: Values) -> Values:
    if not values.size:
        return values
    return numbers.integers(int(values.min()), int(values.max()) + 1, values.shape)


def _sprinkled(*specials: float) -> _Draw:
    """Make about every third element special; one for sure."""

    def draw(numbers: Any, values: Values) -> Values:
        import numpy as np

        if not values.size:
            return values
        drawn = 2 * numbers.standard_normal(values.shape)
        chosen = numbers.random(values.shape) < 0.35
        chosen.flat[numbers.integers(values.size)] = True
        return np.where(chosen, numbers.choice(specials, values.shape), drawn)

    return draw


_Change = tuple[tuple[tuple[str, ...], str, _Draw], ...]
_CHANGES: tuple[_Change, ...] = (
    (
        (("bool",), "", _coins),
        (COMPLEX, "", lambda numbers, values: 2 * _complex(numbers, values)),
        (FLOATS, "", _normal),
    ),
    ((FLOATS, "", lambda numbers, values: numbers.integers(-1, 3, values.shape)),),
    ((FLOATS, "", _sprinkled(float("nan"))),),
    ((FLOATS, "", _sprinkled(float("inf"), float("-inf"))),),
    (
        (FLOATS, "int64", lambda numbers, values: numbers.integers(-5, 6, values.shape)),
        (INTEGERS, "", _whole),
    ),
    ((INTEGERS, "float32", _normal),),
    ((FLOATS, "complex64", _complex),),
    ((FLOATS, "", lambda numbers, values: numbers.standard_normal((3, *values.shape))),),
    (((*INTEGERS, *FLOATS, "bool"), "bool", _coins),),
)
"""Kinds of other elements: of these dtypes, their new dtype (empty: the same), how drawn."""

_PLAIN = (bool, int, float, complex, str, type(None))
_WORDS = frozenset(("dtype", "device", "layout", "memory_format", "qscheme"))


def are_alike(one: Any, other: Any, library: Library) -> bool:
    """Return whether both are arrays of one layout, plain values of one type, or containers."""
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
    """A call of the source that succeeds, its result, exactness, and if it ``changes`` input."""

    live: LiveCall
    ran: CallRun
    tolerance: Tolerance
    changes: bool
    text: str

    def differs(self, own: LiveCall, other: CallRun, library: Library) -> bool:
        """Return whether a call on ``own`` copies came to something else, or left it so."""
        if not are_alike(other.value, self.ran.value, library):
            return True
        if difference(other.value, self.ran.value, library, self.tolerance) is not None:
            return True
        if not self.changes:
            return False
        left, right = given(own), given(self.ran.live)
        return difference(left, right, library, self.tolerance) is not None


@dataclass(eq=False)
class SourceInputs:
    """Calls of an API that succeed; ``begin`` hears each text, ``avoided`` ones are not run."""

    api: LibraryApi
    _calls: Sequence[tuple[LiveCall, str]]
    library: Library
    _begin: BeginCall
    _avoided: Container[str] = ()
    _seed: int = 0
    _known: list[Optional[ValidCall]] = field(default_factory=list)

    @cached_property
    def valid(self) -> list[ValidCall]:
        """Those that succeed, in order."""
        tried = (self._tried(live, text) for live, text in self._calls)
        return [each for each in tried if each is not None]

    @property
    def harder(self) -> Iterator[ValidCall]:
        """Variants of the first of them, as far as they succeed."""
        for index, live in enumerate(self._variants):
            if index == len(self._known):
                self._known.append(self._tried(live, f"{self.api.name}, variant {index}"))
            found = self._known[index]
            if found is not None:
                yield found

    def harder_than(self, some: Sequence[ValidCall]) -> Iterator[ValidCall]:
        """Yield variants of some of them, as far as they succeed."""
        for live in self._varied(some):
            found = self._tried(live, f"{self.api.name}, varied")
            if found is not None:
                yield found

    @cached_property
    def _variants(self) -> list[LiveCall]:
        return self._varied(self.valid)

    def _varied(self, some: Sequence[ValidCall]) -> list[LiveCall]:
        lives = [tried.live for tried in _different(some, self.library)[:VARIED]]
        elements = variants(lives, self.library, self._seed)
        return [*elements, *optional(self.api, lives[:OPTIONAL])]

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


def _different(tried: Sequence[ValidCall], library: Library) -> list[ValidCall]:
    """Return those first whose arguments have types and dtypes that none before has."""
    found: list[ValidCall] = []
    rest: list[ValidCall] = []
    seen = set()
    for each in tried:
        values = given(each.live)
        shapes = tuple((str(at.dtype), len(at.shape)) for at in arrays(values, library))
        form = shapes, tuple(type(item).__name__ for item in values), tuple(each.live.keywords)
        (rest if form in seen else found).append(each)
        seen.add(form)
    return [*found, *rest]
